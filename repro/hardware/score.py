#!/usr/bin/env python3
"""Errors of simulated reads: score.py SERIES.csv.gz BYTES FLOWS.csv READ_DELAY_US prints signed errors in percent of p50, p90,
p99, mean and makespan.

flows.csv has the data of a read from its start at the server to its last ACK, whose way back is as long as the
request's way there; the time until the data comes out of memory is added.
"""
import csv
import gzip
import sys


def percentile(values, share):
    at = (len(values) - 1) * share
    low = int(at)
    high = min(low + 1, len(values) - 1)
    return values[low] + (values[high] - values[low]) * (at - low)


def figures(reads):
    """p50, p90, p99, mean of times, and the makespan, from (start, time)."""
    times = sorted(time for _, time in reads)
    span = max(start + time for start, time in reads) - min(start for start, _ in reads)
    return [percentile(times, share) for share in (0.5, 0.9, 0.99)] + [sum(times) / len(times), span]


def main():
    series, size, flows, delay_us = sys.argv[1:5]
    with gzip.open(series, "rt") as file:
        measured = [(int(row["t_read_ns"]), int(row["read_ns"])) for row in csv.DictReader(file)]
    with open(flows, encoding="ascii") as file:
        simulated = [(float(row["start_ns"]), float(row["fct_ns"]) + 1000 * float(delay_us))
                     for row in csv.DictReader(file) if row["bytes"] == size]
    if len(simulated) != len(measured):
        sys.exit(f"{series}: {len(measured)} reads were measured and {len(simulated)} simulated")
    print(",".join(f"{100 * (a / b - 1):+.1f}" for a, b in zip(figures(simulated), figures(measured))))


main()
