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
