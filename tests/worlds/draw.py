"""tests/worlds/draw.py - draws a complete world from a seed.

Swarm testing: each seed switches most features off at random, so some worlds have a lone flow over unlike links and some have
everything. Keys, knobs, their units and bounds are the program's own lists (`anole list`), so a new one is drawn too. Worlds
are small: about 'packets' data packets in all.
"""
import random
import re

import replay
from network import host_count, network
from trial import listed
from world import World, size

RATES = (10, 25, 40, 50, 100, 200, 400, 800)
UET_BALANCERS = ("oblivious", "bitmap", "reps", "reps_legacy", "mixed")


class Dice(random.Random):
    """Random choices of one world."""

    def __init__(self, seed):
        super().__init__(f"world {seed}")
        self.level = self.choice((0, 0.1, 0.3, 0.6))
        self.features = {}

    def has(self, feature, share=1.0):
        """Whether this world has a feature at all: drawn once."""
        return self.features.setdefault(feature, self.random() < self.level * share)

    def one_in(self, n):
        return self.random() * n < 1

    def log(self, low, high):
        """A whole number whose logarithm is uniform."""
        return round(low * (max(high, low) / low) ** self.random())

    def some(self, values, most=None):
        """Some of the values, in random order, at least one."""
        return self.sample(values, self.randint(1, max(1, min(len(values), most or len(values)))))


def time(value):
    """Picoseconds as text."""
    for unit, per in (("s", 10**12), ("ms", 10**9), ("us", 10**6), ("ns", 1000)):
        if value >= per and value * 1000 % per == 0:
            return f"{value / per:.10g}{unit}"
    return f"{value}ps"


def rate(dice, most=800):
    return f"{dice.choice([one for one in RATES if one <= most])}Gbps" if not dice.one_in(20) else f"{dice.randint(1000, most * 1000)}Mbps"


def delay(dice):
    """Mostly those of data centers, sometimes of a long cable."""
    return time(dice.log(10, 3000) * 1000 if not dice.one_in(12) else dice.log(5, 100) * 10**6)


def fabric(dice):
    return {"fabric_rate": rate(dice), "fabric_delay": delay(dice)} if dice.has("unlike") else {}


# ---- networks: the keys of each kind that the list does not bound

def draw_graph(dice, _world):
    """A random tree of switches with hosts anywhere, all links unlike; with cycles, more links between switches."""
    count, hosts = dice.randint(1, 5), dice.randint(2, 8)
    names = [f"s{i}" if not dice.has("names") else f"{dice.choice(('sw', 'Leaf-', 'a_'))}{i}" for i in range(count)]
    pairs = [(f"h{i}", dice.choice(names)) for i in range(hosts)]
    pairs += [(names[i], names[dice.randrange(i)]) for i in range(1, count)]
    for _ in range(dice.randint(1, 4) if count > 1 and dice.has("cycles") else 0):
        pairs.append(tuple(dice.sample(names, 2)))
    links = [{"a": a, "b": b, "rate": rate(dice), "delay": delay(dice)} for a, b in pairs]
    return {"hosts": hosts, "switches": names if dice.has("names") else count, "links": links}


def draw_hpcc(dice, world):
    """A tree of switches as a file of the HPCC fork, switches after hosts or before them."""
    hosts, count = dice.randint(2, 8), dice.randint(1, 4)
    first = hosts if dice.one_in(2) else 0
    switches = [first + i for i in range(count)]
    others = [node for node in range(hosts + count) if node not in switches]
    pairs = [(node, dice.choice(switches)) for node in others] + [(switches[i], switches[dice.randrange(i)]) for i in range(1, count)]
    world.files["topology.txt"] = "\n".join([f"{hosts + count} {count} {len(pairs)}", " ".join(map(str, switches))] + [
        f"{a} {b} {rate(dice)} {dice.log(10, 5000)}ns 0" for a, b in pairs]) + "\n"
    return {"file": "topology.txt"}


def draw_simai(dice, world):
    servers, gpus, switches = dice.randint(2, 3), dice.choice((2, 4)), dice.randint(1, 2)
    first, nodes = servers * gpus, servers * gpus + servers + switches
    rows = [f"{i} {first + i // gpus} 2880Gbps 0.000025ms 0" for i in range(first)]
    rows += [f"{i} {first + servers + i % switches} {dice.choice((100, 200, 400))}Gbps 0.0005ms 0" for i in range(first)]
    rows += [f"{first + servers} {first + servers + 1} 400Gbps 0.001ms 0"] * (switches - 1)
    listed_nodes = " ".join(str(first + i) for i in range(servers + switches))
    world.files["cluster.topo"] = f"{nodes} {gpus} {servers} {switches} {len(rows)} H100\n{listed_nodes}\n" + "\n".join(rows) + "\n"
    return {"file": "cluster.topo"}


def draw_htsim_topology(dice, world):
    per_tor, tors = dice.choice((2, 4)), dice.choice((2, 4))
    nodes, speed = per_tor * tors, dice.choice((100, 200, 400))
    world.files["net.topo"] = (
        f"Nodes {nodes}\nTiers 2\nPodsize {nodes}\nTier 0\nDownlink_speed_Gbps {speed}\nRadix_Down {per_tor}\nRadix_Up {per_tor}\n"
        f"Downlink_Latency_ns {dice.log(50, 2000)}\nTier 1\nDownlink_speed_Gbps {speed}\nRadix_Down {tors}\n"
        f"Downlink_Latency_ns {dice.log(50, 2000)}\n")
    return {"file": "net.topo"}


def draw_astra(dice, world):
    kinds = [dice.choice(("Ring", "FullyConnected", "Switch")) for _ in range(dice.randint(1, 2))]
    counts = [dice.randint(2, 4) for _ in kinds]
    world.files["network.yml"] = (f"topology: [ {', '.join(kinds)} ]\nnpus_count: [ {', '.join(map(str, counts))} ]\n"
                                  f"bandwidth: [ {', '.join(str(dice.choice((12.5, 25.0, 50.0))) for _ in kinds)} ]\n"
                                  f"latency: [ {', '.join(str(dice.log(50, 2000)) for _ in kinds)} ]\n")
    return {"file": "network.yml"}


NETWORKS = {                     # kind: weight, largest rate if it has rate and delay of its own, other keys
    "star": (3, 800, lambda d, w: {"hosts": d.randint(2, 9)}),
    "clos": (5, 800, lambda d, w: {"tors": d.randint(2, 4), "hosts_per_tor": d.randint(1, 4), "spines": d.randint(1, 4),
                                    "links": d.choice((1, 1, 2)), **fabric(d)}),
    "fat_tree": (2, 800, lambda d, w: {"k": d.choice((2, 4, 4))}),
    "rail_optimized": (2, 800, lambda d, w: {"servers": d.randint(2, 4), "gpus": d.choice((1, 2, 4)), "spines": d.randint(1, 3), **fabric(d)}),
    "hpn": (1, 200, lambda d, w: {"segments": d.randint(1, 2), "servers": d.randint(2, 3), "gpus": d.randint(1, 2), "aggs": d.randint(1, 3)}),
    "multi_plane": (2, 200, lambda d, w: {"planes": d.randint(1, 4), "tors": d.randint(2, 3), "hosts_per_tor": d.randint(1, 3),
                                           "spines": d.randint(1, 2), **fabric(d)}),
    "dragonfly": (1, 800, lambda d, w: {"groups": d.randint(2, 3), "routers": 2, "hosts_per_router": 2}),
    "dgx_h100_16": (0.3, 0, lambda d, w: {}), "paraleon_testbed": (0.1, 0, lambda d, w: {}),
    "acc_fabric": (0.1, 0, lambda d, w: {}), "rlcc_cluster": (0.3, 0, lambda d, w: {}),
    "graph": (7, 0, draw_graph), "hpcc": (1, 0, draw_hpcc), "simai": (0.7, 0, draw_simai),
    "htsim": (0.7, 0, draw_htsim_topology), "astra": (0.7, 0, draw_astra),
}


def draw_topology(dice, world):
    kind = dice.choices(list(NETWORKS), [row[0] for row in NETWORKS.values()])[0]
    _, has_links, rest = NETWORKS[kind]
    topology = world.scenario["topology"] = {"kind": kind, **({"rate": rate(dice, has_links), "delay": delay(dice)} if has_links else {}), **rest(dice, world)}
    net = network(world)
    links = [tuple(link[:2]) for link in net.links] if net else []
    inner = [link for link in links if not link[0].startswith("h")]
    if dice.has("unlike") and kind not in ("graph", "hpcc") and links:
        topology["link_rates"] = [{"a": a, "b": b, "rate": rate(dice)} for a, b in dict.fromkeys(dice.some(links, 4))]
    if dice.has("loss", 0.4):
        topology[dice.choice(("ber", "loss"))] = dice.choice((1e-8, 1e-7, 1e-6))
    if inner and dice.has("failures", 0.5):
        topology["links_down"] = [
            {"a": a, "b": b, "down": time(dice.log(1, 100) * 10**6), **({"up": time(dice.log(101, 400) * 10**6)} if dice.one_in(2) else {})}
            for a, b in dict.fromkeys(dice.some(inner, 2))]


# ---- keys, generically

def value_of(dice, key):
    """A value of a row of `anole list key`. None: a name, list or map that only a rule below can draw."""
    unit, low, high = key["unit"], key.get("min"), key.get("max")
    choices = key.get("choices") or []
    if choices and (unit == "name" or dice.one_in(4)):
        return dice.choice(choices)

    def within(value):
        return max(low or 0, min(high or value, value))
    if unit == "yes/no":
        return dice.one_in(2)
    if unit == "count":
        return round(within(dice.log(1, 8)))
    if unit == "time":
        return time(round(within(dice.log(10**5, 2 * 10**8))))
    if unit == "bytes":
        return round(within(dice.log(200, 200000)))
    if unit == "rate":
        return rate(dice)
    return round(within(dice.random()), 3) if unit == "share" else None


def classes(dice, most=2):
    return dice.sample(range(6), dice.randint(1, most))


def thresholds(dice, **which):
    kmin = dice.log(5, 400)
    return {**which, "kmin": f"{kmin}KB", "kmax": f"{kmin * dice.choice((1, 2, 4))}KB", "pmax": dice.choice((0.01, 0.2, 1))}


# What the lists cannot say: values that are seldom refused, by section and key. None: drawn elsewhere, or left out.
SENSIBLE = {
    "": {"seed": lambda d: d.randint(1, 1000), "interval": lambda d: time(d.log(2, 500) * 10**6), "goal": lambda d: "p99_slowdown",
         "nic": lambda d: d.choice([nic["name"] for nic in listed("nic")]), "run": None},
    "host": {
        "mtu": lambda d: d.choice((256, 512, 1000, 1024, 1500, 4096, 9000, d.randint(64, 9000))),
        "ack_class": lambda d: d.choice(("data", 5)), "idle_reset": lambda d: d.choice(("never", "0", time(d.log(1, 500) * 10**6))),
        "rto": lambda d: d.choice(("auto", time(d.log(500, 9000) * 10**6))), "rx_buffer": lambda d: f"{d.log(100, 1000)}KB",
        "window": lambda d: d.choice(("none", "bdp", f"{d.log(20, 1000)}KB")), "tx_fifo": lambda d: f"{d.log(1, 64)}KB",
        "drain_hosts": lambda d: d.randint(1, 2)},
    "switch": {
        "asic": lambda d: d.choice([asic["name"] for asic in listed("asic")]), "buffer": None,
        "lossless": lambda d: not d.one_in(2), "lossy": classes, "alpha": lambda d: 0.5 ** d.randint(0, 5),
        "headroom": lambda d: f"{d.log(20, 200)}KB", "strict": lambda d: [*classes(d), 6], "reserve": lambda d: d.log(64, 8192),
        "weights": lambda d: [d.randint(1, 20) for _ in range(8)], "ecn_cell": lambda d: d.choice((64, 208, 256)),
        "latency": lambda d: f"{d.randint(1, 900)}ns", "ecn_lag": lambda d: f"{d.randint(1, 900)}ns",
        "pause_time": lambda d: f"{d.log(5, 50)}us", "resume_offset": lambda d: d.log(64, 8192), "lossy_queue": lambda d: f"{d.log(100, 2000)}KB",
        "ecn_by_rate": lambda d: [thresholds(d, rate=f"{r}Gbps") for r in d.sample(RATES, 2)],
        "ecn_by_class": lambda d: [{"class": c, **thresholds(d)} for c in classes(d)]},
    "lb": {"kind": None, "weighted": lambda d: d.one_in(2)}, "fidelity": {"kind": None}, "rlcc": {"range": None,
        "model": lambda d: d.choice(("trees", "exported", "mlp", "int8", "lstm", "int8_lstm"))},
    "monitor": {"kind": lambda d: d.some([m["name"] for m in listed("monitor")], 2), "heavy": lambda d: f"{d.log(1, 64)}KiB",
                "light": lambda d: f"{d.log(1, 64)}KiB"},
    "traffic": {"kind": None, "name": None, "start": None, "stop": None, "for": None, "influx": None,
                "prio": lambda d: d.randint(0, 5), "qps": lambda d: d.choice(("fresh", 1, 2, 3))},
}


def draw_section(dice, section, share=0.4, model="nic"):
    """Random keys of a section of the scenario. Keys "with" another one need it."""
    values = {}
    for key in listed("key"):
        needs = re.match(r"(?:with (\w+)|(?:model (\w+)))\b", key["about"])
        if key["section"] != section or not dice.has(f"{section} {key['name']}", share):
            continue
        if needs and ((needs[1] and needs[1] not in values) or (needs[2] and needs[2] != model)):
            continue
        if model == "uet" and section == "host" and key["name"] not in ("mtu", "ack_every", "rto"):
            continue
        rule = SENSIBLE.get(section, {}).get(key["name"], lambda d, row=key: value_of(d, row))
        value = rule(dice) if rule else None
        if value is not None:
            values[key["name"]] = value
    return values


def draw_knobs(dice, share):
    """Random values of knobs within their bounds."""
    knobs = {}
    for knob in listed("knob"):
        low, high, first = knob["min"], knob["max"], knob["initial"]
        if not dice.has(f"knob {knob['name']}", share):
            continue
        if high - low <= 31 and low == int(low) and high > 1 and first == int(first):
            knobs[knob["name"]] = dice.randint(int(low), int(high))
        elif high <= 1:
            knobs[knob["name"]] = dice.choice((low, high)) if first in (0, 1) else round(dice.uniform(max(low, 0.01), high), 4)
        else:
            knobs[knob["name"]] = dice.log(max(low, first / 8, 1), min(high, max(first, 8) * 8))
    if {"kmin", "kmax"} & set(knobs) or dice.has("low thresholds"):
        knobs["kmin"], knobs["kmax"] = (low := dice.log(5, 400)), low * dice.choice((1, 2, 4))
    for low, high in (("timely_tlow", "timely_thigh"), ("hf2t_min", "hf2t_max")):
        if {low, high} & set(knobs):
            knobs[low], knobs[high] = (value := dice.log(5, 100)), value * 4
    return knobs


# ---- traffic: each kind's sizes, so that it sends about so many packets of 'mtu' bytes

class Task:
    """What a kind of traffic is drawn for."""

    def __init__(self, dice, world, packets, mtu):
        self.dice, self.world, self.payload, self.mtu = dice, world, packets * mtu, mtu
        self.count, net = host_count(world), network(world)
        self.rates = [net.rate(host) for host in net.hosts] if net else [10**11] * self.count
        self.few = dice.randint(2, min(self.count, 9))       # hosts of patterns that grow with the square

    def hosts(self, least=1):
        """Some hosts, as a list or as a count of the first."""
        some = self.dice.sample(range(self.count), self.dice.randint(least, min(self.count, 9)))
        return [f"h{i}" for i in some] if self.dice.one_in(2) else len(some)

    def each(self, messages):
        """Size of a message, log-uniform, at most twice its share of the payload."""
        return max(1, self.dice.log(1, 2 * self.payload // max(1, messages) + 1))

    def stop(self, bits=None, share=1.0):
        """When so many bytes are sent if all hosts send at this share of their rates."""
        return f"{max(12, round(self.payload * 8 / (share * (bits or sum(self.rates))) * 1e6))}us"

    def load(self):
        """A load that the slowest host can carry next to two others."""
        return round(self.dice.uniform(0.05, 0.25) * min(self.rates) * len(self.rates) / sum(self.rates), 4)

    def sizes(self):
        mean = self.dice.log(100, self.payload // 8 + 101)
        return [[max(1, mean // 4), 0.5], [mean, 0.9], [mean * 4, 1]]

    def file(self, name, data):
        name = f"{name.partition('.')[0]}{len(self.world.files)}{''.join(name.partition('.')[1:])}"
        self.world.files[name] = data
        return name


def cpu_time(dice):
    return dice.choice((f"{dice.log(100, 3000)}ns", "1us..3us", "exp 1us"))


def draw_flows(t):
    """A list in the HPCC fork's format: source, destination, class, port, bytes, seconds."""
    d, count = t.dice, 1 if t.dice.level == 0 else t.dice.log(1, 60)
    spread = d.choice((0, 1000, 100000, 10**6))
    base = 2 if d.one_in(6) and not {"interval", "monitor", "tuner"} & set(t.world.scenario) else 0         # a long silence
    rows = sorted((d.randint(0, spread), *d.sample(range(t.count), 2), d.choice((3, 3, 1)) if d.has("classes") else 3, t.each(count))
                  for _ in range(count))
    return {"file": t.file("flows.txt", f"{count}\n" + "".join(
        f"{a} {b} {prio} 4791 {length} {base}.{at:09d}\n" for at, a, b, prio, length in rows))}


def draw_training(t):
    d, workers, iterations = t.dice, t.few, t.dice.randint(1, 3)
    entry = {"workers": workers if d.one_in(2) else [f"h{i}" for i in d.sample(range(t.count), workers)], "iterations": iterations}
    size_of = lambda: max(workers, t.each(iterations * workers))                     # pylint: disable=unnecessary-lambda-assignment
    kinds = next(key["choices"] for key in listed("key") if (key["section"], key["name"]) == ("traffic training", "collective"))
    if d.has("steps", 0.5):
        steps = [{"collective": d.choice(kinds), "size": size_of() // 2 + 9, **({"compute": f"{d.log(1, 50)}us"} if d.one_in(2) else {}),
                  **({"overlap": True} if d.one_in(4) else {}), **({"times": 2} if d.one_in(4) else {})} for _ in range(d.randint(1, 3))]
        return {**entry, "steps": steps}
    if d.has("model", 0.3):
        return {**entry, "model": {"name": "llama_8b", "layers": 2, "hidden": 64, "ffn": 128, "heads": 4, "kv_heads": 2, "vocabulary": 128,
                                   "sequence": d.log(8, 128), "micro_batches": 2, "buckets": 2},
                "groups": {"tensor": d.choice([n for n in (1, 2) if workers % n == 0])}}
    entry.update(collective=d.choice(kinds), size=size_of())
    if d.one_in(2):
        entry["compute"] = f"{d.log(1, 50)}us"
    return entry


def draw_storage(t):
    d = t.dice
    nodes = max(1, t.count // 4)
    return {"replicas": d.randint(1, min(nodes, 16)), "preset": d.choice(("oltp", "vdi", "exchange")), "block_min": 512,
            "block_max": d.choice((512, 4096, 8192)), "depth": d.randint(1, 4), "stop": t.stop()}


TRAFFIC = {                      # kind: fewest hosts, its keys
    "flows": (2, draw_flows),
    "poisson": (2, lambda t: {"sizes": t.sizes(), "load": (load := t.load()), "stop": t.stop(share=load)}),
    "incast": (2, lambda t: {"senders": (n := t.dice.randint(1, min(t.count - 1, 12))), "size": t.each(n)}),
    "permutation": (2, lambda t: {"size": t.each(t.few), "hosts": t.few}),
    "all_to_all": (2, lambda t: {"size": t.each(t.few * t.few), "hosts": t.few}),
    "many_to_one": (2, lambda t: {"spread": f"{t.dice.log(1, 50)}us", "hosts": t.few - 1, "qps": (q := t.dice.randint(1, 4)), "size": t.each(q * t.few)}),
    "long_short": (3, lambda t: {"long_size": t.each(2), "shorts": t.dice.randint(1, 4), "short_size": t.each(16), "after": "2us",
                                 "period": time(t.dice.log(20, 100) * 10**6), "stop": "150us"}),
    "posted": (2, lambda t: {"pattern": "many_to_one", "hosts": t.few - 1, "outstanding": t.dice.randint(1, 3), "size": t.each(20) + 500,
                             "spread": "5us", "stop": t.stop(bits=min(t.rates))}),
    "storage": (4, draw_storage),
    "rpc": (2, lambda t: {"sizes": t.sizes(), "load": (load := t.load()), "stop": t.stop(share=load)}),
    "kv_cache": (2, lambda t: {"model": "deepseek_v3", "tensor": 1, "prompt": 1, "requests": 20000, "prefill": 1, "decode": 1, "stop": "100us"}),
    "training": (2, draw_training),
    "tcp": (2, lambda t: {"senders": (n := t.dice.randint(1, min(t.count - 1, 4))), "size": t.each(n), "prio": 1,
                          "algorithm": t.dice.choice(("newreno", "cubic", "dctcp"))}),
    "htsim": (2, lambda t: {"file": t.file("matrix.cm", replay.matrix(t.dice, t.count, t.each))}),
    "goal": (2, lambda t: {"file": t.file("trace.goal", replay.goal(t.dice, t.few, t.each)), "hosts": t.few}),
    "simai": (2, lambda t: {"file": t.file("workload.txt", replay.simai(t.dice, t.few, t.each)), "hosts": t.few}),
    "chakra": (2, lambda t: {"file": (prefix := replay.chakra(t.dice, t.few, t.each, t.world.files)), "groups": f"{prefix}.groups.json",
                             "hosts": t.few}),
    "external": (2, lambda t: {}),
}

# Further keys of a kind, each in one entry of four. Those of SENSIBLE_TRAFFIC by name, others by their unit.
SENSIBLE_TRAFFIC = {
    **{name: None for name in ("kind", "name", "prio", "qps", "file", "groups", "steps", "model", "dims", "logical", "prompts", "preset",
                               "sizes", "of", "verb", "pattern", "redraw", "chunk", "skip", "compute", "storage", "load", "tensor", "prompt",
                               "requests", "workers", "iterations", "period", "long", "from", "size", "block_min", "block_max", "replicas")},
    "hosts": lambda t: t.hosts(2), "receiver": lambda t: f"h{t.count - 1}", "clients": lambda t: t.count // 2 if t.count > 3 else None,
    "servers": lambda t: t.count // 2 if t.count > 3 else None, "collective": None, "prefill": lambda t: 1, "decode": lambda t: 1, "senders": None,
    "post_time": lambda t: cpu_time(t.dice), "poll_time": lambda t: cpu_time(t.dice), "think_time": lambda t: cpu_time(t.dice),
    "jitter": lambda t: f"{t.dice.log(1, 10)}us", "all_reduce": lambda t: t.dice.choice(("ring", "tree")),
    "algorithm": None, "mss": lambda t: t.dice.choice((536, 1448, 8948)), "min_rto": lambda t: f"{t.dice.log(1, 5)}ms",
    "shift": lambda t: 1, "flows": lambda t: t.dice.randint(1, 3), "pxn": None, "skew": None, "spread": None, "placement": None,
    "channels": None, "at_once": None, "step_cost": lambda t: f"{t.dice.log(100, 9000)}ns", "delay": lambda t: f"{t.dice.log(5, 100)}us",
    "burst": lambda t: f"{t.dice.log(2, 64)}KB", "long_size": None, "answer": lambda t: t.dice.log(1, 4000), "passes": lambda t: t.dice.randint(1, 2),
}


def draw_more(t, kind, entry):
    """Adds further keys to an entry."""
    for key in listed("key"):
        name = key["name"]
        if key["section"] != f"traffic {kind}" or name in entry or not t.dice.has(f"{kind} {name}", 0.35):
            continue
        rule = SENSIBLE_TRAFFIC.get(name, lambda t, row=key: value_of(t.dice, row))
        value = rule(t) if rule else None
        if value is not None and not (name == "receiver" and isinstance(entry.get("hosts"), list)):
            entry[name] = value
    if kind == "tcp":
        entry.pop("hosts", None)
    if kind == "training" and isinstance(entry["workers"], int) and t.dice.one_in(3):
        entry["placement"] = t.dice.choice(("packed", "spread"))
    if entry.get("collective") == "all_to_all":
        entry.update(t.dice.choice(({"at_once": True}, {"skew": round(t.dice.uniform(0.1, 2), 2)}, {})))
    if "ring" in entry.get("collective", "") and t.dice.one_in(2):
        entry.update(channels=t.dice.randint(1, 2), chunk=f"{t.dice.log(1, 64)}KB")
    if kind not in ("flows", "external"):
        common = draw_section(t.dice, "traffic", 0.5)
        if t.dice.one_in(3):
            common["start"] = time(t.dice.log(1, 100) * 10**6 + t.dice.randrange(10**6))
        if kind == "tcp" or t.world.model() in ("hpcc", "conweave"):
            common = {name: value for name, value in common.items() if name not in ("qps", "prio")}
        entry.update({name: value for name, value in common.items() if name not in entry})
    if "stop" in entry and t.dice.has("influx"):
        entry["influx"] = True
    if "stop" in entry and "start" in entry:
        entry["for"] = entry.pop("stop")


def draw_traffic(dice, world, packets, mtu):
    entries = 1 if dice.level == 0 else dice.randint(1, 3)
    task = Task(dice, world, max(1, packets // entries), mtu)
    kinds = [kind for kind, (least, _) in TRAFFIC.items() if task.count >= least and (kind != "external" or dice.one_in(10))]
    if world.model() != "nic":
        kinds = [kind for kind in kinds if kind not in ("tcp", "external", "posted")]
    world.scenario["traffic"] = []
    for _ in range(entries):
        kind = dice.choice(kinds)
        entry = {"kind": kind, **TRAFFIC[kind][1](task)}
        draw_more(task, kind, entry)
        if dice.has("named"):
            entry["name"] = f"{dice.choice(('job', 'back ground', 'x=1', 'a,b'))} {len(world.scenario['traffic'])}"
        world.scenario["traffic"].append(entry)


# ---- settings

def draw_control(dice, world):
    names = [cc["name"] for cc in listed("cc")]
    uet = [name for name in names if name in ("nscc", "rccc", "nscc_rccc", "nscc_dctcp")]
    rules = {"nic": [name for name in names if name not in uet or name == "nscc"], "uet": uet,
             "hpcc": ["dcqcn", "dcqcn_hpcc", "hpcc", "hpcc_pint", "timely", "dctcp", "none"], "conweave": ["dcqcn"]}
    if dice.has("cc", 0.8):
        world.scenario["cc"] = dice.choice(rules[world.model()])
    if world.model() == "nic" and dice.has("cc others", 0.3):
        kind, other = dice.sample(("dcqcn", "timely", "swift", "none", "rttcc"), 2)
        world.scenario["cc"] = {"kind": kind, "others": [{"kind": other, "hosts": 1}]}
    if world.kind("cc", "") == "rlcc" and (keys := draw_section(dice, "rlcc", 1)):
        world.scenario["rlcc"] = keys


def draw_balancer(dice, world):
    names = [lb["name"] for lb in listed("lb")]
    if world.model() != "uet":
        names = [name for name in names if name not in UET_BALANCERS]
    else:
        names = [name for name in names if name not in ("conga", "conweave")]
    if dice.has("lb", 0.7):
        keys = draw_section(dice, "lb")
        world.scenario["lb"] = {"kind": dice.choice(names), **keys} if keys else dice.choice(names)


def draw_changes(dice):
    at = 0
    rows = []
    for _ in range(dice.randint(1, 3)):
        at += dice.log(1, 200) * 10**6
        rows.append({"at": time(at), "knobs": {"kmin": (low := dice.log(5, 400)), "kmax": low * 2, "rpg_time_reset": dice.log(10, 600)}})
    return rows


def draw_tuner(dice):
    tuner = dice.choice([row for row in listed("tuner") if row["name"] != "rehearse" and row.get("options")])
    values = {"kind": tuner["name"]}
    for option in tuner["options"]:
        if option.get("choices") and dice.has(f"tuner {option['name']}", 0.2):
            values[option["name"]] = dice.choice(option["choices"])
    return values


# ---- keys that need others, or mean something in few worlds: (section, key, rule). They come last, so that a new row leaves the
# rest of a world as it is. A rule gets the entry or section, and returns None where the key has no place.

def nvlink(unit):
    return lambda d, w, t: {"rate": rate(d, 800), "time": time(d.log(50, 2000) * 1000)}[unit] if t.get("gpus", 2) > 1 else None


def some_hosts(d, w, most=3):
    return [f"h{i}" for i in sorted(d.sample(range(host_count(w)), d.randint(1, min(most, host_count(w)))))]


def again_and_again(d, _w, t):
    if "for" not in t:
        t.setdefault("stop", "200us")
    return time(d.log(5, 100) * 10**6)


FURTHER = [
    *[(f"topology {kind}", key, rule) for kind in ("rail_optimized", "hpn", "multi_plane", "dgx_h100_16")
      for key, rule in (("nvlink", nvlink("rate")), ("nvlink_delay", nvlink("time")))],
    ("topology rail_optimized", "unit", lambda d, w, t: d.randint(1, t["servers"])),
    ("topology rail_optimized", "links", lambda d, w, t: d.randint(1, 3)),
    ("topology multi_plane", "links", lambda d, w, t: d.randint(1, 3)),
    ("topology multi_plane", "gpus", lambda d, w, t: d.randint(1, t["hosts_per_tor"])),
    ("topology hpn", "fabric_rate", lambda d, w, t: rate(d)), ("topology hpn", "fabric_delay", lambda d, w, t: delay(d)),
    *[("topology dragonfly", key, rule) for part in ("fabric", "global")
      for key, rule in ((f"{part}_rate", lambda d, w, t: rate(d)), (f"{part}_delay", lambda d, w, t: delay(d)))],
    ("topology dragonfly", "global", lambda d, w, t: d.randint(1, 3)),
    ("graph links", "loss", lambda d, w, t: d.choice((1e-6, 1e-4))), ("graph links", "ber", lambda d, w, t: d.choice((1e-9, 1e-7))),
    ("links_down", "which", lambda d, w, t: d.randrange(links) if isinstance(links := w.get("topology.links", 1), int) else None),
    ("", "order", lambda d, w, t: d.choice(("node", "ns3")) if w.model() in ("hpcc", "conweave") else None),
    ("tuner", "start", lambda d, w, t: time(d.log(1, 100) * 10**6)), ("tuner", "monitor_delay", lambda d, w, t: time(d.log(1, 100) * 10**6)),
    ("tuner", "dispatch_delay", lambda d, w, t: time(d.log(1, 100) * 10**6)),
    ("host", "sleek", lambda d, w, t: True if w.model() == "uet" else None),
    ("others", "hosts", lambda d, w, t: some_hosts(d, w)),
    ("poisson", "of", lambda d, w, t: "bisection"), ("rpc", "of", lambda d, w, t: "bisection"),
    *[(kind, "verb", lambda d, w, t: d.choice(("write", "send", "read", "ud"))) for kind in ("rpc", "storage")],
    ("goal", "verb", lambda d, w, t: d.choice(("write", "send"))),
    *[(kind, "period", again_and_again) for kind in ("incast", "tcp", "posted")],
    ("posted", "redraw", lambda d, w, t: time(d.log(5, 50) * 10**6)),
    ("long_short", "spread", lambda d, w, t: time(d.log(1, 10) * 10**6)),
    ("long_short", "long", lambda d, w, t: [one for one in some_hosts(d, w) if one != t.get("receiver", f"h{host_count(w) - 1}")] or None),
    ("storage", "compute", lambda d, w, t: d.randint(1, max(1, host_count(w) // 2)) if "hosts" not in t else None),
    ("training", "skip", lambda d, w, t: 1 if isinstance(t.get("workers"), int) and t["workers"] < host_count(w) and "placement" not in t else None),
    ("training", "pxn", lambda d, w, t: True if t.get("collective") == "all_to_all" else None),
    *[(kind, key, rule) for kind in ("chakra", "simai")
      for key, rule in (("channels", lambda d, w, t: d.randint(1, 2)), ("chunk", lambda d, w, t: f"{d.log(1, 64)}KB"), ("pxn", lambda d, w, t: True))],
]


def parts_of(world):
    """(section, map) of a world, as FURTHER names them."""
    topology = world.scenario["topology"]
    yield from (("", world.scenario), (f"topology {topology['kind']}", topology))
    yield from ((name, world.scenario[name]) for name in ("tuner", "host") if name in world.scenario)
    yield from (("others", one) for one in (world.get("cc.others") or []))
    yield from (("links_down", row) for row in topology.get("links_down", []))
    yield from (("graph links", row) for row in (topology["links"] if topology["kind"] == "graph" else []))
    yield from ((entry["kind"], entry) for entry in world.traffic())


def draw_further(dice, world):
    for section, values in list(parts_of(world)):
        for where, key, rule in FURTHER:
            if where == section and dice.has(f"{where} {key}", 0.3) and (where != "graph links" or dice.one_in(3)):
                value = rule(dice, world, values)
                if value is not None:
                    values[key] = value


def lossy_or_endless(world):
    """Whether a run may last for ever: losses with go-back-N, and traffic that does not end."""
    switch, t = world.scenario.get("switch", {}), world.scenario["topology"]
    return (not switch.get("lossless", True) or "lossy" in switch or "headroom" in switch or "links_down" in t or t["kind"] in ("dragonfly", "astra")
            or world.model() in ("uet", "hpcc", "conweave") or "drain" in world.scenario.get("host", {}))


def fit_buffer(dice, world):
    """Gives switches a buffer that their headrooms leave something of, often little."""
    net, switch, classes_used = network(world), world.scenario.setdefault("switch", {}), 1
    classes_used += len({entry.get("prio", 3) for entry in world.traffic()} | ({1} if dice.has("classes") else set()))
    need = 0
    for node in net.next if net else ():
        ports = net.next[node]
        need = max(need, sum(2 * rate * delay / 8e12 + 4 * 9100 + 4096 + (size(switch["headroom"]) if "headroom" in switch else 0)
                             for _, rate, delay in ports) * classes_used)
    if need > 8e6 or (need and dice.has("small buffer")):
        switch["buffer"] = f"{dice.log(int(need * 1.5), int(need * 6)) // 1000 + 1}KB"
        switch.pop("asic", None)
    if not switch:
        del world.scenario["switch"]


def draw(seed):
    """The world of a seed."""
    dice, world = Dice(seed), World({})
    if dice.has("model", 0.5):
        world.scenario["model"] = dice.choice(("hpcc", "conweave", "uet", "uet"))
        if world.model() == "uet":
            dice.features["lossless"] = False
    model = world.model()
    draw_topology(dice, world)
    world.scenario.update(draw_section(dice, "", 0.5))
    draw_control(dice, world)
    draw_balancer(dice, world)
    for section in ("host", "switch", "monitor"):
        keys = draw_section(dice, section, 0.35, model)
        if model != "nic" or keys.get("retransmit") == "selective":
            keys = {name: value for name, value in keys.items() if name not in ("receives", "repost", "rnr_timer")}
        if keys and (section != "monitor" or "kind" in keys):
            world.scenario[section] = keys
    knobs = draw_knobs(dice, 0.3)
    if knobs:
        world.scenario["knobs"] = knobs
    if dice.has("changes", 0.4):
        world.scenario["changes"] = draw_changes(dice)
    if dice.has("tuner", 0.2) and model == "nic":
        world.scenario["tuner"] = draw_tuner(dice)
    mtu = size(world.get("host.mtu", 4096 if model == "uet" else 1024))
    draw_traffic(dice, world, dice.log(5, 3000), mtu)
    draw_further(Dice(f"{seed}, further"), world)
    fit_buffer(dice, world)
    if lossy_or_endless(world) or dice.has("end"):
        world.scenario["run"] = time(dice.log(100, 3000) * 10**6)
    return world
