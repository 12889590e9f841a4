"""tests/worlds/draw.py - draws a complete world from a seed.

Swarm testing: each seed switches most features off at random, so some worlds have a lone flow over unlike links and some
have everything. Keys, their units and bounds are the program's own list (`anole list key`), so a new key is drawn too.
Worlds are small: 'packets' bounds the data packets of all traffic.
"""
import random

from trial import listed
from world import World, network, size

RATES = (10, 25, 40, 50, 100, 200, 400, 800)


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
        return round(low * (high / low) ** self.random())

    def some(self, values, most=None):
        """Some of the values, in random order, at least one."""
        return self.sample(values, self.randint(1, min(len(values), most or len(values))))


def time(value):
    """Picoseconds as text."""
    for unit, per in (("s", 10**12), ("ms", 10**9), ("us", 10**6), ("ns", 1000)):
        if value >= per and value * 1000 % per == 0:
            return f"{value / per:.10g}{unit}"
    return f"{value}ps"


def rate(dice):
    return f"{dice.choice(RATES)}Gbps"


def delay(dice):
    """Mostly those of data centers, sometimes of a long cable."""
    return time(dice.log(10, 3000) * 1000 if not dice.one_in(12) else dice.log(5, 100) * 10**6)


# ---- networks

def draw_star(dice):
    return {"hosts": dice.randint(2, 9)}


def draw_clos(dice):
    fabric = {"fabric_rate": rate(dice), "fabric_delay": delay(dice)} if dice.has("unlike") else {}
    return {"tors": dice.randint(2, 4), "hosts_per_tor": dice.randint(1, 4), "spines": dice.randint(1, 4),
            "links": dice.choice((1, 1, 2)), **fabric}


def draw_fat_tree(dice):
    return {"k": dice.choice((2, 4, 4))}


def draw_rails(dice):
    fabric = {"fabric_rate": rate(dice), "fabric_delay": delay(dice)} if dice.has("unlike") else {}
    return {"servers": dice.randint(2, 4), "gpus": dice.choice((1, 2, 4)), "spines": dice.randint(1, 3), **fabric}


def draw_graph(dice):
    """A random tree of switches with hosts anywhere, all links unlike; with cycles, more links between switches."""
    switches, hosts = dice.randint(1, 5), dice.randint(2, 8)
    pairs = [(f"h{i}", f"s{dice.randrange(switches)}") for i in range(hosts)]
    pairs += [(f"s{i}", f"s{dice.randrange(i)}") for i in range(1, switches)]
    for _ in range(dice.randint(1, 4) if switches > 1 and dice.has("cycles") else 0):
        pairs.append(tuple(f"s{i}" for i in sorted(dice.sample(range(switches), 2))))
    links = [{"a": a, "b": b, "rate": rate(dice), "delay": delay(dice)} for a, b in pairs]
    return {"hosts": hosts, "switches": switches, "links": links}


NETWORKS = {"star": draw_star, "clos": draw_clos, "fat_tree": draw_fat_tree, "rail_optimized": draw_rails, "graph": draw_graph}


def draw_topology(dice):
    kind = dice.choices(list(NETWORKS), (3, 4, 2, 2, 5))[0]
    topology = {"kind": kind, **({"rate": rate(dice), "delay": delay(dice)} if kind != "graph" else {}), **NETWORKS[kind](dice)}
    world = World({"topology": topology})
    links = network(world).links
    fabric = [link for link in links if not link[0].startswith("h")]
    if dice.has("unlike") and kind != "graph":
        topology["link_rates"] = [{"a": a, "b": b, "rate": rate(dice)} for a, b in
                                  dict.fromkeys(tuple(link[:2]) for link in dice.some(links, 4))]
    if dice.has("loss", 0.4):
        topology["ber" if dice.one_in(2) else "loss"] = dice.choice((1e-8, 1e-6)) if dice.one_in(2) else 1e-7
    if fabric and dice.has("failures", 0.5):
        topology["links_down"] = [
            {"a": a, "b": b, "down": time(dice.log(1, 100) * 10**6), **({"up": time(dice.log(101, 400) * 10**6)} if dice.one_in(2) else {})}
            for a, b in dict.fromkeys(tuple(link[:2]) for link in dice.some(fabric, 2))]
    return topology


# ---- keys, generically

def value_of(dice, key):
    """A value of a row of `anole list key`, near its initial value."""
    unit, initial, low, high = key["unit"], key["initial"], key.get("min"), key.get("max")
    choices = key.get("choices") or []
    if choices and (unit == "name" or dice.one_in(4)):
        return dice.choice(choices)
    if unit == "yes/no":
        return dice.one_in(2)
    ends = (lambda value: max(low or 0, min(high or value, value)))
    if unit == "count":
        return round(ends(dice.log(1, 8)))
    if unit == "time":
        return time(round(ends(dice.log(10**5, 2 * 10**8))))
    if unit == "bytes":
        return f"{round(ends(dice.log(200, 200000)))}"
    if unit == "rate":
        return rate(dice)
    if unit == "share":
        return round(ends(dice.random()), 3)
    return None


# What the list cannot say: values that are seldom refused, by section and key. None: leave it out.
SENSIBLE = {
    "host": {
        "mtu": lambda d: d.choice((256, 512, 1000, 1024, 1500, 4096, 9000, d.randint(64, 9000))),
        "ack_every": lambda d: d.choice((1, 2, 4, 16, "mlx5")), "ack_class": lambda d: d.choice(("data", 5)),
        "sleek": None, "rto": lambda d: d.choice(("auto", time(d.log(200, 5000) * 10**6))), "drain_hosts": None,
        "window": lambda d: d.choice(("none", "bdp", f"{d.log(20, 1000)}KB")), "tx_fifo": lambda d: f"{d.log(1, 64)}KB",
        "drain": None, "pcie": None, "turn": None, "receives": None, "repost": None, "rx_buffer": None},
    "switch": {
        "asic": None, "buffer": lambda d: f"{d.log(1000, 64000)}KB", "trim": None, "trim_size": None, "header_class": None,
        "lossless": lambda d: not d.one_in(2), "lossy": None, "alpha": lambda d: 0.5 ** d.randint(0, 5), "headroom": None,
        "strict": lambda d: d.sample(range(8), 2), "weights": lambda d: [d.randint(1, 20) for _ in range(8)],
        "reserve": lambda d: d.log(64, 8192), "ecn_by_rate": None, "ecn_by_class": None,
        "ecn_cell": lambda d: d.choice((64, 208, 256)), "latency": lambda d: f"{d.randint(1, 900)}ns",
        "ecn_lag": lambda d: f"{d.randint(1, 900)}ns", "pause_time": lambda d: f"{d.log(5, 50)}us"},
}


def draw_section(dice, section):
    """Random keys of a section of the scenario."""
    values = {}
    for key in listed("key"):
        if key["section"] != section or not dice.has(f"{section} {key['name']}", 0.4):
            continue
        sensible = SENSIBLE.get(section, {}).get(key["name"], lambda d, row=key: value_of(d, row))
        if sensible:
            values[key["name"]] = sensible(dice)
    return {name: value for name, value in values.items() if value is not None}


def draw_knobs(dice, names):
    """Random values of some knobs within their bounds."""
    knobs = {}
    for knob in listed("knob"):
        if knob["name"] not in names or not dice.one_in(2):
            continue
        low, high, initial = knob["min"], knob["max"], knob["initial"]
        if high <= 1 or high - low <= 16:
            knobs[knob["name"]] = dice.randint(int(low), int(high)) if initial == int(initial) and high > 1 else round(dice.uniform(low, high), 4)
        else:
            knobs[knob["name"]] = dice.log(max(low, initial / 8, 1), min(high, max(initial, 8) * 8))
    if "kmin" in knobs or "kmax" in knobs:
        knobs["kmin"], knobs["kmax"] = (low := dice.log(5, 400)), low * dice.choice((1, 2, 4))
    return knobs


# ---- traffic

def hosts_of(world):
    return network(world).hosts


def start(dice, entry, share=3):
    if dice.one_in(share):
        entry["start"] = time(dice.log(1, 100) * 10**6 + dice.randrange(10**6))


def draw_flows(dice, world, packets, mtu):
    """A list in the HPCC fork's format: source, destination, class, port, bytes, seconds."""
    hosts, count = len(hosts_of(world)), 1 if dice.level == 0 else dice.log(1, 60)
    rows = []
    spread = dice.choice((0, 1000, 100000, 10**6))         # ns
    for _ in range(count):
        a, b = dice.sample(range(hosts), 2)
        rows.append((dice.randint(0, spread), a, b, dice.choice((3, 3, 3, 1)) if dice.has("classes") else 3,
                     max(1, dice.log(1, 2 * packets * mtu // count))))
    rows.sort()
    base = dice.choice((0, 2))
    name = f"flows{len(world.files)}.txt"
    world.files[name] = f"{count}\n" + "".join(f"{a} {b} {prio} 4791 {length} {base}.{at:09d}\n" for at, a, b, prio, length in rows)
    return {"file": name}


def draw_incast(dice, world, packets, mtu):
    senders = dice.randint(1, len(hosts_of(world)) - 1)
    entry = {"senders": senders, "size": max(1, dice.log(1, 2 * packets * mtu // senders))}
    if dice.one_in(3):
        entry["receiver"] = "h0"
    start(dice, entry)
    return entry


def draw_permutation(dice, world, packets, mtu):
    entry = {"size": max(1, dice.log(1, 2 * packets * mtu // len(hosts_of(world))))}
    start(dice, entry)
    return entry


def draw_all_to_all(dice, world, packets, mtu):
    hosts = dice.randint(2, len(hosts_of(world)))
    entry = {"size": max(1, dice.log(1, 2 * packets * mtu // hosts // (hosts - 1) + 2)), "hosts": hosts}
    start(dice, entry)
    return entry


def draw_poisson(dice, world, packets, mtu):
    mean = max(200, dice.log(200, packets * mtu // 4 + 201))
    rates = [rate for a, _, rate, _ in network(world).links if a.startswith("h")]
    bits = sum(rates)
    load = round(dice.uniform(0.05, 0.45) * min(rates) * len(rates) / bits, 4)       # each host sends the same
    stop = max(2, round(packets * mtu * 8 / (load * bits) * 1e6))
    return {"sizes": [[mean // 4, 0.5], [mean, 0.9], [mean * 4, 1]], "load": load, "stop": f"{stop}us"}


def draw_training(dice, world, packets, mtu):
    workers, iterations = dice.randint(2, len(hosts_of(world))), dice.randint(1, 3)
    collectives = ("all_to_all", "ring_all_reduce", "tree_all_reduce", "halving_doubling_all_reduce", "all_gather",
                   "reduce_scatter", "send_next", "send_previous")
    entry = {"workers": workers, "collective": dice.choice(collectives), "iterations": iterations,
             "size": max(workers, dice.log(workers, packets * mtu // iterations // workers + workers + 1))}
    if entry["collective"] == "all_to_all":
        entry["at_once"] = dice.one_in(2)
    if dice.one_in(2):
        entry["compute"] = f"{dice.log(1, 50)}us"
    start(dice, entry)
    return entry


def draw_storage(dice, world, packets, mtu):
    bits = sum(rate for a, _, rate, _ in network(world).links if a.startswith("h"))
    return {"replicas": dice.randint(1, len(hosts_of(world)) // 4), "preset": dice.choice(("oltp", "vdi", "exchange")), "block_min": 512, "block_max": dice.choice((512, 4096, 8192)),
            "depth": dice.randint(1, 4), "stop": f"{max(2, round(packets * mtu * 8 / bits * 1e6))}us"}


TRAFFIC = {"flows": draw_flows, "incast": draw_incast, "permutation": draw_permutation, "all_to_all": draw_all_to_all,
           "poisson": draw_poisson, "training": draw_training, "storage": draw_storage}


def draw_traffic(dice, world, packets, mtu):
    entries = 1 if dice.level == 0 else dice.randint(1, 3)
    world.scenario["traffic"] = []
    for _ in range(entries):
        kind = dice.choice(list(TRAFFIC))
        if kind == "storage" and len(hosts_of(world)) < 4:
            kind = "flows"
        entry = {"kind": kind, **TRAFFIC[kind](dice, world, packets // entries, mtu)}
        if kind != "flows" and dice.has("classes"):
            entry["prio"] = dice.randint(0, 5)
        if kind != "flows" and dice.has("qps"):
            entry["qps"] = dice.choice(("fresh", 1, 2))
        world.scenario["traffic"].append(entry)


# ---- worlds

def draw(seed):
    """The world of a seed."""
    dice = Dice(seed)
    world = World({"topology": draw_topology(dice)})
    world.scenario["seed"] = dice.randint(1, 1000)
    ccs = [cc["name"] for cc in listed("cc") if "model uet" not in cc["about"]]
    if dice.has("cc", 0.7):
        world.scenario["cc"] = dice.choice(ccs)
    balancers = ("ecmp", "letflow", "conga", "drill", "spray", "conweave", "adaptive")
    if dice.has("lb", 0.7):
        world.scenario["lb"] = dice.choice(balancers)
    for section in ("host", "switch"):
        keys = draw_section(dice, section)
        if keys:
            world.scenario[section] = keys
    if dice.has("knobs"):
        names = [knob["name"] for knob in listed("knob") if knob["name"].startswith(("k", "pmax", "rpg", "rate_", "min_t", "dce", "initial"))]
        world.scenario["knobs"] = draw_knobs(dice, names)
    if not world.get("switch.lossless", True) or dice.has("end"):
        world.scenario["run"] = f"{dice.log(100, 5000)}us"
    mtu = size(world.get("host.mtu", 1024))
    draw_traffic(dice, world, dice.log(5, 3000), mtu)
    return world
