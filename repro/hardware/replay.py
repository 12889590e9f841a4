#!/usr/bin/env python3
"""A measured series as a closed loop: replay.py SERIES.csv.gz BYTES OUT.goal

Taken from the measurement is what hosts did: which read's end, or what else, let a client post each request and
how long after it; which server thread answered, for how long it worked, and when it began to serve at all. How long
messages and reads take, how long they wait for each other, and what follows from that is for the simulator to say.

An operation: a request (17 bytes), work of a server thread, the answer (41 bytes), a small read and the read itself.
That there is a small read, on the queue pair of the reads, was inferred: from answer to read a round trip passes (8.6 us
idle, 83 us under load), and while a read of the same client is under way, all that time until its end.
"""
import csv
import gzip
import sys

NEAR_NS = 20000                  # a request that follows a read's end within this waited for it
CPUS = 250                       # processors of a client for its pauses, which do not wait for each other


def read_series(path):
    """Operations by client, each in the order of requests."""
    by_client = {}
    with gzip.open(path, "rt") as file:
        for row in csv.DictReader(file):
            op = {key: int(value) if value else None for key, value in row.items()}
            by_client.setdefault(op["client"], []).append(op)
    for ops in by_client.values():
        ops.sort(key=lambda op: op["t_req_ns"])
    return by_client


def events_of(ops):
    """What a client did and saw, in order: (time, what, operation)."""
    events = []
    for i, op in enumerate(ops):
        read_ns = op["t_read_ns"]
        events += [(op["t_req_ns"], "request", i), (op["t_req_ns"] + op["ud_rtt_ns"], "answer", i),
                   (read_ns, "read", i), (read_ns + op["read_ns"], "end", i)]
    return sorted(events)


def write_client(out, ops, size):
    label = {"request": "q%d", "answer": "a%d", "read": "r%d", "end": "r%d"}
    before = end = None
    for number, (time, what, i) in enumerate(events_of(ops)):
        if what == "request":
            cause = end if end and time - end[0] < NEAR_NS else before
            pause = time - (cause[0] if cause else 0)
            out.write(f"g{i}: calc {max(1, pause)} cpu {number % CPUS}\nq{i}: send 17b to 0 tag {2 * i}\n"
                      f"q{i} requires g{i}\na{i}: recv 41b from 0 tag {2 * i + 1}\n"
                      f"f{i}: read 8b from 0\nf{i} requires a{i}\n")
            if cause:
                waits = "irequires" if cause[1] in ("request", "read") else "requires"
                out.write(f"g{i} {waits} {label[cause[1]] % cause[2]}\n")
        elif what == "read":
            out.write(f"r{i}: read {size}b from 0\nr{i} requires f{i}\n")
        before = (time, what, i)
        end = before if what == "end" else end


def write_server(out, by_client):
    all_ops = [op for ops in by_client.values() for op in ops]
    times = sorted(op["server_ns"] for op in all_ops if op["server_ns"] is not None)
    begins = {}
    for op in all_ops:
        if op["c2s_ns"] is not None:
            seen = op["t_req_ns"] + op["c2s_ns"]
            begins[op["worker"]] = min(begins.get(op["worker"], seen), seen)
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
    by_client = read_series(sys.argv[1])
    with open(sys.argv[3], "w", encoding="ascii") as out:
        out.write(f"num_ranks {max(by_client) + 2}\nrank 0 {{\n")
        write_server(out, by_client)
        out.write("}\n")
        for client in sorted(by_client):
            out.write(f"rank {client + 1} {{\n")
            write_client(out, by_client[client], int(sys.argv[2]))
            out.write("}\n")


main()
