"""tests/worlds/world.py - a world: a scenario with the files it names, as data; its network, worked out without the program.

A scenario is a dict as the YAML file has it: values are text with units ("100Gbps"), numbers, lists and maps.
"""
import copy
import itertools
import math
import re

PS = {"ps": 1, "ns": 10**3, "us": 10**6, "ms": 10**9, "s": 10**12}
BPS = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}
BYTES = {"": 1, "B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30}
NUMBER = re.compile(r"([0-9.]+(?:e[-+]?\d+)?)\s*([A-Za-z%]*)")


def number(text, units):
    value, unit = NUMBER.fullmatch(str(text)).groups()
    return round(float(value) * units[unit])


def ps(text):
    return number(text, {**PS, "": 1})


def bps(text):
    return number(str(text).removesuffix("bps"), BPS)


def size(text):
    return number(text, BYTES)


def plain(value):
    """Writes a value as YAML, in one line."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {plain(one)}" for key, one in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(plain(one) for one in value) + "]"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.10g}"
    text = str(value)
    return text if re.fullmatch(r"[\w./%+-]+( [\w./%+-]+)*", text) else '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


class World:
    """A scenario and its files (name: text or bytes)."""

    def __init__(self, scenario, files=None):
        self.scenario, self.files = scenario, files or {}

    def copy(self):
        return World(copy.deepcopy(self.scenario), dict(self.files))

    def text(self):
        """The scenario file. Lists of maps have a line for each."""
        lines = []
        for key, value in self.scenario.items():
            if isinstance(value, list) and value and isinstance(value[0], dict):
                lines += [f"{key}:"] + [f"  - {plain(one)}" for one in value]
            else:
                lines.append(f"{key}: {plain(value)}")
        return "\n".join(lines) + "\n"

    def write(self, folder, name="world.yaml"):
        folder.mkdir(parents=True, exist_ok=True)
        for file, data in self.files.items():
            (folder / file).write_bytes(data if isinstance(data, bytes) else data.encode())
        (folder / name).write_text(self.text())
        return folder / name

    def get(self, path, default=None):
        """The value at "switch.buffer"."""
        value = self.scenario
        for key in path.split("."):
            if not isinstance(value, dict) or key not in value:
                return default
            value = value[key]
        return value

    def kind(self, key, default):
        """The name that a map or a word chooses: lb, cc, fidelity, tuner."""
        value = self.scenario.get(key, default)
        return value.get("kind", default) if isinstance(value, dict) else value

    def model(self):
        return self.scenario.get("model", "nic")

    def traffic(self):
        return self.scenario.get("traffic", [])


# ---- networks

class Network:
    """Hosts and links [a, b, bits per second, delay in ps], both directions alike. inside: the server of each host, if any."""

    def __init__(self, hosts, links, inside=None):
        self.hosts, self.links, self.inside = [f"h{i}" for i in range(hosts)], links, inside or {}
        self.next = {}
        for a, b, rate, delay in links:
            self.next.setdefault(a, []).append((b, rate, delay))
            self.next.setdefault(b, []).append((a, rate, delay))

    def routes(self, src, dst, most=64):
        """All shortest paths in hops, as lists of (rate, delay), at most 'most' of them."""
        return [[hop[1:] for hop in route] for route in self.paths(src, dst, most)]

    def paths(self, src, dst, most=64):
        """The same with nodes: lists of (node, rate, delay)."""
        away, ring = {dst: 0}, [dst]
        while ring and src not in away:
            ring = [b for a in ring for b, _, _ in self.next.get(a, []) if away.setdefault(b, away[a] + 1) == away[a] + 1
                    and (b == src or b not in self.hosts)]
            ring = list(dict.fromkeys(ring))

        def walk(node):
            if node == dst:
                yield []
                return
            for b, rate, delay in dict.fromkeys(self.next[node]):
                if away.get(b, math.inf) == away[node] - 1 and (b == dst or b not in self.hosts):
                    for rest in walk(b):
                        yield [(b, rate, delay), *rest]
        return list(itertools.islice(walk(src), most)) if src in away else []


def tiers(t, planes, tors, per_tor, spines, host_name="h{}"):
    """Clos networks side by side: the links of hosts on ToRs, and of ToRs on spines."""
    rate, delay = bps(t["rate"]), ps(t["delay"])
    fabric = bps(t.get("fabric_rate", t["rate"])), ps(t.get("fabric_delay", t["delay"]))
    links = [(host_name.format(tor * per_tor + i), f"tor{tor}", rate, delay) for tor in range(tors) for i in range(per_tor)]
    links += [(f"tor{tor}", f"spine{spine}", *fabric) for tor in range(tors) for spine in range(spines)
              for _ in range(int(t.get("links", 1)))]
    return links


def network(world):
    """The network of a scenario, or None where its kind is not worked out here."""
    t = world.scenario.get("topology")
    if not isinstance(t, dict):
        return None
    kind = t["kind"]
    t = {"rate": "400Gbps" if kind == "rail_optimized" else "100Gbps", "delay": "500ns" if kind == "rail_optimized" else "1us", **t}
    inside = {}
    if kind == "star":
        hosts, links = t["hosts"], [(f"h{i}", "s0", bps(t["rate"]), ps(t["delay"])) for i in range(t["hosts"])]
    elif kind == "clos":
        tors = t["tors"] if "tors" in t else t["hosts"] // t["hosts_per_tor"]
        hosts, links = tors * t["hosts_per_tor"], tiers(t, 1, tors, t["hosts_per_tor"], t["spines"])
    elif kind == "rail_optimized":
        gpus, unit = t.get("gpus", 8), t.get("unit", t["servers"])
        hosts = t["servers"] * gpus
        fabric = bps(t.get("fabric_rate", t["rate"])), ps(t.get("fabric_delay", t["delay"]))
        inside = {f"h{i}": i // gpus for i in range(hosts)}
        links = [(f"h{i}", f"leaf{i // gpus // unit * gpus + i % gpus}", bps(t["rate"]), ps(t["delay"])) for i in range(hosts)]
        links += [(leaf, f"spine{spine}", *fabric) for leaf in dict.fromkeys(link[1] for link in links)
                  for spine in range(t["spines"]) for _ in range(t.get("links", 1))]
    elif kind == "fat_tree":
        k, rest = t["k"], (bps(t["rate"]), ps(t["delay"]))
        half = k // 2
        hosts = k * half * half
        links = [(f"h{i}", f"edge{i // half}", *rest) for i in range(hosts)]
        links += [(f"edge{p * half + e}", f"agg{p * half + a}", *rest) for p in range(k) for e in range(half) for a in range(half)]
        links += [(f"agg{p * half + a}", f"core{a * half + c}", *rest) for p in range(k) for a in range(half) for c in range(half)]
    elif kind == "graph":
        hosts = t["hosts"]
        links = [(one["a"], one["b"], bps(one.get("rate", "100Gbps")), ps(one.get("delay", "1us"))) for one in t["links"]]
    else:
        return None
    return Network(hosts, change_rates(links, t.get("link_rates", [])), inside)


def change_rates(links, rows):
    """Applies link_rates: all parallel links between two nodes, or one of them."""
    links = [list(link) for link in links]
    for row in rows:
        between = [link for link in links if {link[0], link[1]} == {row["a"], row["b"]}]
        for link in between if row.get("which") is None else [between[row["which"]]]:
            link[2] = bps(row["rate"])
    return [tuple(link) for link in links]


# ---- reading: what plain() writes

def parse(text):
    """Parses one value in flow style."""
    tokens = re.findall(r'"(?:[^"\\]|\\.)*"|[{}\[\],]|: |[^{}\[\],"]+?(?=: |[{}\[\],]|$)', text.strip())
    value, rest = parse_tokens([token for token in tokens if token.strip()])
    assert not rest, text
    return value


def parse_tokens(tokens):
    first, *rest = tokens
    if first in "{[":
        values, close = [], "}]"["{[".index(first)]
        while rest[0] != close:
            key, rest = parse_tokens(rest)
            if first == "{":
                value, rest = parse_tokens(rest[1:])
                key = key, value
            values.append(key)
            rest = rest[rest[0] == ",":]
        return (dict(values) if first == "{" else values), rest[1:]
    word = first.strip()
    if word.startswith('"'):
        return word[1:-1].replace('\\"', '"').replace("\\\\", "\\"), rest
    for kind in (int, float):
        if re.fullmatch(r"-?[\d.]+(e[-+]?\d+)?", word):
            try:
                return kind(word), rest
            except ValueError:
                pass
    return {"yes": True, "no": False}.get(word, word), rest


def read(folder):
    """Reads the world of a folder that World.write() made."""
    scenario = {}
    for line in (folder / "world.yaml").read_text().splitlines():
        if line.startswith("  - "):
            scenario[key].append(parse(line[4:]))
        elif line and not line.startswith("#"):
            key, _, value = line.partition(":")
            scenario[key] = parse(value) if value.strip() else []
    files = {path.name: path.read_bytes() for path in folder.iterdir() if path.name != "world.yaml"}
    return World(scenario, {name: data.decode() if data.isascii() else data for name, data in files.items()})
