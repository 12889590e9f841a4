#!/usr/bin/env python3
"""A measured series as a closed loop: replay.py SERIES.csv.gz BYTES OUT.goal

Taken from the measurement is what hosts did: which read's end, or what else, let a client post each request and
how long after it; in which order it posted its reads; which server thread answered, for how long it worked, and when
it began to serve at all. How long messages and reads take, how long they wait for each other, and what follows from
that is for the simulator to say.

An operation: a request (17 bytes), work of a server thread, the answer (41 bytes), a small read and the read itself.
That there is a small read, on the queue pair of the reads, was inferred: from answer to read a round trip passes (8.6 us
idle, 83 us under load), and while a read of the same client is under way, all that time until its end.

Some operations are not in the log. A client posts a request after each read's end. After every 64th it waits for one
more completion, of a small read or of a read, and drops it: that operation is lost, and the client's window is smaller
by one from then on. A lost operation leaves two marks: a slot of its worker is missing, and from then on a request is
missing after the end of a read. It is put back; its read has one byte more, so that the score can leave it out.
"""
import csv
import gzip
import sys

NEAR_NS = 20000                  # a request that follows a read's end within this waited for it
DROP_EVERY = 64                  # requests
WIRE_NS_PER_BYTE = 8 * 1106 / 1024 / 10
MESSAGES_NS = 84000              # of a request and an answer under load
CPUS = 250                       # processors of a client for its pauses, which do not wait for each other
STEPS = ("request", "answer", "read", "end")
NEEDED = ("client", "worker", "slot", "t_req_ns", "ud_rtt_ns", "t_read_ns", "read_ns")


def read_series(path):
    """Operations by client, each in the order of requests."""
    by_client = {}
    try:
        with gzip.open(path, "rt", encoding="ascii") as file:
            for line, row in enumerate(csv.DictReader(file), 2):
                absent = [key for key in NEEDED if not row.get(key)]
                if absent:
                    sys.exit(f"{path}:{line}: there is no {absent[0]}")
                op = {key: int(row[key]) if row.get(key) else None for key in NEEDED + ("c2s_ns", "server_ns")}
                op["end_ns"] = op["t_read_ns"] + op["read_ns"]
                by_client.setdefault(op["client"], []).append(op)
    except (OSError, EOFError, ValueError) as error:
        sys.exit(f"{path}: cannot be read as a series: {error}")
    if not by_client:
        sys.exit(f"{path}: there are no operations")
    for ops in by_client.values():
        ops.sort(key=lambda op: op["t_req_ns"])
    return by_client


def missing_slots(ops):
    """(from, until, worker) of each slot that no operation has: the times of its neighbours on that worker."""
    window = max(op["slot"] for op in ops) + 1
    last, missing = {}, []
    for op in ops:
        since, slot = last.get(op["worker"], (0, -1))
        if op["slot"] != (slot + 1) % window:
            missing.append((since, op["t_req_ns"], op["worker"]))
        last[op["worker"]] = (op["t_req_ns"], op["slot"])
    return missing


def ends_without_request(ops):
    """Operations after whose end there is one more end without a request than before, for good."""
    events = sorted([(op["t_req_ns"], -1) for op in ops] + [(op["end_ns"], i) for i, op in enumerate(ops)])
    free, history = 0, []
    for _, i in events:
        free = free + 1 if i >= 0 else max(0, free - 1)
        history.append((free, i))
    least, found = len(ops) + 1, []
    for free, i in reversed(history):
        if i >= 0 and free <= least:
            found.append(i)
        least = min(least, free)
    return found[::-1]


def lost_operations(ops, size, begins):
    """Each as: the operation whose end let it be posted, the one after whose request a completion was dropped,
    what that was of, and the worker; the first if it is not known. Lost is the oldest whose worker serves by then."""
    missing = missing_slots(ops)
    posted, lost = [], []
    for after in ends_without_request(ops):
        time = ops[after]["end_ns"]
        workers = [worker for since, to, worker in missing if since < time < to]
        posted.append({"after": after, "time": time, "worker": workers[0] if workers else 0, "server_ns": None, "c2s_ns": None})
    earlier = 0                  # of those not in the log, so many were requested before
    for i, op in enumerate(ops):
        while earlier < len(posted) and posted[earlier]["time"] < op["t_req_ns"]:
            earlier += 1
        if i and (i + earlier) % DROP_EVERY == 0:
            served = [one for one in posted[:earlier]
                      if "until" not in one and begins.get(one["worker"], 0) < op["t_req_ns"]]
            if served:
                waited = op["t_req_ns"] - max(other["end_ns"] for other in ops if other["end_ns"] < op["t_req_ns"])
                served[0].update(until=i, drops="r" if waited > size * WIRE_NS_PER_BYTE else "f")
                lost.append(served[0])
    return lost


def events_of(ops):
    """What a client did and saw, in order: (time, what, operation)."""
    events = []
    for i, op in enumerate(ops):
        events += [(op["t_req_ns"], "request", i), (op["t_req_ns"] + op["ud_rtt_ns"], "answer", i),
                   (op["t_read_ns"], "read", i), (op["end_ns"], "end", i)]
    return sorted(events, key=lambda event: (event[0], STEPS.index(event[1])))


def write_request(out, i, pause, cpu):
    out.write(f"g{i}: calc {max(1, pause)} cpu {cpu}\nq{i}: send 17b to 0 tag {2 * i}\n"
              f"q{i} requires g{i}\na{i}: recv 41b from 0 tag {2 * i + 1}\n"
              f"f{i}: read 8b from 0\nf{i} requires a{i}\n")


def write_client(out, ops, lost, size):
    label = {"request": "q%d", "answer": "a%d", "read": "r%d", "end": "r%d"}
    dropped = {op["until"]: f"{op['drops']}{i}" for i, op in enumerate(lost, len(ops))}
    pause_ns = NEAR_NS           # the shortest from the end of a read to a request
    order = []                   # lines to write when all operations have names
    before = end = posted = waits_for = None
    for number, (time, what, i) in enumerate(events_of(ops)):
        if what == "request":
            cause = end if end and time - end[0] < NEAR_NS else before
            pause = time - (cause[0] if cause else 0)
            if i in dropped:     # it was logged after the wait
                cause, pause, waits_for = end, pause_ns, dropped[i]
            elif cause and cause[1] == "end":
                pause_ns = min(pause_ns, pause)
            write_request(out, i, pause, number % CPUS)
            if cause:
                waits = "irequires" if cause[1] in ("request", "read") else "requires"
                out.write(f"g{i} {waits} {label[cause[1]] % cause[2]}\n")
        elif what == "read":
            out.write(f"r{i}: read {size}b from 0\nr{i} requires f{i}\n")
        if what in ("answer", "read"):
            name = f"f{i}" if what == "answer" else f"r{i}"
            order += [f"{name} irequires {posted}\n"] if posted else []
            order += [f"{name} requires {waits_for}\n"] if waits_for else []
            posted, waits_for = name, None
        before = (time, what, i)
        end = before if what == "end" else end
    for i, op in enumerate(lost, len(ops)):
        write_request(out, i, pause_ns, i % CPUS)
        out.write(f"g{i} requires r{op['after']}\n")
        if op["drops"] == "r":
            out.write(f"r{i}: read {size + 1}b from 0\nr{i} requires f{i}\n")
    out.writelines(order)


def begins_of(by_client):
    """When each worker saw its first request; if that was not logged, when a client had its first answer."""
    logged, answered = {}, {}
    for ops in by_client.values():
        for op in ops:
            of, delay = (answered, op["ud_rtt_ns"]) if op["c2s_ns"] is None else (logged, op["c2s_ns"])
            of[op["worker"]] = min(of.get(op["worker"], op["t_req_ns"] + delay), op["t_req_ns"] + delay)
    return {**answered, **logged}


def write_server(out, by_client, begins):
    all_ops = [op for ops in by_client.values() for op in ops]
    times = sorted(op["server_ns"] for op in all_ops if op["server_ns"] is not None)
    if not times:                # not logged at all: what answers took, less two ways and the wait behind reads
        times = sorted(op["ud_rtt_ns"] - MESSAGES_NS for op in all_ops if "ud_rtt_ns" in op)
    for worker in sorted(begins):
        out.write(f"z{worker}: calc {max(1, begins[worker])} cpu {worker}\n")
    for client in sorted(by_client):
        for i, op in enumerate(by_client[client]):
            work = op["server_ns"] if op["server_ns"] is not None else times[len(times) // 2]
            name = f"{client}_{i}"
            out.write(f"s{name}: recv 17b from {client + 1} tag {2 * i}\n"
                      f"t{name}: calc {max(1, work)} cpu {op['worker']}\nt{name} requires s{name}\n"
                      f"u{name}: send 41b to {client + 1} tag {2 * i + 1}\nu{name} requires t{name}\n")


def main():
    if len(sys.argv) != 4 or not sys.argv[2].isdigit():
        sys.exit("usage: replay.py SERIES.csv.gz BYTES OUT.goal")
    by_client = read_series(sys.argv[1])
    size = int(sys.argv[2])
    begins = begins_of(by_client)
    lost = {client: lost_operations(ops, size, begins) for client, ops in by_client.items()}
    with open(sys.argv[3], "w", encoding="ascii") as out:
        out.write(f"num_ranks {max(by_client) + 2}\nrank 0 {{\n")
        write_server(out, {client: ops + lost[client] for client, ops in by_client.items()}, begins)
        out.write("}\n")
        for client in sorted(by_client):
            out.write(f"rank {client + 1} {{\n")
            write_client(out, by_client[client], lost[client], size)
            out.write("}\n")


if __name__ == "__main__":
    main()
