#!/usr/bin/env python3
"""tests/tools/torch_reference.py - one training run in PyTorch, step by step, for src/base/nets/dqn_torch_test.c.

    apt-get install python3-torch
    /usr/bin/python3 tests/tools/torch_reference.py > tests/data/learn/torch_dqn.txt

Double DQN on ACC's net. All inputs come from a small generator, so both sides use exactly the same numbers:
see numbers(). Building and testing Anole does not need PyTorch, because its results are stored.
"""
import copy

import torch

SHAPE = (12, 20, 40, 40, 20)
STEPS, BATCH, COPY_EVERY = 30, 32, 10
GAMMA, BEND, NORM_MAX, RATE = 0.9, 1.0, 0.2, 0.001    # the gradient is longer in two steps of three


def numbers():
    """x = 1664525 x + 1013904223 mod 2^32, from 1; its upper 24 bits, which a float32 holds."""
    x = 1
    while True:
        x = (1664525 * x + 1013904223) % 2**32
        yield x >> 8


def make_net(number):
    """Parameters in [-1/4, 1/4), layer by layer: weights, those of the first input first, then biases."""
    layers = []
    for inputs, outputs in zip(SHAPE, SHAPE[1:]):
        layer = torch.nn.Linear(inputs, outputs)
        with torch.no_grad():
            for i in range(inputs):
                for o in range(outputs):
                    layer.weight[o, i] = (next(number) - 2**23) / 2**25
            for o in range(outputs):
                layer.bias[o] = (next(number) - 2**23) / 2**25
        layers += [layer, torch.nn.ReLU()]
    return torch.nn.Sequential(*layers[:-1])


def make_batch(number):
    """Per record: state in [0, 1), action, reward in [-2, 2), next state; one in eight ends an episode."""
    states, actions, rewards, nexts, ends = [], [], [], [], []
    for _ in range(BATCH):
        states.append([next(number) / 2**24 for _ in range(SHAPE[0])])
        actions.append(next(number) % SHAPE[-1])
        rewards.append(next(number) / 2**22 - 2)
        nexts.append([next(number) / 2**24 for _ in range(SHAPE[0])])
        ends.append(float(next(number) % 8 == 0))
    return [torch.tensor(column) for column in (states, actions, rewards, nexts, ends)]


def parameters(net):
    """All of them in the order of make_net()."""
    parts = []
    for layer in net:
        if isinstance(layer, torch.nn.Linear):
            parts += [layer.weight.detach().t().reshape(-1), layer.bias.detach()]
    return torch.cat(parts)


def train(dtype):
    """A list of (loss, gradient norm, parameters) per step."""
    torch.set_default_dtype(dtype)
    number = numbers()
    online = make_net(number)
    target = copy.deepcopy(online)
    optimiser = torch.optim.Adam(online.parameters(), lr=RATE)
    result = []
    for step in range(1, STEPS + 1):
        state, action, reward, nexts, end = make_batch(number)
        with torch.no_grad():
            choice = online(nexts).argmax(1, keepdim=True)
            wanted = reward + GAMMA * (1 - end) * target(nexts).gather(1, choice).squeeze(1)
        value = online(state).gather(1, action.unsqueeze(1)).squeeze(1)
        loss = torch.nn.functional.huber_loss(value, wanted, delta=BEND)
        optimiser.zero_grad()
        loss.backward()
        norm = torch.nn.utils.clip_grad_norm_(online.parameters(), NORM_MAX)
        optimiser.step()
        if step % COPY_EVERY == 0:
            target.load_state_dict(online.state_dict())
        result.append((loss.item(), norm.item(), parameters(online).double()))
    return result


def main():
    torch.set_num_threads(1)
    single, exact = train(torch.float32), train(torch.float64)
    apart = max(float((a[2] - b[2]).abs().max()) for a, b in zip(single, exact))
    shown = range(0, len(exact[0][2]), 89)
    print(f"# made by tests/tools/torch_reference.py with PyTorch {torch.__version__} in float64")
    print(f"# PyTorch's own float32 run ends with no parameter further away than {apart:.1e}")
    print("# step, loss, length of the gradient, sum of all parameters, then parameters "
          f"{shown[0]}, {shown[1]}, {shown[2]} and so on")
    for step, (loss, norm, parameter) in enumerate(exact, 1):
        figures = [loss, norm, parameter.sum().item()] + [parameter[i].item() for i in shown]
        print(step, *(f"{figure:.9e}" for figure in figures))


if __name__ == "__main__":
    main()
