#!/usr/bin/env python3
"""tests/live/qp_answer.py QPN:BYTES... >FILE - writes the kernel's answer to `rdma statistic qp show`: a counter set for
each queue pair, with the bytes that it has sent. Follows linux/rdma/rdma_netlink.h and drivers/infiniband/core/nldev.c;
shares no code with the reader."""
import struct
import sys

NESTED = 0x8000


def attribute(kind, value):
    return struct.pack("=HH", 4 + len(value), kind) + value + bytes(-len(value) % 4)


def number(kind, value):
    return attribute(kind, struct.pack("=I", value))


def text(kind, value):
    return attribute(kind, value.encode() + b"\0")


def counter(name, value):
    return attribute(81 | NESTED, text(82, name) + attribute(83, struct.pack("=Q", value)))


def counter_set(identity, qpn, sent):
    qp = attribute(19 | NESTED, attribute(20 | NESTED, number(21, qpn)))
    counters = attribute(80 | NESTED, counter("out_of_sequence", 3) + counter("rdma_tx_bytes", sent))
    return attribute(78 | NESTED, number(3, 1) + number(79, identity) + number(74, 1) + qp + counters)


def message(kind, body, sequence):
    return struct.pack("=IHHII", 16 + len(body), kind, 2, sequence, 0) + body


def answer(pairs, sequence=0):
    sets = b"".join(counter_set(4 + i, qpn, sent) for i, (qpn, sent) in enumerate(pairs))
    body = number(1, 1) + text(2, "mlx5_0") + attribute(77 | NESTED, sets)
    return message(5 << 10 | 17, body, sequence) + message(3, struct.pack("=i", 0), sequence)


if __name__ == "__main__":
    sys.stdout.buffer.write(answer([tuple(int(n, 0) for n in word.split(":")) for word in sys.argv[1:]]))
