"""tests/worlds/network.py - the network of a scenario, worked out without the program."""
import itertools
import math
import re

from world import bps, ps

class Network:
    """Hosts and links (a, b, bits per second, delay in ps), both directions alike. inside: the server of each host, if any;
    nvlink: rate and delay between hosts of a server."""

    def __init__(self, hosts, links, inside=None, nvlink=(3600 * 10**9, 500000)):
        self.hosts, self.links, self.inside, self.nvlink = [f"h{i}" for i in range(hosts)], links, inside or {}, nvlink
        self.is_host, self.next = set(self.hosts), {}
        for a, b, rate, delay in links:
            self.next.setdefault(a, []).append((b, rate, delay))
            self.next.setdefault(b, []).append((a, rate, delay))

    def rate(self, host):
        return self.next[host][0][1]

    def paths(self, src, dst, most=64):
        """Shortest paths in hops, at most so many: lists of (node, rate, delay)."""
        away, ring = {dst: 0}, [dst]
        while ring and src not in away:
            ring = [b for a in ring for b, _, _ in self.next.get(a, []) if (b == src or b not in self.is_host)
                    and away.setdefault(b, away[a] + 1) == away[a] + 1]
            ring = list(dict.fromkeys(ring))

        def walk(node):
            if node == dst:
                yield []
                return
            for b, rate, delay in dict.fromkeys(self.next[node]):
                if away.get(b, math.inf) == away[node] - 1:
                    for rest in walk(b):
                        yield [(b, rate, delay), *rest]
        return list(itertools.islice(walk(src), most)) if src in away else []

    def routes(self, src, dst, most=64):
        """The same as lists of (rate, delay), each once."""
        return [list(route) for route in dict.fromkeys(tuple(hop[1:] for hop in path) for path in self.paths(src, dst, most))]


def tiers(t, tors, per_tor, spines, links=1):
    """The links of a Clos network: hosts on ToRs, ToRs on spines."""
    fabric = bps(t.get("fabric_rate", t["rate"])), ps(t.get("fabric_delay", t["delay"]))
    made = [(f"h{tor * per_tor + i}", f"tor{tor}", bps(t["rate"]), ps(t["delay"])) for tor in range(tors) for i in range(per_tor)]
    return made + [(f"tor{tor}", f"spine{spine}", *fabric) for tor in range(tors) for spine in range(spines) for _ in range(links)]


def rails(t, servers, gpus, unit, spines, links):
    """Servers of GPUs: GPU i of a server is on leaf i of its unit, every leaf is linked to every spine."""
    fabric = bps(t.get("fabric_rate", t["rate"])), ps(t.get("fabric_delay", t["delay"]))
    made = [(f"h{i}", f"leaf{i // gpus // unit * gpus + i % gpus}", bps(t["rate"]), ps(t["delay"])) for i in range(servers * gpus)]
    made += [(leaf, f"spine{spine}", *fabric) for leaf in dict.fromkeys(link[1] for link in made) for spine in range(spines)
             for _ in range(links)]
    return Network(servers * gpus, made, {f"h{i}": i // gpus for i in range(servers * gpus)})


def fat_tree(t):
    half, rest = t["k"] // 2, (bps(t["rate"]), ps(t["delay"]))
    pods = range(t["k"])
    pairs = [(f"h{i}", f"edge{i // half}") for i in range(t["k"] * half * half)]
    pairs += [(f"edge{p * half + e}", f"agg{p * half + a}") for p in pods for e in range(half) for a in range(half)]
    pairs += [(f"agg{p * half + a}", f"core{a * half + c}") for p in pods for a in range(half) for c in range(half)]
    return Network(t["k"] * half * half, [(*pair, *rest) for pair in pairs])


def planes(t, hosts, ports, switches, gpus):
    """NICs of several ports, each on a switch: the ports are a switch 10 ns behind the host."""
    rest = bps(t["rate"]), ps(t["delay"])
    made = [(f"h{i}", f"nic{i}", len(ports(0)) * rest[0], 10000) for i in range(hosts)]
    made += [(f"nic{i}", tor, *rest) for i in range(hosts) for tor in ports(i)]
    fabric = bps(t.get("fabric_rate", t["rate"])), ps(t.get("fabric_delay", t["delay"]))
    return Network(hosts, made + [(a, b, *fabric) for a, b in switches], {f"h{i}": i // gpus for i in range(hosts)} if gpus > 1 else {})


def hpn(t):
    segments, gpus = t.get("segments", 1), t.get("gpus", 8)
    servers, aggs = t.get("servers", 128), t.get("aggs", 60)

    def ports(i):
        return [f"tor{(i // gpus // servers * gpus + i % gpus) * 2 + plane}" for plane in (0, 1)]
    switches = [(f"tor{tor * 2 + plane}", f"agg{plane * aggs + agg}") for tor in range(segments * gpus) for plane in (0, 1) for agg in range(aggs)]
    return planes({"fabric_rate": "400Gbps", **t}, segments * servers * gpus, ports, switches, gpus)


def multi_plane(t):
    count, tors, spines = t.get("planes", 2), t["tors"], t["spines"]
    switches = [(f"tor{plane * tors + tor}", f"spine{plane * spines + spine}") for plane in range(count) for tor in range(tors)
                for spine in range(spines) for _ in range(t.get("links", 1))]
    return planes(t, tors * t["hosts_per_tor"], lambda i: [f"tor{plane * tors + i // t['hosts_per_tor']}" for plane in range(count)],
                  switches, t.get("gpus", 1))


def from_file(text, servers):
    """A topology file of the HPCC fork (a b rate delay loss), or of SimAI, which has servers inside."""
    head, listed, *rows = [line.split() for line in text.splitlines() if line.strip()]
    nodes, nv = int(head[0]), int(head[2]) if servers else 0
    hosts = nodes - (nv + int(head[3]) if servers else int(head[1]))
    names = dict(zip(listed[nv:], (f"s{i}" for i in range(nodes))))
    names.update(zip((str(i) for i in range(nodes) if str(i) not in listed), (f"h{i}" for i in range(hosts))))
    inside = {names[a]: int(b) for a, b, *_ in rows if b in listed[:nv]}
    nvlink = next(((bps(rate), 2 * ps(delay)) for _, b, rate, delay, _ in rows if b in listed[:nv]), (1, 0))
    return Network(hosts, [(names[a], names[b], bps(rate), ps(delay)) for a, b, rate, delay, _ in rows if b not in listed[:nv]], inside, nvlink)


# Kinds: defaults that differ from 100 Gb/s and 1 us, and how the network is made.
GPU = {"rate": "400Gbps", "delay": "500ns"}
KINDS = {
    "star": ({}, lambda t: Network(t["hosts"], [(f"h{i}", "s0", bps(t["rate"]), ps(t["delay"])) for i in range(t["hosts"])])),
    "clos": ({}, lambda t: Network(clos_tors(t) * t["hosts_per_tor"],
                                   tiers(t, clos_tors(t), t["hosts_per_tor"], t["spines"], t.get("links", 1)))),
    "fat_tree": ({}, fat_tree),
    "rail_optimized": (GPU, lambda t: rails(t, t["servers"], t.get("gpus", 8), t.get("unit", t["servers"]), t["spines"], t.get("links", 1))),
    "hpn": ({"rate": "200Gbps", "delay": "500ns"}, hpn),
    "multi_plane": ({"rate": "200Gbps", "delay": "500ns"}, multi_plane),
    "paraleon_testbed": (GPU, lambda t: rails(t, 32, 8, 32, 4, 8)),
    "acc_fabric": ({"delay": "500ns"}, lambda t: Network(288, tiers({"fabric_rate": "100Gbps", **t, "rate": "25Gbps"}, 12, 24, 6))),
    "rlcc_cluster": ({"delay": "500ns"}, lambda t: Network(64, tiers(t, 4, 16, 2, 4))),
    "graph": ({}, lambda t: Network(t["hosts"], [(one["a"], one["b"], bps(one.get("rate", "100Gbps")), ps(one.get("delay", "1us")))
                                                 for one in t["links"]])),
}


def clos_tors(t):
    return t["tors"] if "tors" in t else t["hosts"] // t["hosts_per_tor"]


def network(world):
    """The network of a scenario, or None where its kind is not worked out here."""
    t = world.scenario.get("topology", {})
    kind = t.get("kind")
    if kind in ("hpcc", "simai"):
        net = from_file(world.files[t["file"]], kind == "simai")
    elif kind in KINDS:
        defaults, make = KINDS[kind]
        net = make({"rate": "100Gbps", "delay": "1us", **defaults, **t})
    else:
        return None
    links = [list(link) for link in net.links]
    for row in t.get("link_rates", []):
        between = [link for link in links if {link[0], link[1]} == {row["a"], row["b"]}]
        for link in between if row.get("which") is None else [between[row["which"]]]:
            link[2] = bps(row["rate"])
    nvlink = bps(t.get("nvlink", net.nvlink[0])), ps(t.get("nvlink_delay", net.nvlink[1]))
    return Network(len(net.hosts), [tuple(link) for link in links], net.inside, nvlink)


def host_count(world):
    t, net = world.scenario["topology"], network(world)
    if net:
        return len(net.hosts)
    if t["kind"] == "dragonfly":
        return t["groups"] * t["routers"] * t["hosts_per_router"]
    if t["kind"] == "htsim":
        return int(world.files[t["file"]].split()[1])                       # Nodes N
    if t["kind"] == "astra":
        return math.prod(int(n) for n in re.search(r"npus_count: \[([\d, ]+)\]", world.files[t["file"]])[1].split(","))
    return t.get("gpus") or int(t["kind"].rpartition("_")[2])              # dgx_h100_64
