#!/usr/bin/env python3
"""tests/fidelity/random_worlds.py [OPTION...] [DIR] - compares the model hpcc with small worlds of the HPCC ns-3 fork.

Every folder of DIR (default: tests/fidelity/random) is one world: config.txt, topology.txt and flow.txt in the fork's format,
and its results fct-seedN.txt and pfc-seedN.txt, possibly packed with gzip. Every completion time and every PFC frame must be
equal. With --may-refuse a world may also be refused with a reason. Output is TAP, one line per world.

A flow that hangs in the fork, which has no retransmission timer, must stay unfinished here.
"""
import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

import fidelity

FOLDERS = pathlib.Path(__file__).parent / "random"
FILES = ("config.txt", "topology.txt", "flow.txt")


def run(folder, seed):
    """Returns the lines of both results, or the reason for a refusal."""
    with tempfile.TemporaryDirectory(prefix="anole-random-") as made:
        work = pathlib.Path(made)
        for name in FILES:
            (work / name).write_text(fidelity.read_text(folder, name))
        (work / "world.yaml").write_text("hpcc: config.txt\n")
        command = [fidelity.program(), "run", f"{work}/world.yaml", "--seed", seed, "--quiet",
                   "--hpcc-fct", f"{work}/ours.fct", "--hpcc-pfc", f"{work}/ours.pfc"]
        ended = subprocess.run(command, capture_output=True, text=True, check=False)
        if ended.returncode == 0:
            return [fidelity.lines_of((work / f"ours.{kind}").read_text()) for kind in ("fct", "pfc")]
        last = (ended.stderr.strip().splitlines() or [""])[-1].replace(f"{work}/", "")
        if ended.returncode < 0 or not last.startswith("anole: "):
            raise fidelity.Different(f"exit code {ended.returncode}: {last}")
        return last.removeprefix("anole: ")


def first_difference(ours, theirs):
    pairs = zip(ours + [""] * len(theirs), theirs + [""] * len(ours))
    return next(f"anole '{a}', ns-3 '{b}'" for a, b in pairs if a != b)


def compare(folder):
    """Describes the equal results, or returns 'refused: ' and the reason."""
    seed = re.search(r"fct-seed(\d+)", " ".join(path.name for path in folder.iterdir())).group(1)
    result = run(folder, seed)
    if isinstance(result, str):
        return f"refused: {result}"
    flows, frames = result
    theirs = [fidelity.lines_of(fidelity.read_text(folder, f"{kind}-seed{seed}.txt")) for kind in ("fct", "pfc")]
    if sorted(flows) != sorted(theirs[0]):
        differ = len(set(theirs[0]) - set(flows))
        raise fidelity.Different(f"{differ} of {len(theirs[0])} flows differ: "
                                 f"{first_difference(sorted(flows), sorted(theirs[0]))}")
    if frames != theirs[1]:
        raise fidelity.Different(f"PFC frames differ, {len(frames)} against {len(theirs[1])}: "
                                 f"{first_difference(frames, theirs[1])}")
    return f"equal: {len(flows)} flows, {len(frames)} PFC frames"


def judge(folder, may_refuse):
    """Returns the status and the text of a world's line."""
    try:
        text = compare(folder)
    except fidelity.Different as why:
        return "differs", str(why)
    is_refused = text.startswith("refused: ")
    return ("refused" if may_refuse else "differs") if is_refused else "equal", text


def main():
    parser = argparse.ArgumentParser(description="Compares anole with small worlds run by the HPCC ns-3 fork.")
    parser.add_argument("--may-refuse", action="store_true", help="a world that is refused with a reason is no failure")
    parser.add_argument("--only", metavar="NAME", action="append", help="only this world; may be repeated")
    parser.add_argument("folders", nargs="?", type=pathlib.Path, default=FOLDERS, metavar="DIR")
    options = parser.parse_args()
    if not options.folders.is_dir():
        print(f"1..0 # SKIP {options.folders} does not exist")
        return True
    worlds = sorted(path for path in options.folders.iterdir()
                    if path.is_dir() and (not options.only or path.name in options.only))
    print(f"1..{len(worlds)}")
    counts = dict.fromkeys(("equal", "refused", "differs"), 0)
    for number, folder in enumerate(worlds, 1):
        state, text = judge(folder, options.may_refuse)
        counts[state] += 1
        verdict = "not ok" if state == "differs" else "ok"
        print(f"{verdict} {number} - {folder.name} {text}", flush=True)
    print(f"# {len(worlds)} worlds: " + ", ".join(f"{count} {state}" for state, count in counts.items()))
    return counts["differs"] == 0


if __name__ == "__main__":
    sys.exit(not main())
