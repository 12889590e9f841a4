#!/usr/bin/env python3
"""tests/fidelity/htsim_random.py MINISIM [FROM [COUNT]] - compares model htsim with a second implementation in random worlds.

MINISIM is a Python file with a class Sim that takes the options of htsim_uec. It implements the rules of uet-htsim and has been
compared with uet-htsim. World N (FROM .. FROM + COUNT - 1) has a random network, options, flows and triggers. All 26 columns of
every flow, and all counts, must be equal. If MINISIM aborts as uet-htsim would, Anole must stop too. The program under test
is $FIDELITY_ANOLE or build/release/anole.
"""
import importlib.util
import os
import pathlib
import random
import subprocess
import sys
import tempfile

ANOLE = os.environ.get("FIDELITY_ANOLE") or "build/release/anole"
LATENCIES_NS = (1, 250, 500, 1000, 2100)
SWITCH_NS = (0, 0, 300, 411)


def tier(rng, number, gbps, down, *rest):
    return [f"Tier {number}", f"Downlink_speed_Gbps {gbps}", f"Radix_Down {down}", *rest,
            f"Downlink_Latency_ns {rng.choice(LATENCIES_NS)}", f"Switch_Latency_ns {rng.choice(SWITCH_NS)}"]


def two_tiers(rng, gbps):
    """Returns the lines of a .topo file, and its number of hosts."""
    hosts_per_tor, tors = rng.choice((2, 3, 4, 6, 8, 16)), rng.choice((2, 3, 4, 5, 6))
    over = rng.choice([ratio for ratio in (1, 2, 4) if hosts_per_tor % ratio == 0])
    up = hosts_per_tor // over
    nodes = hosts_per_tor * tors
    bundle = rng.choice((1, 2)) if up % 2 == 0 and nodes // over // (up // 2) % 2 == 0 else 1
    return [f"Nodes {nodes}", "Tiers 2", f"Podsize {nodes}",
            *tier(rng, 0, gbps, hosts_per_tor, f"Radix_Up {up}", "Queue_Up 1", f"Oversubscribed {over}"),
            *tier(rng, 1, gbps, nodes // over // (up // bundle), f"Bundle {bundle}")], nodes


def three_tiers(rng, gbps):
    while True:
        hosts_per_tor, pods, tors = rng.choice((2, 4, 6)), rng.choice((2, 3, 4, 6)), rng.choice((1, 2, 3))
        over = rng.choice((1, 1, 2))
        up = hosts_per_tor // over
        bundle1 = rng.choice((1, 2)) if up % 2 == 0 else 1
        bundle2, cores_per_agg = rng.choice((1, 1, 2)), rng.choice((1, 2))
        aggs = up // bundle1
        nodes = pods * tors * hosts_per_tor
        uplinks = nodes // over
        cores = cores_per_agg * aggs
        down1, down2 = uplinks / (pods * aggs), uplinks / cores
        if down1 % bundle1 == 0 and down2 % bundle2 == 0:        # integers, as uet-htsim requires
            break
    return [f"Nodes {nodes}", "Tiers 3", f"Podsize {tors * hosts_per_tor}",
            *tier(rng, 0, gbps, hosts_per_tor, f"Radix_Up {up}", f"Oversubscribed {over}"),
            *tier(rng, 1, gbps, uplinks // (pods * aggs), f"Radix_Up {cores_per_agg * bundle2}", f"Bundle {bundle1}"),
            *tier(rng, 2, gbps, uplinks // cores, f"Bundle {bundle2}")], nodes


def network(rng, work):
    """Options of the network, and its number of hosts."""
    mbps = rng.choice((1000, 10000, 25000, 100000, 100000, 200000, 400000, 400000, 800000))
    options = ["-linkspeed", str(mbps)]
    if rng.random() < 0.35:
        lines, nodes = rng.choice((two_tiers, three_tiers))(rng, mbps // 1000)
        (work / "net.topo").write_text("\n".join(lines) + "\n")
        return [*options, "-topo", "net.topo"], nodes
    tiers = rng.choice((2, 3))
    options += ["-tiers", str(tiers)]
    if rng.random() < 0.4:
        options += ["-hop_latency", rng.choice(("0.4", "2", "3", "0.001"))]
    if rng.random() < 0.4:
        options += ["-switch_latency", rng.choice(("0.25", "0.3", "1"))]
    return options, rng.choice((8, 18, 32, 50, 72) if tiers == 2 else (16, 54, 128))


# An option, how often it is given, and its values. An empty list means that it has no value.
SOMETIMES = (
    ("-oversubscribed_cc", 0.2, ()), ("-force_disable_oversubscribed_cc", 0.1, ()),
    ("-Ai", 0.15, ("0.02", "0.005")), ("-Md", 0.15, ("0.2", "0.8")), ("-alpha", 0.15, ("0.3", "0.9")),
    ("-trimsize", 0.2, ("64", "128", "256")), ("-sack_threshold", 0.3, ("1", "4000", "6000", "40000")),
    ("-cwnd", 0.3, ("1", "5", "30", "200")), ("-target_q_delay", 0.3, ("1", "4", "0.5", "20")),
    ("-qa_gate", 0.3, ("0", "1", "2", "4")), ("-failed", 0.3, ("1", "2", "5", "9", "40")),
    ("-enable_accurate_base_rtt", 0.2, ()), ("-disable_base_rtt_update_on_nack", 0.2, ()),
    ("-strat", 0.3, ("ecmp_ar", "ecmp_rr")), ("-q", 0.3, ("1", "2", "5", "10", "40")),
    ("-queue_size_bdp_factor", 0.15, ("1", "2", "3")),
)

CONTROLS = ([], [], ["-sender_cc_only"], ["-receiver_cc_only"], ["-sender_cc_algo", "nscc", "-receiver_cc"], ["-receiver_cc"],
            ["-sender_cc_only", "-sender_cc_algo", "dctcp"], ["-sender_cc_algo", "constant"])


def settings(rng):
    """Options of transport and queues, and the MTU."""
    mtu = rng.choice((564, 1564, 2112, 4096, 4160, 9064)) if rng.random() < 0.4 else 4150
    drops = rng.random() < 0.25
    control = rng.choice(CONTROLS)
    options = ["-mtu", str(mtu), "-seed", str(rng.randrange(1, 1 << 31)), *control,
               "-end", rng.choice(("300", "1000", "3000", "10000")), "-paths", rng.choice(("1", "4", "16", "64", "128")),
               "-load_balancing_algo", rng.choice(("mixed", "bitmap", "oblivious", "reps_legacy", "bitmap" if drops else "reps"))]
    if drops:
        options += ["-disable_trim"]
    if "-receiver_cc_only" not in control and rng.random() < (0.6 if drops else 0.15):
        options += ["-sleek"]
    if rng.random() < 0.35:
        low = rng.choice((1, 2, 5, 10))
        options += ["-ecn", str(low), str(low + rng.choice((0, 1, 5, 20)))]
    for option, share, values in SOMETIMES:
        if rng.random() < share:
            options += [option, rng.choice(values)] if values else [option]
    return options, mtu


def flow_triggers(rng, count):
    """Returns for each flow the trigger that it waits for and the one that it fires; 0 means none. A flow fires later triggers than
    its own, so there is no cycle, and waits only for triggers that a flow fires. Several flows may fire or wait for one trigger."""
    last = rng.choice((0, 1, 2, 5, 8))
    waits = [rng.randint(1, last) if last and rng.random() < 0.5 else 0 for _ in range(count)]
    fires = [rng.randint(wait + 1, last) if wait < last and rng.random() < 0.5 else 0 for wait in waits]
    waits = [wait if wait in fires else 0 for wait in waits]
    return waits, [fire if fire in waits else 0 for fire in fires]


def trigger_kind(rng, waiting, firing):
    kinds = [f"barrier count {firing}"] + ["oneshot"] * (firing == 1) + ["multishot"] * (waiting <= firing)
    return rng.choice(kinds)


def matrix(rng, nodes, mtu):
    """Lines of a .cm file."""
    count, has_ids, is_incast, scale = rng.randint(3, 30), rng.random() < 0.7, rng.random() < 0.3, rng.choice((1, 1, 4))
    waits, fires = flow_triggers(rng, count)
    flows = []
    for i, (wait, fire) in enumerate(zip(waits, fires)):
        src, dst = (rng.randrange(1, nodes), 0) if is_incast else rng.sample(range(nodes), 2)
        size = rng.choice((1, 64, 1000, mtu - 64, mtu - 63, 3 * (mtu - 64), 30000, 200000 * scale, 400000 * scale, 1000007))
        flows.append(f"{src}->{dst}" + (f" id {7 * i + 1}" if has_ids else "")
                     + (f" trigger {wait}" if wait else " start " + rng.choice(("0", "0", "1", "2.9", "10", "40", "100")))
                     + f" size {size}" + (f" send_done_trigger {fire}" if fire else ""))
    triggers = sorted(set(waits) - {0})
    return [f"Nodes {nodes}", f"Connections {count}", f"Triggers {len(triggers)}", *flows,
            *(f"trigger id {trigger} {trigger_kind(rng, waits.count(trigger), fires.count(trigger))}" for trigger in triggers)]


def second_form(minisim, work, options):
    """Returns lines of flows and of counts, or the reason why it stopped."""
    words = [str(work / word) if before in ("-tm", "-topo") else word for before, word in zip(["", *options], options)]
    try:
        sim = minisim.Sim(words)
        sim.E.run()
    except (Exception, SystemExit) as why:      # pylint: disable=broad-except  # assertions and other errors
        return None, repr(why)
    counts = (sim.E.count, sim.hops_low + sim.hops_high + sim.hops_host, sim.hops_low, sim.hops_high, sim.hops_host,
              sim.marks, sim.trims, sim.drops)
    return [" ".join(map(str, row)) for row in sim.rows()], list(map(str, counts))


def ours(work, options):
    (work / "cmd.txt").write_text("htsim_uec " + " ".join(options) + "\n")
    for words in (["convert", work / "cmd.txt", "--to", "scenario", "-o", work / "made"],
                  ["run", work / "made" / "scenario.yaml", "--quiet", "--htsim-flows", work / "flows.txt"]):
        done = subprocess.run([ANOLE, *words], capture_output=True, text=True, check=False)
        if done.returncode:
            return None, done.stderr.strip()
    lines = (work / "flows.txt").read_text().splitlines()
    return lines[1:-1], lines[-1].split()[2::2]


def compare(minisim, seed, work):
    """Returns the difference, or None."""
    rng = random.Random(seed)
    of_network, nodes = network(rng, work)
    of_transport, mtu = settings(rng)
    options = ["-tm", "conn.cm", *of_network, *of_transport]
    (work / "conn.cm").write_text("\n".join(matrix(rng, nodes, mtu)) + "\n")
    rows, counts = second_form(minisim, work, options)
    our_rows, our_counts = ours(work, options)
    if rows is None and our_rows is None:
        print(f"# world {seed}: both stop: {our_counts}")
        return None
    if rows == our_rows and counts == our_counts:
        return None
    return f"{' '.join(options)}: {counts} is {our_counts}"


def main():
    first, count = [*map(int, sys.argv[2:]), 1, 100][:2] if len(sys.argv) < 4 else map(int, sys.argv[2:4])
    spec = importlib.util.spec_from_file_location("minisim", sys.argv[1])
    minisim = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(minisim)
    sys.setrecursionlimit(100000)
    failed = 0
    print(f"1..{count}")
    for number, seed in enumerate(range(first, first + count), 1):
        with tempfile.TemporaryDirectory() as work:
            found = compare(minisim, seed, pathlib.Path(work))
        failed += bool(found)
        print(f"{'not ok' if found else 'ok'} {number} - htsim: world {seed}", flush=True)
        if found:
            print("#", found)
    return 1 if failed else 0


sys.exit(main())
