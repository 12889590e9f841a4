#!/usr/bin/env python3
"""tests/fidelity/conweave.py [OPTION...] [ID...] - compares the model conweave with runs of the ConWeave ns-3 fork.

Every folder conweave/ID is one network with its flows, in the fork's format, and the fork's results with several balancers.
docs/fidelity.md describes the folders and the comparison. New folders are compared without a change here. Output is TAP; its
comments contain the comparison, number by number.

With $FIDELITY_ANOLE, an optimized program, order ns3 is compared; with --all also order node. Otherwise nothing is
compared: a run has millions of packets, and the program under test, $ANOLE, may be slow.
"""
import argparse
import concurrent.futures
import functools
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import fidelity

FOLDERS = pathlib.Path(__file__).parent / "conweave"
SEEDS = (1, 2, 3, 4, 5)
SEEDS_AGAIN = tuple(range(26, 46))        # further seeds, to distinguish chance from a difference
SHARE_ALL, SHARE_BUCKET = 0.07, 0.15      # of slowdowns: for all flows, and for those of a bucket
COUNTS_SHARE = 0.20
BUCKETS = (("<10KB", 0, 10_000), ("10KB-100KB", 10_000, 100_000), ("100KB-1MB", 100_000, 1_000_000),
           ("1MB-10MB", 1_000_000, 10_000_000), (">=10MB", 10_000_000, float("inf")), ("all", 0, float("inf")))


def flow_line(line):
    """Converts a line of our fct file to the fork's form: with node numbers, not addresses."""
    src, dst, *rest = line.split()
    return " ".join([*(str(int(address, 16) >> 8 & 0xffff) for address in (src, dst)), *rest])


class Scenario:
    def __init__(self, folder, work, jobs):
        self.id = folder.name
        self.jobs = jobs
        self.folder = folder
        self.work = work / folder.name
        self.runs = json.loads((folder / "runs.json").read_text())

    def unpack(self):
        self.work.mkdir()
        shutil.copy(self.folder / "config.txt", self.work)
        for name in ("topology.txt", "flow.txt"):
            (self.work / name).write_text(fidelity.read_text(self.folder, name))
        for name, run in self.runs.items():
            for order in ("ns3", "node"):
                made = {"hpcc": "config.txt", "order": order, "lb": run["lb"], "knobs": run.get("knobs", {})}
                (self.work / f"{name}-{order}.yaml").write_text(json.dumps(made))

    @functools.cache
    def ns3(self, name):
        return fidelity.Run(fidelity.lines_of(fidelity.read_text(self.folder, f"fct-{name}.txt")),
                            fidelity.lines_of(fidelity.read_text(self.folder, f"pfc-{name}.txt")), self.runs[name])

    @functools.cache
    def anole(self, name, order, seed):
        made = f"{self.work}/{name}-{order}-{seed}"
        command = [fidelity.program(), "run", f"{self.work}/{name}-{order}.yaml", "--seed", f"{seed}", "--format", "json",
                   "--hpcc-fct", f"{made}.fct", "--hpcc-pfc", f"{made}.pfc"]
        ended = subprocess.run(command, capture_output=True, text=True, check=False)
        if ended.returncode != 0:
            raise fidelity.Different(f"{' '.join(command)}: exit code {ended.returncode}: {ended.stderr.strip()}")
        packets = json.loads(ended.stdout)["packets"]
        counts = {"cnps": packets["cnps_received"], "nacks": packets["nacks_sent"]}
        if "flowlets" in packets:
            counts["flowlets"] = packets["flowlets"]
        fct = [flow_line(line) for line in fidelity.lines_of(pathlib.Path(f"{made}.fct").read_text())]
        return fidelity.Run(fct, fidelity.lines_of(pathlib.Path(f"{made}.pfc").read_text()), counts)

    def run_ahead(self, name, seeds):
        """Runs both orders, 'jobs' at a time, and keeps the results; a failed run fails again when it is used."""
        with concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
            for seed in seeds:
                pool.submit(self.anole, name, "ns3", seed)
                pool.submit(self.anole, name, "node", seed)


def slowdown_stats(run):
    """{(bucket, statistic): value}"""
    values = [(flow.size, max(1.0, flow.fct_ns / flow.standalone_ns)) for flow in fidelity.flows_of(run)]
    stats = {}
    for name, size_min, size_end in BUCKETS:
        chosen = sorted(value for size, value in values if size_min <= size < size_end)
        if not chosen:
            continue
        stats[name, "mean"] = sum(chosen) / len(chosen)
        for word, share in fidelity.QUANTILES:
            stats[name, word] = chosen[int(len(chosen) * share)]
    return stats


def check_flows_ns3(scenario, name):
    table = fidelity.Table(f"{scenario.id}, {name}, order ns3: flows, nanosecond by nanosecond")
    table.lines("flows", sorted(scenario.anole(name, "ns3", 1).fct), sorted(scenario.ns3(name).fct))
    table.end()


def check_pfc_ns3(scenario, name):
    table = fidelity.Table(f"{scenario.id}, {name}, order ns3: PFC frames received, in their order")
    table.lines("pfc frames", scenario.anole(name, "ns3", 1).pfc, scenario.ns3(name).pfc)
    table.end()


def check_counts_ns3(scenario, name):
    ours, theirs = scenario.anole(name, "ns3", 1).counts, scenario.ns3(name).counts
    table = fidelity.Table(f"{scenario.id}, {name}, order ns3: counts")
    for what in sorted(ours.keys() & theirs.keys()):
        table.row(what, ours[what], theirs[what], fidelity.CNPS_SHARE * theirs[what] if what == "cnps" else 0)
    table.end()


def table_node(title, ours, theirs, share_of, chosen=None):
    """Compares means over seeds of order node with those of order ns3. The latter represents the fork, because both are equal on
    the recorded seed. One run of the fork says too little about tails."""
    table = fidelity.Table(f"{title}, mean over {len(ours)} seeds of each order")
    for key in ours[0]:
        if chosen and key not in chosen:
            continue
        a, b = [values[key] for values in ours], [values[key] for values in theirs]
        table.row(key, fidelity.mean(a), fidelity.mean(b), fidelity.allowed_difference(a, b, share_of(key)))
    return table


def compare_node(scenario, name, what, stats_of, share_of):
    """Rows that differ are compared again with other and more seeds. A standard error estimated from five seeds is often too
    small, and among a hundred rows one beyond three standard errors is expected."""
    def stats(order, seeds):
        return [stats_of(scenario.anole(name, order, seed)) for seed in seeds]

    title = f"{scenario.id}, {name}, order node: {what}"
    bad = table_node(title, stats("node", SEEDS), stats("ns3", SEEDS), share_of).bad
    if bad:
        scenario.run_ahead(name, SEEDS_AGAIN)
        table_node(title, stats("node", SEEDS_AGAIN), stats("ns3", SEEDS_AGAIN), share_of, bad).end()


def check_slowdown_node(scenario, name):
    def stats_of(run):
        return {" ".join(key): value for key, value in slowdown_stats(run).items()}

    compare_node(scenario, name, "slowdown", stats_of, lambda key: SHARE_ALL if key.startswith("all ") else SHARE_BUCKET)


def check_counts_node(scenario, name):
    compare_node(scenario, name, "counts", lambda run: run.counts, lambda key: COUNTS_SHARE)


def cases_of(scenario, want_all):
    skip_ns3 = "FIDELITY_ANOLE" not in os.environ and not want_all
    for name in scenario.runs:
        for check in (check_flows_ns3, check_pfc_ns3, check_counts_ns3, check_slowdown_node, check_counts_node):
            skip = skip_ns3 if check.__name__.endswith("ns3") else not want_all
            yield fidelity.Case(fidelity.case_name(check, f"{scenario.id}_{name}"),
                                functools.partial(check, scenario, name), skip)


def main():
    parser = argparse.ArgumentParser(description="Compares anole with recorded runs of the ConWeave ns-3 fork.")
    parser.add_argument("--all", action="store_true", help="order node too, over several seeds")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="N simulations at a time")
    parser.add_argument("id", nargs="*", help="folders of tests/fidelity/conweave (default: all)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="anole-fidelity-") as work:
        scenarios = [Scenario(FOLDERS / name, pathlib.Path(work), options.jobs)
                     for name in options.id or sorted(os.listdir(FOLDERS))]
        for scenario in scenarios:
            scenario.unpack()
        for scenario in scenarios if options.all else []:
            for name in scenario.runs:
                scenario.run_ahead(name, SEEDS)
        return fidelity.run_cases([case for scenario in scenarios for case in cases_of(scenario, options.all)])


if __name__ == "__main__":
    sys.exit(not main())
