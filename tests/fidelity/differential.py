#!/usr/bin/env python3
"""tests/fidelity/differential.py [OPTION...] - compares the models hpcc and conweave with a second implementation in random worlds.

The second implementation is minisim.py for hpcc and minisim_conweave.py for conweave. A world is a network with flows and
settings, in the files of the HPCC or the ConWeave ns-3 fork. It is generated from a seed: make_world(seed),
make_conweave_world(seed). These must be equal: the FCT of every flow, every PFC frame in order and, in model conweave, the
counters of balancers and hosts. A world that differs is kept in a folder, first unchanged and then as small as possible. To
shrink it, the script drops flows, then hosts and switches, and then resets settings to common ones. Output is TAP.
"""
import argparse
import concurrent.futures
import copy
import json
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile

import fidelity
import minisim
import minisim_conweave

MODES = {"dcqcn": "1", "hpcc": "3", "timely": "7", "dctcp": "8", "hpcc-pint": "10"}
RATES = ("25Gbps", "50Gbps", "100Gbps", "200Gbps", "400Gbps")
OTHER_RATES = ("10Gbps", "40Gbps")                # HPCC's telemetry has no code for these
DELAYS = ("1us", "2us", "5us", "500ns", "0.5us", "1.5us", "0.6us", "0.001ms", "1000ns", "1.1us", "0.3us", "2.7us", "1234ns")
FAILED = "anole: exit code"
PACKETS_MAX = 900                                 # data packets per world, because minisim is slow
USUAL = {
    "ENABLE_QCN": "1", "USE_DYNAMIC_PFC_THRESHOLD": "1", "PACKET_PAYLOAD_SIZE": "1000", "TOPOLOGY_FILE": "topology.txt",
    "FLOW_FILE": "flow.txt", "TRACE_FILE": "trace.txt", "TRACE_OUTPUT_FILE": "mix.tr", "FCT_OUTPUT_FILE": "fct.txt",
    "PFC_OUTPUT_FILE": "pfc.txt", "SIMULATOR_STOP_TIME": "2.004", "CC_MODE": "1", "ALPHA_RESUME_INTERVAL": "1",
    "RATE_DECREASE_INTERVAL": "4", "CLAMP_TARGET_RATE": "0", "RP_TIMER": "300", "EWMA_GAIN": "0.00390625",
    "FAST_RECOVERY_TIMES": "1", "RATE_AI": "50Mb/s", "RATE_HAI": "100Mb/s", "MIN_RATE": "1000Mb/s",
    "DCTCP_RATE_AI": "615Mb/s", "ERROR_RATE_PER_LINK": "0.0000", "L2_CHUNK_SIZE": "4000", "L2_ACK_INTERVAL": "1",
    "L2_BACK_TO_ZERO": "0", "HAS_WIN": "1", "GLOBAL_T": "1", "VAR_WIN": "1", "FAST_REACT": "1", "U_TARGET": "0.95",
    "MI_THRESH": "0", "INT_MULTI": "1", "MULTI_RATE": "0", "SAMPLE_FEEDBACK": "0", "PINT_LOG_BASE": "1.05",
    "PINT_PROB": "1.0", "RATE_BOUND": "1", "ACK_HIGH_PRIO": "0", "LINK_DOWN": "0 0 0", "ENABLE_TRACE": "0",
    "BUFFER_SIZE": "32", "KMAX_MAP": "", "KMIN_MAP": "", "PMAX_MAP": "", "QLEN_MON_FILE": "qlen.txt",
    "QLEN_MON_START": "100000000000", "QLEN_MON_END": "100000000001"}
BALANCERS = {"ecmp": "0", "letflow": "6", "conweave": "9", "conga": "3"}
NOT_IN_CONWEAVE = ("TRACE_FILE", "TRACE_OUTPUT_FILE", "SIMULATOR_STOP_TIME", "PINT_LOG_BASE", "PINT_PROB", "ACK_HIGH_PRIO",
                   "ENABLE_TRACE")
USUAL_CONWEAVE = {
    **{name: value for name, value in USUAL.items() if name not in NOT_IN_CONWEAVE},
    "LB_MODE": "0", "ENABLE_PFC": "1", "ENABLE_IRN": "0", "HAS_WIN": "0", "VAR_WIN": "0", "BUFFER_SIZE": "9",
    "RATE_AI": "40Mb/s", "MIN_RATE": "100Mb/s", "FLOWGEN_START_TIME": "2.0", "FLOWGEN_STOP_TIME": "2.001", "LOAD": "70",
    "CONWEAVE_TX_EXPIRY_TIME": "300", "CONWEAVE_REPLY_TIMEOUT_EXTRA": "4", "CONWEAVE_PATH_PAUSE_TIME": "16",
    "CONWEAVE_EXTRA_VOQ_FLUSH_TIME": "16", "CONWEAVE_DEFAULT_VOQ_WAITING_TIME": "200", "RANDOM_SEED": "1"}


# ---- worlds: {"seed", "config", "hosts", "switches", "links": [[a, b, rate, delay]], "flows": [[src, dst, class, dport, size, start]]}
# Worlds of model conweave also have "flowlet_us", and do not use dport.

def thresholds(dice=None):
    """Returns ECN's maps: thresholds are so low that few packets cause marks."""
    kmin, kmax, pmax = [], [], []
    for rate in (10, 25, 40, 50, 100, 200, 400):
        low = dice.choice((2, 5, rate // 5 or 1)) if dice else rate // 5
        high = low * dice.choice((1, 2, 4)) if dice else 4 * low
        for values, value in ((kmin, low), (kmax, high), (pmax, dice.choice((0.05, 0.2, 1)) if dice else 0.2)):
            values += [f"{rate}000000000", f"{value}"]
    return {name: " ".join(["7", *values]) for name, values in (("KMIN_MAP", kmin), ("KMAX_MAP", kmax), ("PMAX_MAP", pmax))}


def make_shape(dice, shapes=("star", "dumbbell", "two tiers", "fat tree", "tree", "mesh")):
    """Returns (hosts, switches, links without rates and delays, tier of each link)."""
    shape = dice.choice(shapes)
    if shape == "star":
        hosts, switches, trunks = dice.randint(2, 8), 1, []
    elif shape == "dumbbell":
        hosts, switches, trunks = dice.randint(4, 8), 2, [(0, 1)]
    elif shape == "two tiers":
        leaves, spines = dice.randint(2, 4), dice.randint(1, 3)
        hosts, switches = leaves * dice.randint(1, 3), leaves + spines
        trunks = [(leaf, leaves + spine) for leaf in range(leaves) for spine in range(spines)]
    elif shape == "fat tree":
        hosts, switches = 16, 20
        trunks = [(edge, 8 + edge // 2 * 2 + i) for edge in range(8) for i in range(2)]
        trunks += [(8 + agg, 16 + agg % 2 * 2 + i) for agg in range(8) for i in range(2)]
    else:
        switches = dice.randint(2, 5)
        hosts = dice.randint(switches, 9)
        trunks = [(dice.randrange(s), s) for s in range(1, switches)]
        if shape == "mesh":
            others = [(a, b) for b in range(switches) for a in range(b) if (a, b) not in trunks]
            trunks += dice.sample(others, min(len(others), dice.randint(1, 2)))
    at_edge = 8 if shape == "fat tree" else leaves if shape == "two tiers" else switches
    links = [(host, hosts + host * at_edge // hosts) for host in range(hosts)]
    if shape in ("tree", "mesh"):
        links = [(host, hosts + (host if host < switches else dice.randrange(switches))) for host in range(hosts)]
    if dice.random() < 0.2 and len(shapes) > 2:
        links = [link[::-1] for link in links]
    return hosts, switches, links, [(hosts + a, hosts + b) for a, b in trunks]


def make_links(dice, hosts, links, trunks, mode):
    rates = RATES if mode == "hpcc" or dice.random() < 0.8 else RATES + OTHER_RATES
    likeness = dice.choice(("same", "by tier", "by tier", "each"))
    pool = [dice.choice(rates) for _ in range(2)]
    delays = [dice.choice(DELAYS) for _ in range(3)]
    made = []
    for tier, members in enumerate((links, trunks)):
        for a, b in members:
            rate = {"same": pool[0], "by tier": pool[tier], "each": dice.choice(rates)}[likeness]
            delay = {"same": delays[0], "by tier": delays[tier], "each": dice.choice(delays)}[likeness]
            made.append([a, b, rate, delay])
    if dice.random() < 0.2:
        dice.shuffle(made)
    return made


def make_burst(dice, world):
    """Adds flows from up to eight hosts to one, at the same time."""
    receiver, *senders = dice.sample(range(world["hosts"]), min(world["hosts"], 9))
    payload = int(world["config"]["PACKET_PAYLOAD_SIZE"])
    klass = dice.randint(1, 7)
    return [[sender, receiver, klass, 100, payload * dice.randint(20, 100), "2.000000000"] for sender in senders]


def crowd_buffer(dice, world):
    """Makes links so long that headrooms leave little of the buffer, so a dozen packets cause PFC pauses. Or makes only one
    link long: then the headrooms of the others are so small that packets are lost."""
    world["config"]["BUFFER_SIZE"] = "1"
    nodes = range(world["hosts"], world["hosts"] + world["switches"])
    of_switch = [[link for link in world["links"] if switch in link[:2]] for switch in nodes]
    ports = max(map(len, of_switch))
    left = 1024 * 1024 - 4096 * ports - dice.choice((40_000, 100_000, 200_000))
    long_links = world["links"]
    if dice.random() < 0.4:
        for link in world["links"]:
            link[3] = dice.choice(("50ns", "100ns", "200ns"))
        long_links = [dice.choice(max(of_switch, key=len))]
        world["flows"] = make_burst(dice, world)
    need = max(sum(minisim.parse_rate(link[2]) for link in links if link in long_links) for links in of_switch)
    for link in long_links:
        link[3] = f"{int(left / 3 * 8e9 / need)}ns"


def make_flows(dice, hosts, payload):
    pattern = dice.choice(("pairs", "incast", "all"))
    count = dice.randint(1, 30)
    receiver, classes = dice.randrange(hosts), (3,)
    if dice.random() < 0.35:
        classes = tuple(dice.sample(range(1, 8), dice.randint(2, 4)))
    budget, flows = PACKETS_MAX, []
    together = dice.random() < 0.4
    at = 2_000_000_000
    for _ in range(count):
        src = dice.choice([host for host in range(hosts) if pattern != "incast" or host != receiver])
        dst = receiver if pattern == "incast" else dice.choice([host for host in range(hosts) if host != src])
        size = dice.choice((1, 64, payload, 4 * payload, dice.randint(1, 3 * payload), dice.randint(1, 100 * payload),
                            payload * dice.randint(10, 150)))
        budget -= size // payload + 1
        if budget < 0 and flows:
            break
        if not together and dice.random() < 0.8:
            at += dice.choice((dice.randint(0, 100), dice.randint(100, 5000), dice.randint(1000, 20_000)))
        flows.append([src, dst, dice.choice(classes), dice.choice((100, 100, 4791)), size, f"{at // 10**9}.{at % 10**9:09d}"])
    return flows


def make_config(dice, mode):
    def rarely(usual, *others):
        return dice.choice(others) if dice.random() < 0.25 else usual

    windows = mode == "hpcc" or dice.random() < 0.6
    config = dict(USUAL)
    config.update(thresholds(dice))
    config.update({
        "CC_MODE": MODES[mode], "ENABLE_QCN": rarely("1", "0"), "PACKET_PAYLOAD_SIZE": rarely("1000", "256", "512", "777", "1024", "1500", "4000"),
        "ALPHA_RESUME_INTERVAL": rarely("1", "1.7", "55"), "RATE_DECREASE_INTERVAL": rarely("4", "3.9", "50"),
        "CLAMP_TARGET_RATE": rarely("0", "1"), "RP_TIMER": dice.choice(("20", "55", "300")),
        "EWMA_GAIN": "0.0625" if mode == "dctcp" else rarely("0.00390625", "0.5"), "FAST_RECOVERY_TIMES": dice.choice(("1", "2", "5")),
        "RATE_AI": dice.choice(("20Mb/s", "50Mb/s", "500Mb/s")), "RATE_HAI": dice.choice(("100Mb/s", "2Gb/s")),
        "MIN_RATE": dice.choice(("100Mb/s", "1000Mb/s")), "DCTCP_RATE_AI": rarely("615Mb/s", "5000Mb/s"),
        "L2_CHUNK_SIZE": rarely("4000", "1000", "8000"), "L2_ACK_INTERVAL": rarely("1", "1000", "4000", "20000"),
        "HAS_WIN": str(int(windows)), "VAR_WIN": dice.choice(("0", "1")), "GLOBAL_T": rarely("1", "0"),
        "FAST_REACT": dice.choice(("0", "1")), "U_TARGET": rarely("0.95", "0.8"), "MI_THRESH": dice.choice(("0", "0", "1", "5")),
        "INT_MULTI": dice.choice(("1", "2", "4", "8")), "MULTI_RATE": rarely("0", "1"), "SAMPLE_FEEDBACK": rarely("0", "1"),
        "PINT_LOG_BASE": dice.choice(("1.01", "1.05")), "PINT_PROB": rarely("1.0", "0.5"), "RATE_BOUND": rarely("1", "0"), "ACK_HIGH_PRIO": dice.choice(("0", "1")),
        "BUFFER_SIZE": dice.choice(("1", "2", "8", "32"))})
    return config


def make_world(seed):
    dice = random.Random(seed)
    mode = list(MODES)[seed % len(MODES)]
    config = make_config(dice, mode)
    hosts, switches, links, trunks = make_shape(dice)
    world = {"seed": seed, "config": config, "hosts": hosts, "switches": switches,
             "links": make_links(dice, hosts, links, trunks, mode),
             "flows": make_flows(dice, hosts, int(config["PACKET_PAYLOAD_SIZE"]))}
    if dice.random() < 0.35:
        crowd_buffer(dice, world)
    return world


def make_conweave_config(dice, balancer):
    usual = make_config(dice, "dcqcn")
    config = {name: usual.get(name, value) for name, value in USUAL_CONWEAVE.items()}
    config.update({
        "LB_MODE": BALANCERS[balancer], "RANDOM_SEED": str(dice.randint(1, 1000)), "HAS_WIN": dice.choice("0001"), "L2_ACK_INTERVAL": "1",
        "BUFFER_SIZE": dice.choice("1129"), "CONWEAVE_TX_EXPIRY_TIME": dice.choice(("3", "10", "30", "300", "1000")),
        "CONWEAVE_REPLY_TIMEOUT_EXTRA": dice.choice("0014"), "CONWEAVE_PATH_PAUSE_TIME": dice.choice(("1", "8", "16")),
        "CONWEAVE_EXTRA_VOQ_FLUSH_TIME": dice.choice(("0", "2", "16", "64")),
        "CONWEAVE_DEFAULT_VOQ_WAITING_TIME": dice.choice(("0", "3", "20", "200"))})
    return config


def crowd_conweave_buffer(dice, world):
    """Raises rates, and with them headrooms, until a switch has little buffer left. Few packets then fill its classes."""
    world["config"].update({"BUFFER_SIZE": "1", "PACKET_PAYLOAD_SIZE": dice.choice(("1000", "4000"))})
    nodes = range(world["hosts"], world["hosts"] + world["switches"])
    rates = sorted(RATES, key=minisim.parse_rate)
    for link in dice.sample(world["links"], len(world["links"])):
        old, link[2] = link[2], rates[-1]
        if any(left_of(world, node) < 20_000 for node in nodes):
            link[2] = old
    if dice.random() < 0.7:
        world["flows"] = make_burst(dice, world)


def crowd_trunks(dice, world):
    """Adds a few long flows between two racks, over trunks slower than hosts: answers are late, and packets overtake others."""
    host_rate, trunk_rate = dice.choice((("100Gbps", "100Gbps"), ("100Gbps", "50Gbps"), ("100Gbps", "25Gbps"), ("200Gbps", "100Gbps")))
    racks = {}
    for link in world["links"]:
        link[2] = host_rate if link[0] < world["hosts"] else trunk_rate
        if link[0] < world["hosts"]:
            racks.setdefault(link[1], []).append(link[0])
    far, near = dice.sample(list(racks.values()), 2)
    payload, count = int(world["config"]["PACKET_PAYLOAD_SIZE"]), dice.randint(3, 8)
    starts = sorted(dice.choice((0, 0, dice.randint(0, 10_000))) for _ in range(count))
    world["flows"] = [[dice.choice(far), dice.choice(near), 3, 100, payload * dice.randint(PACKETS_MAX // count // 2, PACKETS_MAX // count),
                       f"2.{start:09d}"] for start in starts]


def left_of(world, node):
    """Returns the part of a switch's buffer that headrooms and minima leave."""
    ports = [link for link in world["links"] if node in link[:2]]
    headrooms = sum(minisim.parse_rate(rate) * minisim.parse_delay(delay) // 8 // 10**9 * 2 + 2096 for _, _, rate, delay in ports)
    return int(world["config"]["BUFFER_SIZE"]) * 1024 * 1024 - headrooms - 14596 - 8384 * len(ports)


def make_conweave_world(seed):
    """Makes a world for the ConWeave fork, which needs links of 1 us; only ECMP has others here. Balancers other than ECMP need
    ToRs that are two to four links apart. Model conweave has the fork's order of paths for LetFlow and CONGA only if links are
    sorted. LetFlow counts no flowlets on a single path."""
    dice = random.Random(seed)
    balancer = list(BALANCERS)[seed % len(BALANCERS)]
    config = make_conweave_config(dice, balancer)
    shapes = ("two tiers", "fat tree") if balancer != "ecmp" or dice.random() < 0.5 else ("star", "dumbbell", "tree", "mesh")
    hosts, switches, links, trunks = make_shape(dice, shapes)
    while balancer == "letflow" and len({b for _, b in trunks}) == 1:
        hosts, switches, links, trunks = make_shape(dice, shapes)
    world = {"seed": seed, "config": config, "hosts": hosts, "switches": switches,
             "links": make_links(dice, hosts, links, trunks, "dcqcn"), "flowlet_us": dice.choice((1, 2, 5, 20, 100)),
             "flows": make_flows(dice, hosts, int(config["PACKET_PAYLOAD_SIZE"]))}
    for link in world["links"]:
        if balancer != "ecmp" or seed % 3:
            link[3] = "1000ns"
    if balancer in ("letflow", "conga"):
        world["links"].sort(key=lambda link: link[:2])
    if dice.random() < 0.5:                            # as in the fork's own networks
        for link in world["links"]:
            link[2] = "100Gbps"
    for flow in world["flows"]:
        flow[2] = max(2, flow[2])                      # class 1 has its own buffer in the fork
    if balancer != "ecmp" and dice.random() < 0.7:
        crowd_trunks(dice, world)
    elif dice.random() < 0.7:
        crowd_conweave_buffer(dice, world)
        for flow in world["flows"]:
            flow[2] = max(2, flow[2])
    while any(left_of(world, node) < 20_000 for node in range(hosts, hosts + switches)):
        config["BUFFER_SIZE"] = str(int(config["BUFFER_SIZE"]) + 1)
    return world


def is_conweave(world):
    return "flowlet_us" in world


def write_world(world, folder):
    folder.mkdir(parents=True, exist_ok=True)
    nodes = world["hosts"] + world["switches"]
    (folder / "config.txt").write_text("".join(f"{name} {value}\n" for name, value in world["config"].items()))
    lines = [f"{nodes} {world['switches']} {len(world['links'])}", " ".join(map(str, range(world["hosts"], nodes)))]
    lines += [f"{a} {b} {rate} {delay} 0" for a, b, rate, delay in world["links"]]
    (folder / "topology.txt").write_text("\n".join(lines) + "\n")
    fields = (0, 1, 2, 4, 5) if is_conweave(world) else range(6)
    lines = [f"{len(world['flows'])}"] + [" ".join(f"{flow[i]}" for i in fields) for flow in world["flows"]]
    (folder / "flow.txt").write_text("\n".join(lines) + "\n")
    scenario = {"hpcc": "config.txt"}
    if is_conweave(world):
        scenario["knobs"] = {"flowlet_timeout": f"{world['flowlet_us']}us"}
    (folder / "s.yaml").write_text(json.dumps(scenario) + "\n")


# ---- comparing

def run_anole(folder, world):
    """Returns (lines of the fct file, lines of the pfc file, counts)."""
    seed = int(world["config"].get("RANDOM_SEED", world["seed"]))
    fct, pfc = folder / "anole.fct", folder / "anole.pfc"
    command = [fidelity.program(), "run", f"{folder}/s.yaml", "--seed", f"{seed}", "--format", "json",
               "--hpcc-fct", f"{fct}", "--hpcc-pfc", f"{pfc}"]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    if ended.returncode != 0:
        raise fidelity.Different(f"{FAILED} {ended.returncode}: {ended.stderr.strip()}")
    counts = {}
    if is_conweave(world):
        made = json.loads(ended.stdout)
        counts = {**made.get("conweave", {}), **{name: made["packets"][anole] for name, anole in COUNTS.items()}}
    return *(fidelity.lines_of(path.read_text()) for path in (fct, pfc)), counts


def run_rules(folder, world):
    counts = {}                                        # {name: (least, most)}: packets in flight after the last flow may count
    if is_conweave(world):
        result = minisim_conweave.Simulation(folder, world["flowlet_us"] * 1000).run()
        counts = {name: (result.counts[name], most) for name, most in result.later.items()}
        fct = [" ".join([*(f"{minisim.address(int(node)):08x}" for node in line.split()[:2]), *line.split()[2:]])
               for line in result.fct]
    else:
        result = minisim.Simulation(folder, world["seed"]).run()
        fct = result.fct
    (folder / "rules.fct").write_text("".join(f"{line}\n" for line in fct))
    (folder / "rules.pfc").write_text("".join(f"{line}\n" for line in result.pfc))
    return fct, result.pfc, counts


COUNTS = {"drops": "dropped_buffer", "nacks": "nacks_sent", "flowlets": "flowlets", "timeouts": "timeouts"}


def by_flow(lines):
    return {tuple(line.split()[:4]): line.split() for line in lines}


def first_difference(ours, theirs):
    """Describes the first flow that ends differently, or the first different PFC frame; None if all are equal."""
    flows, others = by_flow(ours[0]), by_flow(theirs[0])
    different = [key for key in {**flows, **others} if flows.get(key) != others.get(key)]
    if different:
        def end(key):
            return min(int(line[5]) + int(line[6]) for line in (flows.get(key), others.get(key)) if line)

        def shown(line):
            return f"start {line[5]} fct {line[6]} alone {line[7]}" if line else "does not end"

        key = min(different, key=lambda key: (end(key), key))
        src, dst = (int(word, 16) >> 8 & 0xffff for word in key[:2])
        return (f"{len(different)} of {len(others)} flows differ, first {src} -> {dst} port {key[2]}: "
                f"anole {shown(flows.get(key))}, rules {shown(others.get(key))}")
    if ours[1] != theirs[1]:
        pairs = zip(ours[1] + ["none"] * len(theirs[1]), theirs[1] + ["none"] * len(ours[1]))
        a, b = next((a, b) for a, b in pairs if a != b)
        return f"all flows equal; first PFC frame that differs: anole {a}, rules {b}"
    counts = []
    for name, count in ours[2].items():
        least, most = theirs[2].get(name, (0, 0))
        if not least <= count <= most:
            counts.append(f"{name}: anole {count}, rules {least} to {most}")
    return f"all flows and PFC frames equal; counts differ: {'; '.join(counts)}" if counts else None


def difference(world, folder, planted=None):
    """Writes a world to 'folder' and describes the differences; only anole gets the 'planted' settings."""
    write_world({**world, "config": {**world["config"], **(planted or {})}}, folder)
    try:
        ours = run_anole(folder, world)
    except fidelity.Different as why:
        return str(why)
    if planted:
        write_world(world, folder)
    return first_difference(ours, run_rules(folder, world))


# ---- shrinking

def without_flows(world, dropped):
    return {**world, "flows": [flow for i, flow in enumerate(world["flows"]) if i not in dropped]}


def without_node(world, node):
    """Removes a node from the world and renumbers the others; None if a flow or another switch needs it."""
    if any(node in flow[:2] for flow in world["flows"]) or world["hosts"] + world["switches"] <= 3:
        return None
    kept = [link for link in world["links"] if node not in link[:2]]
    is_host = node < world["hosts"]
    if not is_host and len(world["links"]) - len(kept) > 1:
        return None
    links = [[*(end - (end > node) for end in link[:2]), *link[2:]] for link in kept]
    flows = [[*(end - (end > node) for end in flow[:2]), *flow[2:]] for flow in world["flows"]]
    return {**world, "hosts": world["hosts"] - is_host, "switches": world["switches"] - (not is_host),
            "links": links, "flows": flows}


def smaller_flows(world):
    count = len(world["flows"])
    size = count // 2
    while size:
        for start in range(0, count, size):
            if size < count:
                yield without_flows(world, range(start, start + size))
        size //= 2


def smaller_networks(world):
    for node in reversed(range(world["hosts"] + world["switches"])):
        smaller = without_node(world, node)
        if smaller:
            yield smaller


def plainer_settings(world):
    usual = {**(USUAL_CONWEAVE if is_conweave(world) else USUAL), **thresholds(), "CC_MODE": world["config"]["CC_MODE"]}
    if is_conweave(world):
        usual["LB_MODE"] = world["config"]["LB_MODE"]
    for name, value in usual.items():
        if world["config"][name] != value:
            yield {**world, "config": {**world["config"], name: value}}
    for kind, value in ((2, "100Gbps"), (3, "1us")):
        for chosen in (range(len(world["links"])), *([i] for i in range(len(world["links"])))):
            if any(world["links"][i][kind] != value for i in chosen):
                made = copy.deepcopy(world)
                for i in chosen:
                    made["links"][i][kind] = value
                yield made
    for i, flow in enumerate(world["flows"]):
        for kind, value in ((2, 3), (3, 100), (4, flow[4] // 2), (4, flow[4] // 1000 * 1000)):
            if value and flow[kind] != value:
                made = copy.deepcopy(world)
                made["flows"][i][kind] = value
                yield made


def is_same_kind(a, b):
    """Whether both are differences or both are failed runs: shrinking must not turn one into the other."""
    return a is not None and a.startswith(FAILED) == b.startswith(FAILED)


def shrink(world, folder, planted=None, tries_max=400):
    """Returns the smallest world found that still differs. After a success, each step tries all remaining parts again."""
    tries, first = 0, difference(world, folder, planted)
    for candidates in (smaller_flows, smaller_networks, plainer_settings, smaller_flows, smaller_networks):
        is_smaller = True
        while is_smaller and tries < tries_max:
            is_smaller = False
            for candidate in candidates(world):
                tries += 1
                if tries > tries_max:
                    break
                if is_same_kind(difference(candidate, folder, planted), first):
                    world, is_smaller = candidate, True
                    break
    difference(world, folder, planted)
    return world


# ---- cases

def check_world(world, kept, planted=None):
    """Raises Different with the details of a difference."""
    with tempfile.TemporaryDirectory(prefix="anole-differential-") as work:
        why = difference(world, pathlib.Path(work) / "world", planted)
    if why is None:
        return
    folder = kept / f"{'conweave-' if is_conweave(world) else ''}seed-{world['seed']}"
    shutil.rmtree(folder, ignore_errors=True)
    difference(world, folder, planted)
    smallest = shrink(world, folder / "minimal", planted)
    (folder / "minimal" / "world.json").write_text(json.dumps(smallest) + "\n")
    raise fidelity.Different(
        f"seed {world['seed']}: {why}\n# {folder}: the world, and {folder}/minimal: {len(smallest['flows'])} flows, {smallest['hosts']} hosts: "
        f"{difference(smallest, folder / 'minimal', planted)}")


def outcome(make, seed, kept):
    try:
        check_world(make(seed), kept)
    except fidelity.Different as why:
        return str(why)
    return None


def check_outcome(future):
    why = future.result()
    if why:
        raise fidelity.Different(why)


def is_modelled(folder):
    try:
        minisim.Simulation(folder)
    except ValueError:
        return False
    return True


def check_recording(folder):
    """Compares minisim.py itself with recordings of the fork."""
    for path in sorted(folder.glob("fct-seed*")):
        seed = int(path.name.split(".")[0].removeprefix("fct-seed"))
        line, is_equal = minisim.difference(folder, seed)
        print(f"# {line}")
        if not is_equal:
            raise fidelity.Different(line)


def check_planted():
    """A planted difference is found and shrunk to two flows: with one, no packet waits and none is marked."""
    world = {"seed": 1, "config": {**USUAL, **thresholds()}, "hosts": 5, "switches": 1,
             "links": [[host, 5, "100Gbps", "1us"] for host in range(5)],
             "flows": [[host, 4, 3, 100, 200_000, "2.000000000"] for host in range(4)]}
    with tempfile.TemporaryDirectory(prefix="anole-differential-") as kept:
        kept = pathlib.Path(kept)
        if difference(world, kept / "equal"):
            raise fidelity.Different("a world that should be equal is not")
        try:
            check_world(world, kept, {"RATE_DECREASE_INTERVAL": "1"})
        except fidelity.Different as why:
            print(f"# {str(why)}")
            smallest = json.loads((kept / "seed-1" / "minimal" / "world.json").read_text())
            if (len(smallest["flows"]), smallest["hosts"]) != (2, 3):
                raise fidelity.Different("it was not shrunk to two flows and three hosts") from why
            return
    raise fidelity.Different("a difference that was put in was not found")


def check_starts(kept):
    """A frame of 49 bytes takes 0 ns at 400 Gb/s. Flows that start at that time start before its port is free again."""
    links = [[3, 0, "100Gbps", "1us"], [3, 1, "400Gbps", "1us"], [3, 2, "400Gbps", "1us"]]
    flows = [[src, 0, 3, 100, size, "2.000000000"] for src, size in ((2, 1), (2, 1000), (1, 1000))]
    check_world({"seed": 0, "config": {**USUAL, **thresholds(), "CC_MODE": "8"}, "hosts": 3, "switches": 1, "links": links,
                 "flows": flows}, kept)


def check_conweave_settings(kept):
    """Windows equal those of the fork, also with unlike hosts, and RATE_BOUND 0 lets packets follow without gaps."""
    links = [[0, 3, "400Gbps", "1000ns"], [1, 3, "100Gbps", "1000ns"], [2, 4, "50Gbps", "1000ns"], [3, 4, "100Gbps", "1000ns"]]
    flows = [[src, 1, 3, 0, 200_000, "2.000000000"] for src in (0, 2)]
    for changed in ({"HAS_WIN": "1"}, {"HAS_WIN": "1", "GLOBAL_T": "0"}, {"RATE_BOUND": "0"}):
        check_world({"seed": 0, "config": {**USUAL_CONWEAVE, **thresholds(), **changed}, "hosts": 3, "switches": 2,
                     "links": links, "flows": flows, "flowlet_us": 100}, kept)


def check_conweave_recording(folder, name=None, lb="ecmp", flowlet_us=100):
    """Compares minisim_conweave.py itself with recordings of the fork; for a long run, the first 100 us."""
    settings = {"recording": (f"fct-{name}.txt", f"pfc-{name}.txt"), "until_ns": 2_000_100_000,
                "balancer": int(BALANCERS[lb]), "flowlet_ns": flowlet_us * 1000} if name else {}
    line, is_equal = minisim_conweave.difference(folder, **settings)
    print(f"# {line}")
    if not is_equal:
        raise fidelity.Different(line)


def conweave_cases(kept):
    folder = fidelity.FOLDERS.parent
    yield fidelity.Case("conweave_settings", lambda: check_conweave_settings(kept), None)
    yield fidelity.Case("conweave_recording__tiny2", lambda: check_conweave_recording(folder / "weave" / "tiny2"), None)
    for lb, us in (("ecmp", 100), ("letflow", 5)):
        yield fidelity.Case(f"conweave_recording__{lb}", lambda lb=lb, us=us: check_conweave_recording(
            folder / "conweave" / "k4_websearch70", lb if lb == "ecmp" else f"{lb}{us}", lb, us), None)
    yield fidelity.Case("conweave_recording__conga", lambda: check_conweave_recording(
        folder / "conweave" / "k4_short", "conga5", "conga", 5), None)


def parse_options():
    parser = argparse.ArgumentParser(description="Compares anole with a second form of its rules on random worlds.")
    parser.add_argument("--seeds", type=int, default=20, metavar="N", help="as many worlds of model hpcc (default: 20)")
    parser.add_argument("--conweave", type=int, default=12, metavar="N", help="as many of model conweave (default: 12)")
    parser.add_argument("--from", type=int, default=1, dest="first", metavar="N", help="first seed (default: 1)")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="as many at a time")
    parser.add_argument("--keep", type=pathlib.Path, default=pathlib.Path("build/differential"), metavar="DIR",
                        help="where worlds that differ are kept")
    return parser.parse_args()


def main():
    options = parse_options()
    recordings = [fidelity.FOLDERS / "s0", *filter(is_modelled, sorted((fidelity.FOLDERS.parent / "random").iterdir()))]
    with concurrent.futures.ProcessPoolExecutor(options.jobs) as pool:
        cases = [fidelity.Case("planted", check_planted, None),
                 fidelity.Case("starts", lambda: check_starts(options.keep), None)]
        cases += [fidelity.Case(f"recording__{folder.name}", lambda folder=folder: check_recording(folder), None)
                  for folder in recordings]
        cases += conweave_cases(options.keep)
        for name, make, count in (("world", make_world, options.seeds), ("conweave", make_conweave_world, options.conweave)):
            for seed in range(options.first, options.first + count):
                future = pool.submit(outcome, make, seed, options.keep)
                cases.append(fidelity.Case(f"{name}__seed_{seed}", lambda future=future: check_outcome(future), None))
        return fidelity.run_cases(cases)


if __name__ == "__main__":
    sys.exit(not main())
