#!/usr/bin/env python3
"""tests/tools/torch_adpg.py - RL-CC's training in PyTorch, step by step, for train/rlcc/adpg_torch_test.c.

    apt-get install python3-torch
    /usr/bin/python3 tests/tools/torch_adpg.py mlp > tests/data/learn/torch_adpg_mlp.txt
    /usr/bin/python3 tests/tools/torch_adpg.py lstm > tests/data/learn/torch_adpg_lstm.txt

The loss is written out term by term as in train/rlcc/adpg.h, and PyTorch computes its gradient. All
inputs come from a small generator, so both sides use exactly the same numbers. Building and testing Anole
does not need PyTorch, because its results are stored.
"""
import sys

import torch

STEPS = 20
LENGTHS = (1, 2, 5, 9, 15, 7)                          # steps of each agent; the first is skipped
GAMMA, SMOOTHING, CLIP, RATE, EPSILON = 0.99, 1.0, 0.05, 0.01, 1e-5


def numbers():
    """x = 1664525 x + 1013904223 mod 2^32, from 1; its upper 24 bits, which a float32 holds."""
    x = 1
    while True:
        x = (1664525 * x + 1013904223) % 2**32
        yield x >> 8


def fill(tensor, number):
    """Sets each weight to a number in [-1/2, 1/2), in the order of inputs: PyTorch stores outputs x inputs."""
    with torch.no_grad():
        if tensor.dim() == 1:
            for o in range(tensor.shape[0]):
                tensor[o] = (next(number) - 2**23) / 2**24
        else:
            for i in range(tensor.shape[1]):
                for o in range(tensor.shape[0]):
                    tensor[o, i] = (next(number) - 2**23) / 2**24


class Mlp(torch.nn.Module):
    inputs = 4

    def __init__(self, number):
        super().__init__()
        sides = (4, 12, 12, 1)
        self.layers = torch.nn.ModuleList(torch.nn.Linear(i, o, bias=False) for i, o in zip(sides, sides[1:]))
        self.ours = [layer.weight for layer in self.layers]
        for tensor in self.ours:
            fill(tensor, number)

    def forward(self, x):
        x = torch.relu(self.layers[0](x))
        x = torch.relu(self.layers[1](x))
        return torch.tanh(self.layers[2](x)).squeeze(1)


class Lstm(torch.nn.Module):
    inputs = 2

    def __init__(self, number):
        super().__init__()
        self.first, self.second = torch.nn.Linear(2, 32), torch.nn.Linear(32, 16)
        self.memory, self.last = torch.nn.LSTM(16, 16), torch.nn.Linear(16, 1)
        memory = self.memory
        self.ours = [self.first.weight, self.first.bias, self.second.weight, self.second.bias,
                     memory.weight_ih_l0, memory.weight_hh_l0, memory.bias_ih_l0, self.last.weight, self.last.bias]
        for tensor in self.ours:
            fill(tensor, number)
        torch.nn.init.zeros_(memory.bias_hh_l0)        # one bias is enough
        memory.bias_hh_l0.requires_grad = False

    def forward(self, x):
        x = torch.relu(self.second(torch.relu(self.first(x))))
        h, _ = self.memory(x.unsqueeze(1))
        return torch.tanh(self.last(h.squeeze(1))).squeeze(1)


def make_rollout(inputs, number):
    """Per agent: states, which alternate actions in [3/4, 5/4) and deltas in [-2, 2), and their outcomes."""
    rollout = []
    for steps in LENGTHS:
        states = [[(next(number) >> 4) / 2**(18 if i % 2 else 21) + (-2 if i % 2 else 0.75) for i in range(inputs)]
                  for _ in range(steps)]
        deltas = [(next(number) >> 4) / 2**18 - 2 for _ in range(steps)]
        rollout.append((torch.tensor(states), torch.tensor(deltas)))
    return rollout


def loss_of(u, delta):
    n, loss = len(u), 0
    for i in range(n):
        to_go = sum(GAMMA**(k - i) * delta[k] for k in range(i, n)) / (n - i)
        smooth = sum(0.5 * (u[i] - u[j])**2 for j in range(i + 1, n)) / (n - i)
        loss = loss + (u[i] * to_go + SMOOTHING * smooth) / n
    return loss


def train(policy, dtype):
    """A list of (loss, largest component of the gradient, parameters) per step."""
    torch.set_default_dtype(dtype)
    number = numbers()
    policy = policy(number)
    optimiser = torch.optim.Adam(policy.ours, lr=RATE, eps=EPSILON)
    result = []
    for _ in range(STEPS):
        rollout = [(s, d) for s, d in make_rollout(policy.inputs, number) if len(d) > 1]
        loss = sum(loss_of(policy(s), d) for s, d in rollout) / len(rollout)
        optimiser.zero_grad()
        loss.backward()
        largest = max(t.grad.abs().max().item() for t in policy.ours)
        torch.nn.utils.clip_grad_value_(policy.ours, CLIP)
        optimiser.step()
        after = torch.cat([t.detach().t().reshape(-1) if t.dim() > 1 else t.detach() for t in policy.ours])
        result.append((loss.item(), largest, after.double().clone()))
    return result


def main():
    torch.set_num_threads(1)
    policy, apart = {"mlp": (Mlp, 17), "lstm": (Lstm, 89)}[sys.argv[1]]
    single, exact = train(policy, torch.float32), train(policy, torch.float64)
    away = max(float((a[2] - b[2]).abs().max()) for a, b in zip(single, exact))
    print(f"# made by tests/tools/torch_adpg.py {sys.argv[1]} with PyTorch {torch.__version__} in float64")
    print(f"# PyTorch's own float32 run has no parameter further away than {away:.1e}")
    print("# step, loss, largest component of the gradient, sum of all parameters, "
          f"then parameters 0, {apart}, {2 * apart} and so on")
    for step, (loss, largest, after) in enumerate(exact, 1):
        figures = [loss, largest, after.sum().item()] + [after[i].item() for i in range(0, len(after), apart)]
        print(step, *(f"{figure:.9e}" for figure in figures))


if __name__ == "__main__":
    main()
