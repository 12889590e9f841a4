#!/usr/bin/env python3
"""tests/fidelity/htsim.py [FOLDER...] - compares the model htsim with runs of uet-htsim, flow by flow.

Every folder FOLDER/ID (default: htsim/) is one run of htsim_uec: cmd.txt, its command line; the files that it names, packed or
not; flows.txt.gz, one line of 26 columns per flow; counts.json, its total counts. The command line is converted and run.
Every column of every flow, and every count, must be equal. A missing FOLDER is skipped. Output is TAP.
"""
import gzip
import json
import os
import pathlib
import shlex
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
ANOLE = os.environ.get("FIDELITY_ANOLE") or os.environ.get("ANOLE") or "build/release/anole"
COUNTS = ("events", "packet_hops", "hops_low", "hops_high", "hops_host", "marks", "trims", "drops")


def unpack(folder, work):
    """Copies the command line and the files that it names."""
    command = (folder / "cmd.txt").read_text()
    (work / "cmd.txt").write_text(command)
    words = shlex.split(command.split("\n")[0])
    for option, name in zip(words, words[1:]):
        if option in ("-tm", "-topo"):
            packed = folder / (name + ".gz")
            if packed.exists():
                (work / name).write_bytes(gzip.decompress(packed.read_bytes()))
            else:
                shutil.copy(folder / name, work / name)


def run(work):
    """Returns our flow file: the lines of flows, and the counts as a dictionary."""
    flows = work / "flows.txt"
    subprocess.run([ANOLE, "convert", work / "cmd.txt", "--to", "scenario", "-o", work / "made"], check=True)
    subprocess.run([ANOLE, "run", work / "made" / "scenario.yaml", "--quiet", "--htsim-flows", flows], check=True)
    lines = flows.read_text().splitlines()
    words = lines[-1].split()[1:]
    return lines[0], lines[1:-1], dict(zip(words[::2], map(int, words[1::2])))


def differences(folder, work):
    """Returns the differences as lines of text."""
    unpack(folder, work)
    head, flows, counts = run(work)
    wanted = gzip.decompress((folder / "flows.txt.gz").read_bytes()).decode().splitlines()
    wanted_flows = [line.strip() for line in wanted if not line.startswith("#")]
    wanted_counts = json.loads((folder / "counts.json").read_text())
    found = []
    if len(flows) != len(wanted_flows):
        found.append(f"{len(flows)} flows instead of {len(wanted_flows)}")
    for is_line, was_line in zip(flows, wanted_flows):
        for column, is_value, was_value in zip(head.split()[1:], is_line.split(), was_line.split()):
            if is_value != was_value:
                found.append(f"flow {is_line.split()[0]}: {column} is {is_value} instead of {was_value}")
    for name in COUNTS:
        if counts[name] != wanted_counts[name]:
            found.append(f"{name}: {counts[name]} instead of {wanted_counts[name]}")
    return found


def main():
    folders = []
    for name in sys.argv[1:] or [HERE / "htsim"]:
        if pathlib.Path(name).is_dir():
            folders += sorted(path.parent for path in pathlib.Path(name).glob("*/cmd.txt"))
        else:
            print(f"# {name} is not there: skipped")
    print(f"1..{len(folders)}")
    failed = 0
    for number, folder in enumerate(folders, 1):
        with tempfile.TemporaryDirectory() as work:
            try:
                found = differences(folder, pathlib.Path(work))
            except subprocess.CalledProcessError as error:
                found = [str(error)]
        failed += bool(found)
        print(f"{'not ok' if found else 'ok'} {number} - htsim: {folder.name} equals uet-htsim", flush=True)
        for line in found[:10]:
            print("#", line)
        if len(found) > 10:
            print(f"# and {len(found) - 10} more")
    return 1 if failed else 0


sys.exit(main())
