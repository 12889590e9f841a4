"""tests/worlds/shrink.py - makes a failing world smaller while it still fails in the same way."""
import copy
import itertools

from world import NUMBER, World


def places(value, path=()):
    """Paths of all values inside a map or list, outer ones first."""
    pairs = value.items() if isinstance(value, dict) else list(enumerate(value)) if isinstance(value, list) else ()
    for key, one in pairs:
        yield (*path, key)
    for key, one in pairs:
        yield from places(one, (*path, key))


def at(value, path):
    for key in path:
        value = value[key]
    return value


def smaller(value):
    """Smaller values of a number, with its unit."""
    match = NUMBER.fullmatch(str(value))
    if isinstance(value, bool) or not match or float(match[1]) <= 1:
        return []
    number, unit = float(match[1]), match[2]
    digits = 10 ** max(0, len(str(int(number))) - 1)
    candidates = dict.fromkeys((1, number // 8, number // 2, number // digits * digits, int(number), number - 1))
    whole = [int(n) if n == int(n) else n for n in candidates if 0 < n < number]
    return [n if isinstance(value, (int, float)) else f"{n:.10g}{unit}" for n in whole]


def without_node(scenario, host):
    """A graph without its last host."""
    topology = scenario["topology"]
    topology["hosts"] -= 1
    topology["links"] = [link for link in topology["links"] if host not in (link["a"], link["b"])]


def steps(world):
    """Worlds that are a little smaller, the boldest first."""
    topology = world.scenario.get("topology", {})
    if isinstance(topology, dict) and topology.get("kind") == "graph" and topology["hosts"] > 2:
        other = world.copy()
        without_node(other.scenario, f"h{topology['hosts'] - 1}")
        yield other
    for path in places(world.scenario):
        other = world.copy()
        del at(other.scenario, path[:-1])[path[-1]]
        yield other
    for name, text in world.files.items():
        lines = text.splitlines(keepends=True) if isinstance(text, str) else []
        first = 1 if lines and lines[0].strip().isdigit() else 0           # a list that begins with its length
        chunk = max(1, (len(lines) - first) // 2)
        while len(lines) > first + 1 and chunk:
            for begin in range(first, len(lines), chunk):
                rest = lines[:begin] + lines[begin + chunk:]
                if first:
                    rest[0] = f"{len(rest) - 1}\n"
                yield World(copy.deepcopy(world.scenario), {**world.files, name: "".join(rest)})
            chunk //= 2
        for number, line in enumerate(lines[first:], first):
            words = line.split(" ")
            for place, word in enumerate(words):
                for less in smaller(word.strip()) if len(word) > 3 and "." not in word else ():
                    changed = [*words[:place], word.replace(word.strip(), less), *words[place + 1:]]
                    yield World(copy.deepcopy(world.scenario), {**world.files, name: "".join([*lines[:number], " ".join(changed), *lines[number + 1:]])})
    for path in places(world.scenario):
        for value in smaller(at(world.scenario, path)):
            other = world.copy()
            at(other.scenario, path[:-1])[path[-1]] = value
            yield other


def shrink(world, fails, most=400):
    """Returns the smallest world that is found in so many tries. After a success it goes on with the next kind of step."""
    tries, again = 0, True
    while again and tries < most:
        again, place = False, 0
        while tries < most and (other := next(itertools.islice(steps(world), place, None), None)):
            tries += 1
            if fails(other):
                world, again = other, True
            else:
                place += 1
    named = {str(value) for path in places(world.scenario) for value in [at(world.scenario, path)]}
    world.files = {name: data for name, data in world.files.items() if any(name.startswith(one) for one in named)}
    return world
