#!/usr/bin/env python3
"""tests/fidelity/fidelity.py [OPTION...] [ID...] - compares the model hpcc with runs of the HPCC ns-3 fork.

Every folder hpcc/ID is one network with its flows, in the fork's format, and the fork's results, once per seed.
docs/fidelity.md describes the folders and the comparison. New folders are compared without a change here. Output is TAP; its
comments contain the comparison, number by number.

A folder whose runs have more than LARGE_PACKETS data packets is large. Large folders are compared
    with --all                    completely
    with $FIDELITY_ANOLE          in order ns3, first seed only; the program should be optimized
    otherwise                     not at all: the program under test, $ANOLE, may be slow

--orders N tests nothing: it measures the difference between the two orders of events, over N seeds of each.
"""
import argparse
import collections
import concurrent.futures
import functools
import gzip
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile

FOLDERS = pathlib.Path(__file__).parent / "hpcc"
LARGE_PACKETS = 1_000_000

SEEDS_NODE = (1, 2, 3, 4, 5, 6, 7, 8)    # if ns-3 has several: its three are too few
SEEDS_NODE_SINGLE = (1, 2, 3, 4, 5)      # if ns-3 has one: the spread must then come from our runs
SLOWDOWN_SHARE = 0.03             # of ns-3's value, or its spread if that is larger
COUNTS_SHARE = 0.10
ERRORS = 3                        # limit for the difference of two means, in standard errors
CNPS_SHARE = 0.01

BUCKETS = (("<10KB", 0, 10_000), ("10KB-100KB", 10_000, 100_000), ("100KB-1MB", 100_000, 1_000_000),
           (">=1MB", 1_000_000, float("inf")), ("all", 0, float("inf")))
QUANTILES = (("p50", 0.50), ("p95", 0.95), ("p99", 0.99))

# One flow: a line of an fct file.
Flow = collections.namedtuple("Flow", "src dst sport dport size start_ns fct_ns standalone_ns")

# The results of a run: lines of text as written, and counts under ns-3's names.
Run = collections.namedtuple("Run", "fct pfc counts")


class Different(Exception):
    """The comparison found a difference that is not allowed."""


# ---- runs of ns-3

def read_text(folder, name):
    """Returns the text of a file, which may be packed."""
    packed = folder / (name + ".gz")
    if packed.exists():
        return gzip.decompress(packed.read_bytes()).decode()
    return (folder / name).read_text()


def lines_of(text):
    return [line.rstrip() for line in text.splitlines()]


class Scenario:
    def __init__(self, folder, work):
        self.id = folder.name
        self.folder = folder
        self.work = work / folder.name
        self.seeds = sorted(int(path.stem[len("counts-seed"):]) for path in folder.glob("counts-seed*.json"))
        if not self.seeds:
            sys.exit(f"{folder}: there is no counts-seedN.json")
        self.is_large = self.ns3(self.seeds[0]).counts["host_data_tx"] > LARGE_PACKETS

    @functools.cache
    def ns3(self, seed):
        return Run(lines_of(read_text(self.folder, f"fct-seed{seed}.txt")),
                   lines_of(read_text(self.folder, f"pfc-seed{seed}.txt")),
                   json.loads(read_text(self.folder, f"counts-seed{seed}.json")))

    def node_seeds(self):
        return SEEDS_NODE if len(self.seeds) > 1 else SEEDS_NODE_SINGLE

    def theirs(self):
        """Returns runs of ns-3 for the comparison of order node. If ns-3 has several seeds, order ns3 represents more of them: it
        equals ns-3 on every recorded seed, which the cases of order ns3 check."""
        if len(self.seeds) > 1:
            return [self.anole("ns3", seed) for seed in self.node_seeds()]
        return [self.ns3(seed) for seed in self.seeds]

    def is_unloaded(self):
        """Whether no flow met another, so that the order of events does not matter."""
        return all(flow.fct_ns <= flow.standalone_ns for flow in flows_of(self.ns3(self.seeds[0])))

    def unpack(self):
        """Writes the input files in the fork's format, with a scenario file per order."""
        self.work.mkdir()
        shutil.copy(self.folder / "config.txt", self.work)
        for name in ("topology.txt", "flow.txt"):
            (self.work / name).write_text(read_text(self.folder, name))
        (self.work / "ns3.yaml").write_text("hpcc: config.txt\n")
        (self.work / "node.yaml").write_text("hpcc: config.txt\norder: node\n")

    @functools.cache
    def anole(self, order, seed):
        """Runs the program. Order ns3 is not named, because it must be the default."""
        made = f"{self.work}/{order}-{seed}"
        fct, pfc = pathlib.Path(f"{made}.fct"), pathlib.Path(f"{made}.pfc")
        command = [program(), "run", f"{self.work}/{order}.yaml", "--seed", f"{seed}", "--format", "json",
                   "--hpcc-fct", f"{fct}", "--hpcc-pfc", f"{pfc}"]
        ended = subprocess.run(command, capture_output=True, text=True, check=False)
        if ended.returncode != 0:
            raise Different(f"{' '.join(command)}: exit code {ended.returncode}: {ended.stderr.strip()}")
        run = Run(lines_of(fct.read_text()), lines_of(pfc.read_text()), counts_of(json.loads(ended.stdout)))
        fct.unlink()
        pfc.unlink()
        return run


# ---- runs of anole

@functools.cache
def program():
    return os.environ.get("FIDELITY_ANOLE") or os.environ.get("ANOLE") or "build/release/anole"


def counts_of(summary):
    """Returns our counts under ns-3's names."""
    packets, pfc = summary["packets"], summary["pfc"]
    return {
        "flows_done": summary["all"]["flows"],
        "host_data_tx": packets["data_sent"],
        "host_ack_tx": packets["acks_sent"],
        "nacks": packets["nacks_sent"],
        "ecn_marks": packets["marked"],
        "cnps": packets["cnps_received"],
        "drops": packets["dropped_buffer"],
        "pfc_pause_rx": pfc["pauses"],
        "pfc_resume_rx": pfc["resumes"],
        "hops": packets["hops"],
    }


def with_hops(counts):
    """Returns ns-3's counts. A hop is a packet of any kind sent over one link."""
    kinds = ("host_data_tx", "host_ack_tx", "switch_data_tx", "switch_ack_tx", "switch_pfc_tx")
    return counts | {"hops": sum(counts[kind] for kind in kinds)}


# ---- numbers

def flows_of(run):
    for line in run.fct:
        words = line.split()
        yield Flow(*words[:4], *(int(word) for word in words[4:]))


def slowdown_stats(run):
    """Returns {(bucket, statistic): value}."""
    values = [(flow.size, max(1.0, flow.fct_ns / flow.standalone_ns)) for flow in flows_of(run)]
    stats = {}
    for name, size_min, size_end in BUCKETS:
        chosen = sorted(value for size, value in values if size_min <= size < size_end)
        # A bucket that contains every flow would only repeat "all".
        if not chosen or (name != "all" and len(chosen) == len(values)):
            continue
        stats[name, "mean"] = sum(chosen) / len(chosen)
        for word, share in QUANTILES:
            stats[name, word] = chosen[int(len(chosen) * share)]
    return stats


def mean(values):
    return sum(values) / len(values)


def spread(values):
    return max(values) - min(values)


def shown(value):
    return f"{value:,}" if isinstance(value, int) else f"{value:,.0f}" if value >= 10_000 else f"{value:.3f}"


def shown_share(value, whole):
    return f"{100 * value / whole:.2f} %" if value and whole else shown(value)


# ---- comparing

class Table:
    """Prints rows of "what, ours, ns-3's, difference, allowed, verdict" and remembers failures."""

    def __init__(self, title):
        self.bad = []
        print(f"# {title}")
        print(f"#   {'':<24} {'anole':>14} {'ns-3':>14} {'difference':>12} {'allowed':>10}")

    def row(self, what, ours, theirs, allowed):
        is_good = abs(ours - theirs) <= allowed
        verdict = "equal" if ours == theirs else "ok" if is_good else "DIFFERS"
        difference, bound = shown_share(ours - theirs, theirs), shown_share(allowed, theirs)
        print(f"#   {what:<24} {shown(ours):>14} {shown(theirs):>14} {difference:>12} {bound:>10}  {verdict}")
        if not is_good:
            self.bad.append(what)

    def lines(self, what, ours, theirs):
        """Compares two lists of lines that must be equal; shows the first difference."""
        differing = sum(a != b for a, b in zip(ours, theirs)) + abs(len(ours) - len(theirs))
        self.row(what, len(ours), len(theirs), 0)
        print(f"#   {'  of these differing':<24} {differing:>14,}")
        if not differing:
            return
        self.bad.append(what)
        pairs = zip(ours + [""] * len(theirs), theirs + [""] * len(ours))
        a, b = next((a, b) for a, b in pairs if a != b)
        print(f"#     anole: {a}\n#     ns-3:  {b}")

    def end(self):
        if self.bad:
            raise Different("different: " + ", ".join(self.bad))


def allowed_difference(ours, theirs, share):
    """Allows a share of ns-3's mean or, if larger, the effect of chance: three standard errors of the difference over
    seeds, or the spread of ours if ns-3 has one seed."""
    chance = ERRORS * standard_error(ours, theirs) if len(theirs) > 1 else spread(ours)
    return max(share * mean(theirs), chance)


def check_flows_ns3(scenario, seed):
    table = Table(f"{scenario.id}, order ns3, seed {seed}: flows, nanosecond by nanosecond")
    table.lines("flows", sorted(scenario.anole("ns3", seed).fct), sorted(scenario.ns3(seed).fct))
    table.end()


def check_pfc_ns3(scenario, seed):
    table = Table(f"{scenario.id}, order ns3, seed {seed}: PFC frames received, in their order")
    table.lines("pfc frames", scenario.anole("ns3", seed).pfc, scenario.ns3(seed).pfc)
    table.end()


def check_counts_ns3(scenario, seed):
    ours, theirs = scenario.anole("ns3", seed).counts, with_hops(scenario.ns3(seed).counts)
    table = Table(f"{scenario.id}, order ns3, seed {seed}: counts")
    for what, count in ours.items():
        table.row(what, count, theirs[what], CNPS_SHARE * theirs[what] if what == "cnps" else 0)
    table.end()


def check_flows_node(scenario):
    """In both orders: the same flows with the same ideal, and the same number of data packets."""
    first = scenario.ns3(scenario.seeds[0])
    theirs = sorted(flow._replace(fct_ns=0) for flow in flows_of(first))
    table = Table(f"{scenario.id}, order node: flows, without their FCT")
    for seed in scenario.node_seeds():
        run = scenario.anole("node", seed)
        table.lines(f"flows, seed {seed}", sorted(flow._replace(fct_ns=0) for flow in flows_of(run)), theirs)
        table.row(f"data packets, seed {seed}", run.counts["host_data_tx"], first.counts["host_data_tx"], 0)
    table.end()


def check_unloaded_node(scenario):
    theirs = sorted(scenario.ns3(scenario.seeds[0]).fct)
    table = Table(f"{scenario.id}, order node: flows that meet no other, nanosecond by nanosecond")
    for seed in scenario.node_seeds():
        table.lines(f"flows, seed {seed}", sorted(scenario.anole("node", seed).fct), theirs)
    table.end()


def title_node(scenario, what):
    return (f"{scenario.id}, order node: {what}, mean over {len(scenario.node_seeds())} seeds and "
            f"{len(scenario.theirs())} of ns-3")


def check_slowdown_node(scenario):
    ours = [slowdown_stats(scenario.anole("node", seed)) for seed in scenario.node_seeds()]
    theirs = [slowdown_stats(run) for run in scenario.theirs()]
    table = Table(title_node(scenario, "slowdown"))
    for key in theirs[0]:
        a, b = [stats[key] for stats in ours], [stats[key] for stats in theirs]
        table.row(" ".join(key), mean(a), mean(b), allowed_difference(a, b, SLOWDOWN_SHARE))
    table.end()


def check_marks_and_pauses_node(scenario):
    table = Table(title_node(scenario, "marks and pauses"))
    for what in ("ecn_marks", "cnps", "pfc_pause_rx"):
        a = [scenario.anole("node", seed).counts[what] for seed in scenario.node_seeds()]
        b = [run.counts[what] for run in scenario.theirs()]
        table.row(what, mean(a), mean(b), allowed_difference(a, b, COUNTS_SHARE))
    table.end()


# ---- cases

Case = collections.namedtuple("Case", "name check skip")


def case_name(check, of):
    return f"{check.__name__[len('check_'):]}__{of}"


def cases_ns3(scenario, skip, seeds):
    for seed in seeds:
        for check in (check_flows_ns3, check_pfc_ns3, check_counts_ns3):
            name = case_name(check, f"{scenario.id}_seed{seed}")
            yield Case(name, functools.partial(check, scenario, seed), skip)


def cases_node(scenario, skip):
    checks = [check_flows_node, check_slowdown_node, check_marks_and_pauses_node]
    if scenario.is_unloaded():
        checks.insert(1, check_unloaded_node)
    for check in checks:
        yield Case(case_name(check, scenario.id), functools.partial(check, scenario), skip)


def cases_of(scenario, want_all):
    skip_large = scenario.is_large and not want_all
    skip_ns3 = skip_large and "FIDELITY_ANOLE" not in os.environ
    yield from cases_ns3(scenario, skip_ns3, scenario.seeds[:1])
    yield from cases_ns3(scenario, skip_large, scenario.seeds[1:])
    yield from cases_node(scenario, skip_large)


def run_ahead(scenarios, jobs):
    """Runs all cases, 'jobs' at a time, and keeps the results; a failed run fails again when it is used."""
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for scenario in scenarios:
            more = scenario.node_seeds() if len(scenario.seeds) > 1 else ()
            for order, seeds in (("ns3", {*scenario.seeds, *more}), ("node", scenario.node_seeds())):
                for seed in seeds:
                    pool.submit(scenario.anole, order, seed)


def run_case(number, case):
    """Prints the case's line; returns False if it failed."""
    if case.skip:
        print(f"ok {number} - {case.name} # SKIP large: make fidelity")
        return True
    try:
        case.check()
    except Different as why:
        print(f"not ok {number} - {case.name}\n# {why}", flush=True)
        return False
    print(f"ok {number} - {case.name}", flush=True)
    return True


def run_cases(cases):
    print(f"1..{len(cases)}")
    good = sum(run_case(number, case) for number, case in enumerate(cases, 1))
    skipped = sum(bool(case.skip) for case in cases)
    print(f"# {good - skipped} passed, {len(cases) - good} failed, {skipped} skipped")
    return good == len(cases)


# ---- measuring the difference between the orders

def numbers_of(scenario, order, seed):
    run = scenario.anole(order, seed)
    counts = ("ecn_marks", "cnps", "pfc_pause_rx")
    return slowdown_stats(run) | {(what, ""): run.counts[what] for what in counts}


def standard_error(a, b):
    """Standard error of the difference of the means of a and b, each with more than one value."""
    return sum(statistics.variance(values) / len(values) for values in (a, b)) ** 0.5


def measure_orders(scenario, seeds, jobs):
    """Order ns3 equals ns-3 seed by seed, so it represents any number of ns-3 runs."""
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        node, ns3 = (list(pool.map(functools.partial(numbers_of, scenario, order), range(1, seeds + 1)))
                     for order in ("node", "ns3"))
    print(f"{scenario.id}, mean over {seeds} seeds")
    print(f"  {'':<24} {'order node':>14} {'order ns3':>14} {'difference':>12} {'standard error':>14}")
    for key in ns3[0]:
        a, b = [numbers[key] for numbers in node], [numbers[key] for numbers in ns3]
        if mean(b):
            difference, error = mean(a) / mean(b) - 1, standard_error(a, b) / mean(b)
            print(f"  {' '.join(key):<24} {shown(mean(a)):>14} {shown(mean(b)):>14}"
                  f" {100 * difference:>+10.2f} % {100 * error:>12.2f} %")


def parse_options():
    parser = argparse.ArgumentParser(description="Compares anole with recorded runs of the HPCC ns-3 fork.")
    parser.add_argument("--all", action="store_true", help="large folders too: all their seeds, both orders")
    parser.add_argument("--orders", type=int, metavar="N", help="only measure what the order makes: N > 1")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="N simulations at a time")
    parser.add_argument("--folders", type=pathlib.Path, default=FOLDERS, metavar="DIR", help="where the folders are")
    parser.add_argument("id", nargs="*", help="folders of tests/fidelity/hpcc (default: all)")
    return parser.parse_args()


def main():
    options = parse_options()
    if not options.folders.is_dir():
        print(f"1..0 # SKIP {options.folders} does not exist")
        return True
    folders = [options.folders / name for name in options.id or sorted(os.listdir(options.folders))]
    with tempfile.TemporaryDirectory(prefix="anole-fidelity-") as work:
        scenarios = [Scenario(folder, pathlib.Path(work)) for folder in folders]
        for scenario in scenarios:
            scenario.unpack()
        if options.orders:
            for scenario in scenarios:
                measure_orders(scenario, options.orders, options.jobs)
            return True
        if options.all and options.jobs > 1:
            run_ahead(scenarios, options.jobs)
        return run_cases([case for scenario in scenarios for case in cases_of(scenario, options.all)])


if __name__ == "__main__":
    sys.exit(not main())
