"""tests/worlds/relations.py - pairs of worlds whose results must be related: units, names, scale, islands, idle hosts, the future."""
import decimal
import random
import re

from draw import time
from judges import is_clean, judge, need, same
from network import Network, network
from trial import check
from world import BPS, PS, World, bps, ps

OWN_RATE = ("dcqcn", "dcqcn_hpcc", "dcqcn_paraleon", "none")   # controls that know nothing of other paths


# ---- the same world, written differently

def other_unit(text):
    """The same time, rate or size in a smaller unit."""
    match = re.fullmatch(r"([\d.]+)(ns|us|ms|s|[KMGT]bps|[KMG]B|[KM]iB)", str(text))
    if not match:
        return text
    value, unit = decimal.Decimal(match[1]), match[2]
    smaller = {"s": ("ms", 1000), "ms": ("us", 1000), "us": ("ns", 1000), "ns": ("ps", 1000), "Tbps": ("Gbps", 1000), "Gbps": ("Mbps", 1000),
               "Mbps": ("Kbps", 1000), "Kbps": ("bps", 1000), "GB": ("MB", 1000), "MB": ("KB", 1000), "KB": ("B", 1000),
               "MiB": ("KiB", 1024), "KiB": ("B", 1024)}
    new, factor = smaller[unit]
    return f"{(value * factor).normalize():f}{new}"


def reworded(value, dice):
    """The same values in other units, and keys of maps in another order."""
    if isinstance(value, dict):
        keys = dice.sample(list(value), len(value))
        return {key: reworded(value[key], dice) for key in keys}
    if isinstance(value, list):
        return [reworded(one, dice) for one in value]
    return other_unit(value) if isinstance(value, str) else value


@judge("values in other units and keys in another order: the same results", "relations")
def units(t):
    other = World(reworded(t.world.scenario, random.Random(t.world.text())), t.world.files)
    same(t.base(), t.run(world=other, name="reworded"), "reworded: with other units or another order of keys")


@judge("a network of a kind, and the same links as kind graph, with names of our own: the same results", "relations")
def names(t):
    net = network(t.world)
    need(net and not net.inside and t.world.get("topology.kind") not in ("hpcc", "hpn", "multi_plane") and "asic" not in t.world.scenario.get("switch", {}))
    switches = list(dict.fromkeys(node for link in net.links for node in link[:2] if node not in net.is_host))
    order = {"graph": t.world.get("topology.switches")}.get(t.world.get("topology.kind"))
    switches = [f"s{i}" for i in range(order)] if isinstance(order, int) else order or sorted(switches, key=by_tier)
    new = {name: f"X{i}-y" for i, name in enumerate(switches)}
    own = t.world.get("topology.links") if t.world.get("topology.kind") == "graph" else [{}] * len(net.links)
    other = t.world.copy()
    other.scenario["topology"] = {
        "kind": "graph", "hosts": len(net.hosts), "switches": list(new.values()),
        "links": [{**of_link, "a": new.get(a, a), "b": new.get(b, b), "rate": f"{rate}bps", "delay": time(delay)}
                  for (a, b, rate, delay), of_link in zip(net.links, own)],
        **{key: value for key, value in t.world.scenario["topology"].items() if key in ("ber", "loss")}}
    down = t.world.get("topology.links_down", [])
    if down:
        other.scenario["topology"]["links_down"] = [{**row, "a": new.get(row["a"], row["a"]), "b": new.get(row["b"], row["b"])} for row in down]
    a, b = t.base(), t.run(world=other, name="renamed")
    check(a.text("flows.csv") == b.text("flows.csv"), f"renamed: other flows: {first_other(a.flows, b.flows)}")


def by_tier(name):
    """The order in which kinds number their switches: tier by tier from below."""
    word, number = re.fullmatch(r"(\D+)(\d+)", name).groups()
    return ("tor", "leaf", "edge", "agg", "spine", "core", "s").index(word), int(number)


def first_other(mine, theirs):
    keys = ("src", "dst", "bytes", "start_ns", "fct_ns")
    pairs = [([f[key] for key in keys], [g[key] for key in keys]) for f, g in zip(mine, theirs)]
    return next((f"{a} became {b}" for a, b in pairs if a != b), f"{len(mine)} flows became {len(theirs)}")


# ---- flows as a list, so that nothing depends on the number of hosts

KEPT = ("model", "seed", "cc", "nic", "lb", "host", "switch", "knobs", "changes")


def as_matrix(hosts, flows):
    """The flows of a run as a matrix of htsim, which has starts in picoseconds."""
    return f"Nodes {hosts}\nConnections {len(flows)}\n" + "".join(
        f"{f['src'][1:]}->{f['dst'][1:]} start {f['start']} size {f['bytes']}\n" for f in flows)


def posted(t, most=80):
    """The first flows of the world's own run, in order."""
    flows = sorted(t.base().flows, key=lambda f: (f["start"], int(f["sport"])))[:most]
    need(flows and flows[-1]["start"] < 10**12 and all(int(f["sport"]) >= 0xc000 for f in flows))
    return flows


def listed_world(t, topology, hosts, flows, files=None):
    """A world with the settings of the trial's, this network, and these flows."""
    scenario = {key: t.world.scenario[key] for key in KEPT if key in t.world.scenario}
    scenario.update(topology=topology, traffic=[{"kind": "htsim", "file": "flows.cm", "qps": "fresh"}])
    return World(scenario, {**(files or {}), "flows.cm": as_matrix(hosts, flows)})


def has_one_path(net):
    """Whether there is one path between any two hosts: a tree."""
    return len(net.links) == len(net.next) - 1


def local_only(t):
    """Whether what a flow does depends on its own path alone: no windows or targets by the longest path of the network."""
    host = t.world.scenario.get("host", {})
    return (t.world.model() == "nic" and t.world.kind("cc", "dcqcn") in OWN_RATE and "window" not in host and not isinstance(t.world.scenario.get("cc"), dict)
            and t.world.kind("lb", "ecmp") not in ("conweave", "conga"))


def with_rto(world):
    """With a time-out that does not depend on the longest path."""
    world.scenario["host"] = {**world.scenario.get("host", {}), "rto": "7ms"}
    return world


def rows_of(results, hosts):
    """What became of the flows of the first hosts."""
    return sorted((f["src"], f["dst"], f["sport"], f["bytes"], f["start"], f["fct"], f["resent_bytes"]) for f in results.flows if int(f["src"][1:]) < hosts)


def as_file(net, extra_hosts, twice=0):
    """A topology file of the HPCC fork: all nodes of the network first, so that they keep their numbers, then a switch behind
    the first one with idle hosts, and the network a second time."""
    nodes = net.hosts + [node for node in net.next if node not in net.is_host]
    number = {node: i for i, node in enumerate(nodes)}
    count = len(nodes)
    rows = [(number[a], number[b], rate, delay) for a, b, rate, delay in net.links]
    bridge = count * (1 + twice)
    first = len(net.hosts)                                        # the first switch
    switches = [i for i in range(first, count)] + [i for i in range(count + first, 2 * count)] * twice + [bridge]
    rows += [(a + count, b + count, rate, delay) for a, b, rate, delay in rows] * twice
    rows += [(first, bridge, 10**11, 10**6)] + [(count + first, bridge, 10**11, 10**6)] * twice
    rows += [(bridge + 1 + i, bridge, 10**11, 10**6) for i in range(extra_hosts)]
    lines = [f"{bridge + 1 + extra_hosts} {len(switches)} {len(rows)}", " ".join(map(str, switches))]
    lines += [f"{a} {b} {rate}bps {delay}ps 0" for a, b, rate, delay in rows]
    return "\n".join(lines) + "\n"


@judge("two networks side by side: each behaves as alone, whatever happens in the other", "relations")
def islands(t):
    net = network(t.world)
    need(net and not net.inside and local_only(t) and not t.world.get("topology.links_down"))
    need(len({frozenset(link[:2]) for link in net.links}) == len(net.links))                 # a file has one link between two nodes
    flows, hosts = posted(t), len(net.hosts)
    topology = {"kind": "hpcc", "file": "net.txt", **{key: t.world.get(f"topology.{key}") for key in ("ber", "loss") if t.world.get(f"topology.{key}")}}

    def run(name, twice, others):
        second = [{**f, "src": f"h{int(f['src'][1:]) + hosts}", "dst": f"h{int(f['dst'][1:]) + hosts}"} for f in others]
        every = sorted([*flows, *second], key=lambda f: f["start"])
        world = with_rto(listed_world(t, topology, hosts * (1 + twice) + 1, every, {"net.txt": as_file(net, 1, twice)}))
        world.scenario.pop("changes", None)
        world.scenario["knobs"] = {**world.scenario.get("knobs", {}), "kmin": 5, "kmax": 200, "pmax": 0.5}          # many draws
        return t.run(world=world, name=name)
    alone, two, half = run("alone", 0, []), run("two", 1, flows), run("half", 1, flows[::2])
    check(rows_of(alone, hosts) == rows_of(two, hosts), f"islands: a second network changes the first: {first_pair(rows_of(alone, hosts), rows_of(two, hosts))}")
    check(rows_of(half, hosts) == rows_of(two, hosts), f"islands: fewer flows there change flows here: {first_pair(rows_of(half, hosts), rows_of(two, hosts))}")


def first_pair(mine, theirs):
    return next((f"{a} and {b}" for a, b in zip(mine, theirs) if a != b), f"{len(mine)} and {len(theirs)} flows")


@judge("an idle host more: the others' flows do not notice", "relations")
def idle(t):
    net = network(t.world)
    need(net and not net.inside and local_only(t) and has_one_path(net))
    flows, hosts = posted(t), len(net.hosts)
    first = next(node for node in net.next if node not in net.is_host)

    def run(name, idlers, topology, files, kmax):
        world = with_rto(listed_world(t, topology, hosts + idlers, flows, files))
        world.scenario.pop("changes", None)
        world.scenario["knobs"] = {**world.scenario.get("knobs", {}), "kmin": 5, "kmax": kmax, "pmax": 0.5}
        if "switch" in world.scenario:       # thresholds of its own instead of these
            world.scenario["switch"] = {key: value for key, value in world.scenario["switch"].items() if not key.startswith("ecn_by_")}
        return rows_of(t.run(world=world, name=name), hosts)

    def renumbered(idlers):
        """The switches get other numbers, and so other random streams: no mark is random here, and nothing is lost."""
        links = [*net.links, (first, "stub", 10**11, 10**6), *((f"h{hosts + i}", "stub", 10**11, 10**6) for i in range(idlers))]
        switches = [node for node in net.next if node not in net.is_host] + ["stub"]
        return run(f"{idlers} before", idlers, {"kind": "graph", "hosts": hosts + idlers, "switches": switches, "links": [
            {"a": a, "b": b, "rate": f"{rate}bps", "delay": time(delay)} for a, b, rate, delay in links]}, {}, 5)

    def numbered(idlers):
        """All other nodes keep their numbers."""
        topology = {"kind": "hpcc", "file": "net.txt", **{key: t.world.get(f"topology.{key}") for key in ("ber", "loss") if t.world.get(f"topology.{key}")}}
        return run(f"{idlers} after", idlers, topology, {"net.txt": as_file(net, idlers)}, 200)          # many draws
    for other in (renumbered, numbered):
        one, two = other(1), other(2)
        check(one == two, f"idle: one more idle host changes flows: {other.__name__}: {first_pair(one, two)}")


@judge("a list of flows cut in two, or in two entries for its odd and even rows: the same flows", "relations")
def split(t):
    need(t.world.model() == "nic")
    flows = posted(t)
    need(len(flows) > 1)
    hosts = 1 + max(int(f[end][1:]) for f in flows for end in ("src", "dst"))

    def run(name, parts):
        other = t.world.copy()
        other.scenario["traffic"] = [{"kind": "htsim", "file": f"part{i}.cm", "qps": "fresh"} for i in range(len(parts))]
        other.files.update({f"part{i}.cm": as_matrix(hosts, part) for i, part in enumerate(parts)})
        r = t.run(world=other, name=name)
        return sorted((f["src"], f["dst"], f["bytes"], f["start"], f["fct"], f["resent_bytes"]) for f in r.flows)
    whole, half = run("whole", [flows]), len(flows) // 2
    cut = run("cut", [flows[:half], flows[half:]])
    check(whole == cut, f"split: cut in two: {first_pair(whole, cut)}")
    if len({f["start"] for f in flows}) == len(flows):                     # the order of flows that start at once may count
        cut = run("combed", [flows[::2], flows[1::2]])
        check(whole == cut, f"split: every other flow: {first_pair(whole, cut)}")


@judge("one more flow, after all others are done: they do not notice", "relations")
def future(t):
    need(t.world.model() == "nic" and not {"run", "tuner"} & set(t.world.scenario))
    base = t.base()
    need(base.flows and not base.summary["all"]["flows_unfinished"])
    other = t.world.copy()
    at = int(base.summary["simulated_us"]) + 1000
    need(at < 10**6)
    flow = base.flows[0]
    other.files["late.txt"] = f"1\n{flow['src'][1:]} {flow['dst'][1:]} {flow['prio']} 4791 1000 {at / 1e6:.9f}\n"
    need(t.world.get("topology.kind") not in ("hpcc", "simai", "astra"))                   # where host i need not be node i
    other.scenario["traffic"] = [*other.traffic(), {"kind": "flows", "file": "late.txt", "name": "late"}]
    later = t.run(world=other, name="later")
    mine = [row for row in later.flows if row["traffic"] != "late"]
    keys = ("src", "dst", "sport", "bytes", "start_ns", "fct_ns", "resent_bytes")
    check([[f[key] for key in keys] for f in mine] == [[f[key] for key in keys] for f in base.flows],
          f"future: a flow at {at} us changes earlier ones: {first_other(base.flows, mine)}")


# ---- scale

def slower(text):
    """Half the rate, or twice the time."""
    text = str(text)
    if text.endswith("bps"):
        return f"{bps(text) // 2}bps"
    return time(2 * ps(text))


@judge("rates halved and times doubled: every completion time doubles, exactly", "relations")
def scale(t):
    net = network(t.world)
    need(net and not net.inside and is_clean(t.world) and t.world.kind("lb", "ecmp") == "ecmp" and t.world.get("topology.kind") != "hpcc")
    need(all(8 * 10**12 % rate == 0 and rate >= 2 * 10**9 and delay <= 10**9 for _, _, rate, delay in net.links))
    flows = posted(t)
    switches = t.world.scenario.get("switch", {})
    need(not {"asic", "latency", "ecn_lag", "ecn_by_rate"} & set(switches))

    def run(name, factor):
        order = list(dict.fromkeys(node for link in net.links for node in link[:2] if node not in net.is_host))
        topology = {"kind": "graph", "hosts": len(net.hosts), "switches": order, "links": [
            {"a": a, "b": b, "rate": f"{rate // factor}bps", "delay": time(delay * factor)} for a, b, rate, delay in net.links]}
        world = listed_world(t, topology, len(net.hosts), [{**f, "start": f["start"] * factor} for f in flows])
        for key in ("knobs", "changes", "nic"):
            world.scenario.pop(key, None)
        world.scenario["cc"] = "none"
        world.scenario["host"] = {key: value for key, value in world.scenario.get("host", {}).items() if key in ("mtu", "ack_every", "ack_class", "ack_unpaused")}
        return t.run(world=world, name=name)
    one, two = run("usual", 1), run("slow", 2)
    need(not one.summary["packets"]["timeouts"] and not two.summary["packets"]["timeouts"])
    mine = sorted((f["src"], f["dst"], f["sport"], f["bytes"], 2 * f["start"], 2 * f["fct"]) for f in one.flows)
    theirs = sorted((f["src"], f["dst"], f["sport"], f["bytes"], f["start"], f["fct"]) for f in two.flows)
    check(mine == theirs, f"scale: doubled, and in a network of half the speed: {first_pair(mine, theirs)}")


# ---- settings that nothing used

@judge("a larger buffer where nothing was paused or dropped, other thresholds where nothing was marked: the same results", "relations")
def unused(t):
    need(t.world.model() == "nic" and "tuner" not in t.world.scenario)
    base, other = t.base(), t.world.copy()
    packets, changed = base.summary["packets"], False
    need(not packets["timeouts"])
    if not base.summary["pfc"]["frames_sent"] and not packets["dropped_buffer"] and "asic" not in other.scenario.get("switch", {}):
        other.scenario["switch"] = {**other.scenario.get("switch", {}), "buffer": "120MB"}
        changed = t.world.kind("lb", "ecmp") == "ecmp"
    if not packets["marked"] and t.world.kind("cc", "dcqcn") in OWN_RATE and not {"nic", "changes"} & set(t.world.scenario):
        other.scenario["knobs"] = {**other.scenario.get("knobs", {}), "kmin": 9000, "kmax": 9001}
        changed = True
    need(changed)
    same(base, t.run(world=other, name="unused"), "unused: a setting that nothing used", ("flows.csv", "ports.csv"))
