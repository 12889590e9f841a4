"""tests/worlds/twins.py - the same world in two ways: fidelity fast, threads, a part of the time, converted, by the libraries, by a
second implementation of the HPCC fork.
"""
import collections
import importlib.util
import json
import pathlib
import subprocess
import sys

import replay
from draw import Dice, draw_htsim_topology, host_count
from judges import judge, lone_flows, need, obey_physics, same
from network import network
from relations import as_matrix, first_pair, posted
from trial import TOP, Refused, Wrong, check, program
from world import World, plain, ps

# ---- fidelity: fast

def with_fidelity(world, kind):
    other = world.copy()
    other.scenario["fidelity"] = {"kind": kind, "seeds": 1} if kind == "fast" else kind
    return other


def both(t):
    """The results packet by packet, and with fidelity fast."""
    need(t.world.model() == "nic")
    packets = t.run(world=with_fidelity(t.world, "packet"), name="packet.yaml", fast=True)
    return packets, t.run(world=with_fidelity(t.world, "fast"), name="fast.yaml", fast=True,
                          seconds=min(t.seconds, 2 + 20 * packets.seconds))


@judge("fidelity fast ends, obeys physics, and invents no disorder", "twins")
def fast(t):
    packets, r = both(t)
    obey_physics(t.world, r)
    if not t.world.get("run"):
        check(r.summary["all"]["flows_unfinished"] == packets.summary["all"]["flows_unfinished"], "unfinished: other flows are unfinished")
    if r.summary["fidelity"]["hops_skipped_share"] == 0:
        check(r.text("flows.csv") == packets.text("flows.csv"), "differs: nothing was skipped, but flows differ")


@judge("fidelity fast is exact, to the picosecond, for flows that are always alone", "twins")
def fast_exact(t):
    packets, r = both(t)
    ours = collections.Counter((f["src"], f["dst"], f["bytes"], f["start"], f["fct"]) for f in r.flows)
    for f in lone_flows(packets):
        check(ours[f["src"], f["dst"], f["bytes"], f["start"], f["fct"]],
              f"exact: {f['src']} to {f['dst']}, {f['bytes']} B at {f['start']} ps, is alone and takes {f['fct']} ps; with fast "
              f"{[g['fct'] for g in r.flows if (g['src'], g['dst'], g['start']) == (f['src'], f['dst'], f['start'])]}")


@judge("fidelity fast writes the same columns, and as many intervals", "twins")
def fast_rows(t):
    packets, r = both(t)
    need(packets.intervals and packets.summary["simulated_us"] and abs(r.summary["simulated_us"] / packets.summary["simulated_us"] - 1) < 0.01)
    rows = len(r.intervals), len(packets.intervals)
    check(0.45 < rows[0] / rows[1] < 2.2, f"intervals: {rows[0]} with fast, {rows[1]} packet by packet")
    check(list(r.intervals[0]) == list(packets.intervals[0]), "columns: other columns of intervals.csv")


# ---- threads and time

@judge("three threads and one: the same bytes", "twins")
def threads(t):
    need(t.world.kind("order", "node") == "node" and t.world.kind("fidelity", "packet") == "packet")
    need(t.world.model() in ("nic", "uet") or t.world.scenario.get("order") == "node")
    same(t.run("--threads", "1"), t.run("--threads", "3"), "threads: 3 and 1")


@judge("a run to a moment is the beginning of a longer one", "twins")
def until(t):
    need("tuner" not in t.world.scenario)
    whole = t.run("--set", "interval=7us")
    end = whole.summary["simulated_us"] * (0.2 + len(t.world.text()) % 7 / 10)
    need(7 < end < 20000)
    part = t.run("--set", "interval=7us", "--until", f"{round(end * 1000)}ns")
    done, mine = ([line for line, flow in zip(run.text("flows.csv").splitlines()[1:], run.flows)
                   if flow["start"] + flow["fct"] <= round(end * 1000) * 1000] for run in (whole, part))
    check(len(mine) == len(part.flows) or "ud" in t.world.text(), "until: a flow ends after the run")    # a datagram on its way out counts
    check(sorted(mine) == sorted(done), f"until: {round(end * 1000)} ns: {len(mine)} flows are done, {len(done)} in the longer run")
    for row, longer in zip(part.intervals[:-1], whole.intervals):
        check(row == longer, f"until: in the interval at {row['start_us']} us {[(k, row[k], longer[k]) for k in row if row[k] != longer[k]]}")


# ---- other formats, libraries and programs

def plain_hpcc(t, most=900):
    """A world of model hpcc with the trial's network and flows, and what a config of the fork can say of its settings."""
    net, flows = network(t.world), posted(t)
    need(net and not net.inside and not t.world.get("topology.links_down"))
    need(all(delay % 1000 == 0 for _, _, _, delay in net.links) and len({frozenset(link[:2]) for link in net.links}) == len(net.links))
    flows = [f for f in flows if f["bytes"] < 500000]
    while sum(-(-f["bytes"] // 1000) for f in flows) > most:
        flows.pop()
    need(flows)
    order = list(dict.fromkeys(node for link in net.links for node in link[:2] if node not in net.is_host))
    topology = {"kind": "graph", "hosts": len(net.hosts), "switches": order, "links": [
        {"a": a, "b": b, "rate": f"{rate}bps", "delay": f"{delay // 1000}ns"} for a, b, rate, delay in net.links]}
    rows = "".join(f"{f['src'][1:]} {f['dst'][1:]} {f['prio']} 4791 {f['bytes']} 2.{f['start'] // 1000:09d}\n" for f in flows)
    knobs = {key: value for key, value in t.world.scenario.get("knobs", {}).items() if key in ("rpg_time_reset", "rpg_ai_rate", "rpg_hai_rate", "rpg_threshold")}
    knobs.update(kmin=20, kmax=80, pmax=0.5)                                 # a fork's config has whole KB
    return World({"model": "hpcc", "seed": t.world.get("seed", 1), "topology": topology, "knobs": knobs,
                  "switch": {"buffer": "32MiB"}, "traffic": [{"kind": "flows", "file": "list.txt"}]}, {"list.txt": f"{len(flows)}\n{rows}"})


def ended(results):
    return sorted((f["src"], f["dst"], f["bytes"], f["start"], f["fct"]) for f in results.flows)


def converted(t):
    """The plain world and its results, and the folder of the fork's files."""
    world = plain_hpcc(t)
    results = t.run(world=world, name="plain")
    if not (t.folder / "fork").exists():
        t.execute("convert", "plain/world.yaml", "--to", "hpcc", "--out", "fork")
    return results, t.folder / "fork"


@judge("convert to files of the HPCC fork, and back: the same completion times", "twins")
def convert(t):
    results, folder = converted(t)
    (folder / "fork.yaml").write_text("hpcc: config.txt\n")
    t.execute("run", "fork/fork.yaml", "--quiet", "--seed", t.world.get("seed", 1), "--out", "there")
    t.execute("convert", "fork/config.txt", "--to", "scenario", "--out", "back")
    t.execute("run", "back/scenario.yaml", "--quiet", "--seed", t.world.get("seed", 1), "--out", "again")
    t.execute("convert", "fork/topology.txt", "fork/flow.txt", "--to", "scenario", "--out", "files")
    with open(t.folder / "files" / "scenario.yaml", "a", encoding="utf-8") as file:                    # these files have no settings
        plain_world = plain_hpcc(t).scenario
        file.writelines(f"{key}: {plain(plain_world[key])}\n" for key in ("knobs", "switch"))
    t.execute("run", "files/scenario.yaml", "--quiet", "--seed", t.world.get("seed", 1), "--out", "of files")
    for name in ("there", "again", "of files"):
        other = type(results)(t.folder / name)
        check(ended(results) == ended(other), f"converted: {name}: {first_pair(ended(results), ended(other))}")


@judge("a topology and a connection matrix of htsim, and the scenario that convert makes of them: the same flows", "twins", 4)
def convert_htsim(t):
    dice, other = Dice(t.world.text()), World({})
    other.scenario["topology"] = {"kind": "htsim", **draw_htsim_topology(dice, other)}
    other.scenario["traffic"] = [{"kind": "htsim", "file": "matrix.cm"}]
    other.files["matrix.cm"] = replay.matrix(dice, host_count(other), lambda messages: dice.log(1, 10**5))
    results = t.run(world=other, name="matrix")
    t.execute("convert", "matrix/net.topo", "matrix/matrix.cm", "--to", "scenario", "--out", "made")
    t.execute("run", "made/scenario.yaml", "--quiet", "--out", "of matrix")
    made = type(results)(t.folder / "of matrix")
    check(ended(results) == ended(made), f"converted: {first_pair(ended(results), ended(made))}")


def fork_rules():
    spec = importlib.util.spec_from_file_location("minisim", TOP / "tests" / "fidelity" / "minisim.py")
    minisim = importlib.util.module_from_spec(spec)
    sys.path.insert(0, str(TOP / "tests" / "fidelity"))
    spec.loader.exec_module(minisim)
    return minisim


@judge("model hpcc and a second implementation of the fork: the same flows and PFC frames", "twins", 4)
def fork(t):
    _, folder = converted(t)
    (folder / "fork.yaml").write_text("hpcc: config.txt\n")
    t.execute("run", "fork/fork.yaml", "--quiet", "--seed", t.world.get("seed", 1), "--hpcc-fct", "ours.fct", "--hpcc-pfc", "ours.pfc")
    rules = fork_rules().Simulation(folder, t.world.get("seed", 1)).run()
    for mine, theirs, what in ((t.folder / "ours.fct", rules.fct, "flows"), (t.folder / "ours.pfc", rules.pfc, "PFC frames")):
        lines = [" ".join(line.split()) for line in mine.read_text().splitlines()]
        theirs = [" ".join(line.split()) for line in theirs]
        check(sorted(lines) == sorted(theirs), f"fork: {what}: {first_pair(sorted(lines), sorted(theirs))}")


@judge("libanole and the command: the same completion times", "twins")
def library(t):
    libs = [lib for lib in (pathlib.Path(program(fast=True)).parent / "libanole.so", TOP / "build/fast/libanole.so") if lib.exists()]
    need(libs and t.world.model() == "nic" and "tuner" not in t.world.scenario)
    need(t.world.get("topology.kind") not in ("hpcc", "simai", "astra", "htsim"))
    flows = posted(t)
    world = t.world.copy()
    world.scenario["traffic"] = [{"kind": "htsim", "file": "flows.cm", "qps": 1}]
    world.files = {"flows.cm": as_matrix(len(network(world).hosts) if network(world) else 10**6, flows)}
    mine = sorted(f["fct"] for f in t.run(world=world, name="by command", fast=True).flows)
    world.scenario["traffic"] = [{"kind": "external"}]
    request = {"scenario": world.text(), "flows": [[int(f["src"][1:]), int(f["dst"][1:]), f["bytes"], f["start"]] for f in flows],
               "until": ps(world.get("run", "10s"))}
    done = subprocess.run([sys.executable, str(pathlib.Path(__file__).parent / "library.py"), str(libs[0])], input=json.dumps(request), text=True,
                          capture_output=True, check=False, timeout=10 * t.seconds)
    check(done.returncode == 0, f"library: exit code {done.returncode}: {done.stderr[-500:]}")
    theirs = sorted(json.loads(done.stdout))
    check(mine == theirs, f"library: completion times {first_pair(mine, theirs)}")


@judge("the Python package and the command: the same summary", "twins", 4)
def package(t):
    need(not t.world.files)                                                   # they are relative to a file
    pythons = [python for python in (sys.executable, "/usr/bin/python3") if not subprocess.run([python, "-c", "import numpy"], capture_output=True, check=False).returncode]
    need(pythons)
    base = t.base()
    code = ("import json, sys, anole\nrun = anole.run(json.load(sys.stdin))\n"
            "json.dump([run.summary, [int(b) for b in run.table('flows')['bytes']] if run.summary['all']['flows'] else []], sys.stdout)")
    done = subprocess.run([pythons[0], "-c", code], input=json.dumps({**t.world.scenario, "fidelity": "packet"}), text=True, cwd=t.folder,
                          capture_output=True, check=False, env={"PYTHONPATH": str(TOP / "python"), "ANOLE": program(), "PATH": "/usr/bin:/bin", "PYTHONDONTWRITEBYTECODE": "1"})
    check(done.returncode == 0, f"package: exit code {done.returncode}: {done.stderr[-700:]}")
    summary, sizes = json.loads(done.stdout)
    left_out = ("answer", "scenario", "set", "version")
    differ = [key for key in summary if key not in left_out and summary[key] != base.summary.get(key)]
    check(not differ and sizes == [f["bytes"] for f in base.flows], f"package: other results: {differ}")
