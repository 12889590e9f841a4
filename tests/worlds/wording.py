"""tests/worlds/wording.py - a scenario with one key of a random value, of its type or of another: it runs, or one line says where
and what is wrong.
"""
import random
import re

from judges import judge
from trial import Wrong, check, listed

ODD = ("", "abc", "-1", "1.5", "0", "1e400", "nan", "-5us", "7 7", "12parsec", "0x10", "100Gbps", "3ms", "64KB", "20%", "yes", "null", "~", "9" * 30,
       [], [1, 2], {}, {"a": 1}, [[]], [{}], "h0", "s0", "dcqcn", "fresh", "auto", "none", "é", "a\tb", "'", '"', "%s%n", "../x", "/dev/null", "x" * 300)
TYPICAL = {"time": ("0", "1ps", "3us", "1s", "1000000s", "0.5ns"), "rate": ("1Gbps", "1.6Tbps", "0", "1bps", "37.7Gbps"), "share": (0, 1, 0.5, "30%", 2),
           "bytes": (0, 1, "64", "9000", "1MB", "1GB"), "count": (0, 1, 2, 3, 7, 64, 999), "yes/no": (True, False)}
LOCATED = re.compile(r"^anole: (--set .*|\S+:\d+(:\d+)?|text\d/\S+|/dev/null): \S", re.DOTALL)


def places(scenario):
    """Sections of the program's list of keys, and where this world has them: (section, map)."""
    yield "", scenario
    for section in ("host", "switch", "topology", "lb", "cc", "fidelity", "monitor", "tuner", "rlcc"):
        if isinstance(scenario.get(section), dict):
            yield section, scenario[section]
    topology = scenario.get("topology", {})
    yield f"topology {topology.get('kind')}", topology
    for section in ("links_down", "link_rates"):
        for row in topology.get(section, []):
            yield f"topology {section}", row
    if topology.get("kind") == "graph":
        yield "topology graph links", random.Random(len(topology["links"])).choice(topology["links"])
    for row in scenario.get("changes", []):
        yield "changes", row
    for entry in scenario.get("traffic", []):
        yield f"traffic {entry['kind']}", entry
        yield "traffic", entry


def odd_value(dice, key, is_right):
    """A value of the key's type, or of any other."""
    if not is_right:
        return dice.choice(ODD)
    if key["choices"] and dice.random() < 0.5:
        return dice.choice(key["choices"])
    if key["section"].startswith("topology") and key["unit"] == "count":
        return dice.randint(0, 9)                             # larger networks are right, and slow
    bounds = [round(b) if b == int(b) else b for b in (key["min"], key["max"]) if b is not None and abs(b) < 10**6]
    return dice.choice((*TYPICAL.get(key["unit"], ODD), *bounds))


def change(dice, scenario):
    """Gives one key another value, misspells one, or writes one twice. Says what it did."""
    section, values = dice.choice(list(places(scenario)))
    keys = [key for key in listed("key") if key["section"] == section]
    if not keys or dice.random() < 0.1:
        name = dice.choice(list(values))
        wrong = name[:-1] + dice.choice(("", "x", "_"))
        values[wrong] = values.pop(name)
        return f"{name} became {wrong}"
    key = dice.choice(keys)
    values[key["name"]] = odd_value(dice, key, dice.random() < 0.5)
    return f"{section} {key['name']}: {str(values[key['name']])[:60]}"


def accept_or_point(t, done, what):
    if done.returncode == 0:
        return
    t.must_point(done)
    line = [line for line in done.stderr.strip().splitlines() if not line.startswith("anole: warning:")][0]
    check(LOCATED.match(line), f"place: {what}: the error names no line: {line[:400]}")
    check(done.stdout == "", f"half: {what}: output next to an error: {done.stdout[:200]}")
    t.must_be_whole(t.folder / "text")                        # of a run that a limit has ended
    t.discard("text")


def attempts(t, alter):
    dice = random.Random(t.world.text())
    for number in range(6):
        world = t.world.copy()
        what, options = alter(dice, world)
        where = world.write(t.folder / f"text{number}").relative_to(t.folder)
        try:
            done = t.execute("run", where, *options, "--until", "2us", "--quiet", "--out", "text", keep_going=True)
        except Wrong as why:
            raise Wrong(f"{why} ({what})") from None
        if done.returncode == 0:
            t.discard("text")
        accept_or_point(t, done, what)


@judge("a key of a file with a random value: a run, or one line that says where and what is wrong", "text", 2)
def text(t):
    attempts(t, lambda dice, world: (change(dice, world.scenario), []))


@judge("--set of a path or knob with a random value: a run, or one line that says what is wrong", "text", 2)
def text_set(t):
    def alter(dice, world):
        section, values = dice.choice(list(places(world.scenario)))
        keys = [key for key in listed("key") if key["section"] == section] or [{"section": "", "name": "x", "choices": [], "min": None, "max": None, "unit": "count"}]
        key, index = dice.choice(keys), next((i for i, entry in enumerate(world.traffic()) if entry is values), 0)
        path = f"traffic.{index}." if section.startswith("traffic") else f"{section.split()[0]}." if section else ""
        name, value = f"{path}{key['name']}", odd_value(dice, key, dice.random() < 0.5)
        if dice.random() < 0.3:
            knob = dice.choice(listed("knob"))
            name, value = knob["name"], dice.choice((knob["min"], knob["max"], knob["max"] * 2 + 1, *ODD))
        setting = f"{name}={value}".replace("\x00", "")
        return setting[:80], ["--set", setting]
    attempts(t, alter)
