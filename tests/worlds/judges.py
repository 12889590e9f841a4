"""tests/worlds/judges.py - what must hold in every world, one function each.

A judge gets a Trial (trial.py) and raises Wrong with a label, a colon, and what is wrong. Beside means that the world is not
one that it is about. Everything is worked out from the scenario, without the program: times from links and frames, and so on.
"""
import collections
import decimal
import heapq
import math

from trial import Beside, Wrong, check, listed
from network import network
from world import ps, size

JUDGES = {}

# Frames of each model: headers of data, an ACK, and what the wire adds to a frame.
HEADER, ACK, GAP = {"nic": 62, "hpcc": 48, "conweave": 48}, {"nic": 66, "hpcc": 60, "conweave": 60}, {"nic": 20, "hpcc": 0, "conweave": 0}


def judge(about, group, every=1):
    """Adds a judge to the list. Slow ones judge one world of 'every'."""
    def add(function):
        function.about, function.group, function.every = about, group, every
        JUDGES[function.__name__] = function
        return function
    return add


def need(is_so):
    """Leaves a world that a judge is not about."""
    if not is_so:
        raise Beside


def plain_summary(results):
    """summary.json without what names the scenario or the way it was run."""
    left_out = ("answer", "scenario", "set", "version")
    return {key: value for key, value in results.summary.items() if key not in left_out}


def same(a, b, label, files=("flows.csv", "ports.csv", "intervals.csv")):
    """Two runs must have the same bytes in these files, and the same summary."""
    for name in files:
        mine, theirs = a.text(name).split(b"\n"), b.text(name).split(b"\n")
        line = next((i for i, (x, y) in enumerate(zip(mine, theirs)) if x != y), min(len(mine), len(theirs)))
        check(mine == theirs, f"{label}: {name} differs in line {line + 1}:\n{mine[line:line + 1]}\n{theirs[line:line + 1]}")
    if len(files) == 3:
        mine, theirs = plain_summary(a), plain_summary(b)
        check(mine == theirs, f"{label}: summary.json differs in {[key for key in mine if mine[key] != theirs.get(key)]}")


# ---- physics: of a world and the results of a run

def wire_ps(model, payload, rate, header=None):
    """Time of a frame on a wire; of the forks, at least: ns-3 truncates a real number of seconds to nanoseconds."""
    total = payload + (HEADER[model] if header is None else header) + GAP[model]
    return -(-total * 8 * 10**12 // rate) if model == "nic" else total * 8 * 10**9 // rate * 1000 - 1000


def lone_ps(model, payload, mtu, route, header=None):
    """When the last bit of a message arrives that has a route for itself: all packets are full but the last."""
    packets = max(1, -(-payload // mtu))
    last = payload - (packets - 1) * mtu
    first, slowest, before, arrived = 0, 0, 0, 0
    for rate, delay in route:
        full = wire_ps(model, mtu, rate, header)
        first, slowest = first + full, max(slowest, full)
        before = first + (packets - 2) * slowest if packets > 1 else 0         # when the last packet but one has left
        arrived = max(arrived, before) + wire_ps(model, last, rate, header) + delay
        first += delay
    return arrived


def travel_ps(net, model, src, dst, payload, header):
    """The least time of one packet, over any path."""
    best, queue = {}, [(0, src)]
    while queue:
        at, node = heapq.heappop(queue)
        if node == dst:
            return at
        if node in best or (node in net.is_host and node != src):
            continue
        best[node] = at
        for peer, rate, delay in net.next.get(node, []):
            heapq.heappush(queue, (at + wire_ps(model, payload, rate, header) + delay, peer))
    return 0


def entry_of(world, flow):
    """The entry of the traffic list that a flow belongs to."""
    counts = collections.Counter()
    for entry in world.traffic():
        counts[entry["kind"]] += 1
        if flow["traffic"] in (entry.get("name"), f"{entry['kind']} {counts[entry['kind']]}", entry["kind"]):
            return entry
    return {}


def is_fixed(world):
    """Whether every flow keeps its path."""
    return world.kind("lb", "ecmp") == "ecmp" and not world.get("topology.links_down")


def is_clean(world):
    """Whether nothing may be lost: PFC with enough headroom, and links without errors."""
    topology, switch = world.scenario["topology"], world.scenario.get("switch", {})
    links = topology["links"] if topology["kind"] == "graph" else []
    return (world.model() == "nic" and switch.get("lossless", True) and not {"headroom", "lossy", "pause_time"} & set(switch)
            and "drain" not in world.scenario.get("host", {}) and not topology.get("links_down")
            and not any(float(part.get(key, 0)) for key in ("ber", "loss") for part in (topology, *links))
            and all(entry["kind"] != "tcp" for entry in world.traffic()))


def inside_ps(world, flow, net):
    """Time of a message inside a server, or None. TCP uses the network."""
    if entry_of(world, flow).get("kind") == "tcp" or net.inside.get(flow["src"]) is None or net.inside[flow["src"]] != net.inside.get(flow["dst"]):
        return None
    return flow["bytes"] * 8 * 10**12 // net.nvlink[0] + 2 * net.nvlink[1]


def least_ps(world, net, flow):
    """No flow can be done sooner."""
    model, entry, src, dst = world.model(), entry_of(world, flow), flow["src"], flow["dst"]
    inside = inside_ps(world, flow, net)
    if inside is not None:
        return inside
    if model not in HEADER or entry.get("verb", "write") != "write":
        return flow["bytes"] * 8 * 10**12 // net.rate(src)                     # the payload alone
    mtu, header, ack = size(world.get("host.mtu", 1024 if model == "nic" else 1000)), HEADER[model], ACK[model]
    if entry.get("kind") == "tcp":
        mtu, header, ack = entry.get("mss", 1448), 70, 70
    if is_fixed(world) and not world.get("switch.cut_through"):
        least = min(lone_ps(model, flow["bytes"], mtu, route, header) for route in net.routes(src, dst))
        least += min(lone_ps(model, 0, mtu, route, ack) for route in net.routes(dst, src))
    else:
        packets = -(-flow["bytes"] // mtu)
        last = 0 if world.get("switch.cut_through") else flow["bytes"] - (packets - 1) * mtu
        least = (packets - 1) * wire_ps(model, mtu, net.rate(src), header)
        least += travel_ps(net, model, src, dst, last, 0 if not last else header) + travel_ps(net, model, dst, src, 0, 0 if not last else ack)
    return least if model == "nic" else least - 20000


def never_sooner(world, r):
    net = network(world)
    need(net)
    for flow in r.flows:
        least = least_ps(world, net, flow)
        check(flow["fct"] >= least, f"sooner: {flow['src']} to {flow['dst']}, {flow['bytes']} B at {flow['start_ns']} ns, is done "
              f"after {flow['fct'] / 1000:.3f} ns, before its ideal time of {least / 1000:.3f} ns")


def within_rates(world, r):
    time_ps, net = r.summary["simulated_us"] * 1e6, network(world)
    for port in r.ports:
        gap = GAP.get(world.model(), 0) * sum(port[key] for key in port if key.endswith("_packets") and key != "marked_packets")
        rounded_ps = 0 if world.model() in ("nic", "uet") else 1000 * sum(port[key] for key in port if key.endswith("_packets") and key != "marked_packets")
        most = port["rate_bps"] * (time_ps + rounded_ps) / 8e12 + 9200          # the forks cut times to whole ns
        most += port["queue_bytes_max"]                                         # what waits when the last flow ends is sent, too
        check(port["tx_bytes"] + gap <= most, f"rate: port {port['port']:.0f} of {port['node']} sent {port['tx_bytes']:.0f} B, more than {most:.0f}")
    if net:
        drawn = collections.Counter((a, b, rate) for x, y, rate, _ in net.links for a, b in ((x, y), (y, x)))
        built = collections.Counter((p["node"], p["peer"].split(":")[0], p["rate_bps"]) for p in r.ports)
        check(drawn == built, f"links: the program has other links: {list((drawn - built) + (built - drawn))[:3]}")
    hosts = sum(p["rate_bps"] for p in r.ports if p["node"].startswith("h"))
    for row in r.intervals:
        most = hosts * (row["end_us"] - row["start_us"]) / 8e6 + 9000 * len(r.ports)
        check(row["payload_bytes"] <= most, f"interval: {row['payload_bytes']:.0f} B arrived in the interval at {row['start_us']} us, "
              f"more than {most:.0f} that the hosts' links carry")


def conserved(world, r):
    s, packets = r.summary, r.summary["packets"]
    lost = sum(packets[key] for key in packets if key.startswith("dropped_"))
    check(packets["data_received"] <= packets["data_sent"], f"packets: more data packets received than sent: {packets}")
    check(sum(f["bytes"] for f in r.flows) == s["all"]["bytes"], "bytes: flows.csv has other bytes than summary.json")
    asked = 16 * len(r.flows) if any(entry.get("verb") == "read" for entry in world.traffic()) else 0           # requests count, too
    check(packets["payload_bytes_received"] <= s["all"]["bytes_started"] + asked, "bytes: more payload received than posted")
    if not s["all"]["flows_unfinished"] and not lost and not packets["payload_bytes_resent"] and not packets["datagrams_sent"]:
        check(packets["data_sent"] == packets["data_received"], f"packets: {packets['data_sent']} sent, {packets['data_received']} received, none lost")
    came, went = collections.Counter(), collections.Counter()
    for port in r.ports:
        went[port["node"]] += port["data_packets"]
        came[port["peer"].split(":")[0]] += port["data_packets"]
    for node in went:
        if not node.startswith("h"):
            check(went[node] <= came[node], f"packets: {node} sent {went[node]:.0f} data packets, and {came[node]:.0f} came in")
    for key, total in (("data_packets", packets["data_sent"]), ("received_packets", packets["data_received"]),
                       ("nacks", packets["nacks_sent"]), ("payload_bytes", packets["payload_bytes_received"])):
        summed = sum(row[key] for row in r.intervals)
        check(summed == total, f"sums: {key} of intervals.csv add up to {summed:.0f}, summary.json has {total}")


def in_order(world, r):
    need(is_fixed(world) and is_clean(world))
    packets = r.summary["packets"]
    for key in ("reordered", "nacks_sent"):
        check(packets[key] == 0, f"disorder: paths are fixed and nothing is lost, but {key} is {packets[key]}")
    check(packets["timeouts"] or not packets["payload_bytes_resent"], "disorder: payload was sent again without a reason")


def nothing_dropped(world, r):
    need(is_clean(world))
    dropped = {key: value for key, value in r.summary["packets"].items() if key.startswith("dropped_") and value}
    check(not dropped, f"drops: nothing may be lost here, but {dropped}")


def within_bounds(world, r):
    asics = {asic["name"]: asic["buffer_bytes"] for asic in listed("asic")}
    buffer = size(world.get("switch.buffer", asics.get(world.get("switch.asic"), "9MiB" if world.model() == "conweave" else "32MiB")))
    switches = len({p["node"] for p in r.ports if not p["node"].startswith("h")})
    for port in r.ports:
        check(port["queue_bytes_max"] <= buffer, f"queue: {port['queue_bytes_max']:.0f} B at {port['node']}, more than its buffer of {buffer}")
        check(port["paused_us"] <= r.summary["simulated_us"] * 8 + 1e-6, f"paused: {port} for longer than the run")
    for row in r.intervals:
        check(row["queue_bytes"] <= buffer * switches, f"queue: switches hold {row['queue_bytes']:.0f} B, more than their buffers")
        check(row["queue_bytes"] is None or row["queue_bytes_max"] >= 0, "queue: negative")


def rows_make_sense(world, r):
    for row in r.intervals:
        mean, peak = row["rtt_us_mean"], row["rtt_us_max"]
        check((mean is None) == (row["rtt_samples"] == 0), f"rtt: {row['rtt_samples']} samples and a mean of {mean}")
        check(mean is None or mean <= peak * (1 + 1e-9), f"mean: in the interval at {row['start_us']} us the mean RTT is {mean}, the largest {peak}")
        for key in ("paused_share", "pmax"):
            check(0 <= row[key] <= 1, f"share: {key} is {row[key]}")
    s = r.summary
    for row in [s["all"], *s["sizes"], *s["traffic"]]:
        if not row["flows"]:
            continue
        for what in ("slowdown", "fct_us"):
            values = [row[f"{what}_{key}"] for key in ("p50", "p95", "p99", "p999", "max")]
            check(values == sorted(values), f"percentiles: {what} {values}")
            check(row[f"{what}_mean"] <= values[-1] * (1 + 1e-9), f"mean: {what} {row[f'{what}_mean']} above the largest, {values[-1]}")
    times = [flow["fct"] for flow in r.flows]
    check(len(times) == s["all"]["flows"], f"flows: {len(times)} in flows.csv, {s['all']['flows']} in summary.json")
    if times:
        mean, longest = sum(times) / len(times) / 1e6, max(times) / 1e6
        check(math.isclose(mean, s["all"]["fct_us_mean"], rel_tol=1e-9) and math.isclose(longest, s["all"]["fct_us_max"], rel_tol=1e-9),
              f"flows: {mean} us on average in flows.csv, {longest} at most; in summary.json {s['all']['fct_us_mean']} and {s['all']['fct_us_max']}")
    for part in ("sizes", "traffic"):
        check(sum(row["flows"] for row in s[part]) == s["all"]["flows"], f"sums: flows by {part} are not all flows")
    check(all(float(flow["slowdown"]) >= 1 for flow in r.flows), "slowdown: below 1")
    for row, after in zip(r.intervals, r.intervals[1:]):
        check(row["end_us"] == after["start_us"], f"intervals: {row['end_us']} us, then {after['start_us']} us")
    end = ps(world.get("run", "1000s")) / 1e6
    check(all(row["end_us"] <= end + 1e-6 for row in r.intervals), f"intervals: the last ends after the run: {r.intervals[-1:]}")


PHYSICS = {"sooner": never_sooner, "rates": within_rates, "conserved": conserved, "order": in_order, "lossless": nothing_dropped,
           "bounds": within_bounds, "rows": rows_make_sense}


def obey_physics(world, r):
    """Applies all of them. Those that a world is beside do not count."""
    for law in PHYSICS.values():
        try:
            law(world, r)
        except Beside:
            pass


@judge("no flow sooner than its ideal time, no port above its rate, bytes conserved, nothing out of order, lost or beyond bounds", "physics")
def physics(t):
    obey_physics(t.world, t.base())


def lone_flows(r):
    """Flows that share no time with another flow, from the first on until one does."""
    waiting, end = sorted(r.flows, key=lambda f: f["start"]), 0
    for flow, after in zip(waiting, [*waiting[1:], None]):
        if flow["start"] < end or (after and after["start"] <= flow["start"] + flow["fct"]):
            return
        end = flow["start"] + flow["fct"]
        yield flow


def exchange_ps(payload, mtu, way, back):
    """When the last ACK of a lone message arrives: frame by frame, each waits for the one before it on every link."""
    free, last = [0] * (len(way) + len(back)), 0
    for number in range(max(1, -(-payload // mtu))):
        at = 0
        for hop, (rate, delay) in enumerate((*way, *back)):
            size_now, header = (min(mtu, payload - number * mtu), HEADER["nic"]) if hop < len(way) else (0, ACK["nic"])
            free[hop] = max(at, free[hop]) + wire_ps("nic", size_now, rate, header)
            at = free[hop] + delay
        last = at
    return last


@judge("a flow that is alone, not marked and not limited takes its ideal time, to the picosecond", "physics")
def alone(t):
    world, net = t.world, network(t.world)
    host, switch = world.scenario.get("host", {}), world.scenario.get("switch", {})
    need(net and world.model() == "nic" and is_fixed(world) and is_clean(world) and world.kind("cc", "dcqcn") in ("dcqcn", "none"))
    need(not {"window", "tx_fifo", "pcie", "drain", "ack_class", "ack_every"} & set(host) and not {"cut_through", "latency"} & set(switch))
    r = t.base()
    need(not r.summary["packets"]["marked"] and not r.summary["pfc"]["frames_sent"] and not r.summary["all"]["flows_unfinished"])
    mtu, found = size(host.get("mtu", 1024)), 0
    for flow in lone_flows(r):
        if inside_ps(world, flow, net) is not None:
            continue
        if flow["bytes"] > 2000 * mtu:
            continue                                                        # would take long here
        times = {exchange_ps(flow["bytes"], mtu, way, back)
                 for way in net.routes(flow["src"], flow["dst"]) for back in net.routes(flow["dst"], flow["src"])}
        check(flow["fct"] in times, f"alone: {flow['src']} to {flow['dst']}, {flow['bytes']} B at {flow['start_ns']} ns takes {flow['fct']} ps, not {sorted(times)}")
        found += 1
    need(found)


@judge("flows of a list start when the list says", "physics")
def starts(t):
    need(t.world.model() == "nic")                                          # the forks read times as ns-3
    r, rows, listed = t.base(), collections.Counter(), []
    if t.world.get("topology.kind") == "hpcc":                              # its file names the switches
        listed = t.world.files[t.world.get("topology.file")].splitlines()[1].split()
    hosts = [str(i) for i in range(10**4) if str(i) not in listed]
    for entry in t.world.traffic():
        if entry["kind"] == "flows":
            for line in t.world.files[entry["file"]].splitlines()[1:]:
                a, b, _, _, length, at = line.split()
                rows[f"h{hosts.index(a)}", f"h{hosts.index(b)}", int(length), int(decimal.Decimal(at) * 10**9) * 1000] += 1
    need(rows)
    names = {entry.get("name", "flows") for entry in t.world.traffic() if entry["kind"] == "flows"}
    for flow in r.flows:
        if flow["traffic"].split()[0] in names:
            key = flow["src"], flow["dst"], flow["bytes"], flow["start"]
            check(rows[key] > 0, f"start: the list has no flow from {key[0]} to {key[1]} of {key[2]} B that starts at {key[3]} ps")
            rows[key] -= 1
