#!/usr/bin/env python3
"""tests/fidelity/weave.py [DIR...] - compares the balancer ConWeave with runs of its ns-3 fork (LB_MODE 9).

Every folder of DIR (default: tests/fidelity/weave) is a run: the fork's config.txt with the files that it names, and its
results: fct.txt, pfc.txt, and ConWeave's counters in counts.json. Every flow, every PFC frame in order and every count must
be equal. A missing DIR is skipped. Output is TAP.

Without $FIDELITY_ANOLE, an optimized program, only the smallest runs are compared.
"""
import functools
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import conweave
import fidelity

FOLDERS = pathlib.Path(__file__).parent / "weave"
NAMES = {"config.txt", "counts.json"}


def unpack(folder, work):
    shutil.copy(folder / "config.txt", work)
    for path in folder.iterdir():
        if path.name not in NAMES:
            name = path.name.removesuffix(".gz")
            (work / name).write_text(fidelity.read_text(folder, name))
    (work / "s.yaml").write_text(json.dumps({"hpcc": "config.txt"}))


def run(work):
    command = [fidelity.program(), "run", f"{work}/s.yaml", "--format", "json", "--hpcc-fct", f"{work}/ours.fct",
               "--hpcc-pfc", f"{work}/ours.pfc"]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    if ended.returncode != 0:
        raise fidelity.Different(f"{' '.join(command)}: exit code {ended.returncode}: {ended.stderr.strip()}")
    return json.loads(ended.stdout)["conweave"]


def check(folder, work):
    work = pathlib.Path(tempfile.mkdtemp(prefix=folder.name, dir=work))      # two folders may have the same name
    unpack(folder, work)
    ours, theirs = run(work), json.loads((folder / "counts.json").read_text())
    table = fidelity.Table(f"{folder.name}: flows to the nanosecond, PFC frames in their order, counts")
    flows = [conweave.flow_line(line) for line in fidelity.lines_of((work / "ours.fct").read_text())]
    table.lines("flows", sorted(flows), sorted(fidelity.lines_of((work / "fct.txt").read_text())))
    table.lines("pfc frames", fidelity.lines_of((work / "ours.pfc").read_text()),
                fidelity.lines_of((work / "pfc.txt").read_text()))
    for name in sorted(theirs.keys() - {"releases_again"}):      # the fork counts these twice
        table.row(name, ours[name], theirs[name], 0)
    table.end()


def main():
    skip = "FIDELITY_ANOLE" not in os.environ
    folders = [folder for name in sys.argv[1:] or [FOLDERS] for folder in sorted(pathlib.Path(name).iterdir()) if folder.is_dir()]
    with tempfile.TemporaryDirectory(prefix="anole-fidelity-") as work:
        return fidelity.run_cases([fidelity.Case(f"check__{folder.name}",
                                                 functools.partial(check, folder, pathlib.Path(work)),
                                                 skip and not folder.name.startswith("tiny")) for folder in folders])


if __name__ == "__main__":
    sys.exit(not main())
