"""tests/worlds/replay.py - small random files of other simulators: GOAL, Chakra, SimAI, htsim."""
import importlib.machinery
import importlib.util

from trial import TOP


def goal(dice, ranks, each):
    """Operations of ranks. Messages have one order in all ranks, so no rank waits for ever."""
    messages = dice.randint(1, 12)
    lines = [[] for _ in range(ranks)]

    def add(rank, text):
        label = f"l{len(lines[rank])}"
        lines[rank].append(f"{label}: {text}")
        if len(lines[rank]) > 1 and dice.one_in(2):
            lines[rank].append(f"{label} requires {dice.choice([line.split(':')[0] for line in lines[rank][:-1] if ':' in line])}")
    for tag in range(messages):
        a, b = dice.sample(range(ranks), 2)
        if dice.one_in(2):
            add(a, f"calc {dice.log(10, 20000)}")
        length = each(messages)
        add(a, f"send {length}b to {b} tag {tag}")
        add(b, f"recv {length}b from {a} tag {tag}")
    body = "".join(f"rank {rank} {{\n" + "".join(f" {line}\n" for line in lines[rank]) + "}\n" for rank in range(ranks))
    return f"num_ranks {ranks}\n{body}"


def matrix(dice, hosts, each):
    """A connection matrix of htsim: some connections start at a time, others when one is done."""
    count, triggers, rows = dice.randint(1, 12), 0, []
    for number in range(1, count + 1):
        a, b = dice.sample(range(hosts), 2)
        if rows and dice.one_in(3) and "done" not in rows[-1]:
            triggers += 1
            rows[-1] += f" {dice.choice(('send', 'recv'))}_done_trigger {triggers}"
            rows.append(f"{a}->{b} id {number} trigger {triggers} size {each(count)}")
        else:
            rows.append(f"{a}->{b} id {number} start {dice.log(1, 50) * 10**6} size {each(count)}")
    rows += [f"trigger id {number} oneshot" for number in range(1, triggers + 1)]
    return f"Nodes {hosts}\nConnections {count}\n" + (f"Triggers {triggers}\n" if triggers else "") + "\n".join(rows) + "\n"


def simai(dice, ranks, each):
    """A text workload of SimAI: layers with a collective forward, for inputs and for weights."""
    layers = dice.randint(1, 3)

    def collective(is_some):
        kind = dice.choice(("ALLREDUCE", "ALLGATHER", "REDUCESCATTER", "ALLTOALL"))
        return f"{dice.log(10, 9000)} " + (f"{kind} {each(9 * layers) + ranks}" if is_some and dice.one_in(2) else "NONE 0")
    group = dice.choice([n for n in range(1, ranks + 1) if ranks % n == 0])
    # A policy, and whether its layers communicate forward, for inputs and for weights.
    policy, forward, inputs, weights = dice.choice((
        (f"HYBRID_TRANSFORMER model_parallel_NPU_group: {group} ep: 1 pp: 1 vpp: 1 ga: 1 all_gpus: {ranks}", True, True, True),
        ("DATA", False, False, True), ("MODEL", True, True, False)))
    rows = [f"layer{i} -1 {collective(forward)} {collective(inputs)} {collective(weights)} {dice.log(1, 500)}" for i in range(layers)]
    return f"{policy}\n{layers}\n" + "\n".join(rows) + "\n"


def chakra(dice, ranks, each, files):
    """Execution traces of all ranks: computing and all-reduces, one after the other. Returns their prefix."""
    path = str(TOP / "tools" / "make-llama-trace")
    loader = importlib.machinery.SourceFileLoader("make_llama_trace", path)
    tool = importlib.util.module_from_spec(importlib.util.spec_from_loader("make_llama_trace", loader))
    loader.exec_module(tool)
    prefix = f"et{len(files)}"
    steps = [(dice.log(1, 30), each(4 * ranks) + ranks) for _ in range(dice.randint(1, 3))]
    for rank in range(ranks):
        trace, last = tool.Rank(), None
        for micros, length in steps:
            last = trace.compute("compute", [last] if last is not None else [], micros)
            last = trace.all_reduce("reduce", [last], length, "1")
        files[f"{prefix}.{rank}.et"] = b"".join(tool.varint(len(record)) + record for record in [tool.blob(1, b"0.0.4"), *trace.nodes])
    files[f"{prefix}.groups.json"] = '{"1": [' + ", ".join(map(str, range(ranks))) + "]}"
    return prefix
