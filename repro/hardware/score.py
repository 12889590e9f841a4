#!/usr/bin/env python3
"""Errors of simulated reads: score.py SERIES.csv.gz BYTES FLOWS.csv prints signed errors in percent of p50,
p90, p99, mean and makespan.

flows.csv has a read from its request to the arrival of its last byte.
"""
import csv
import gzip
import sys


def is_claimed(size):
    """Errors of shorter reads are not predicted: 200 to 300 KiB are not understood, of 100 KiB there are six series."""
    return size >= 400000


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
    series, size, flows = sys.argv[1:4]
    with gzip.open(series, "rt") as file:
        rows = list(csv.DictReader(file))
    measured = [(int(row["t_read_ns"]), int(row["read_ns"])) for row in rows]
    with open(flows, encoding="ascii") as file:
        simulated = [(float(row["start_ns"]), float(row["fct_ns"]))
                     for row in csv.DictReader(file) if row["bytes"] == size]
    if len(simulated) != len(measured):
        sys.exit(f"{series}: {len(measured)} reads were measured and {len(simulated)} simulated")
    errors = [round(100 * (a / b - 1), 1) for a, b in zip(figures(simulated), figures(measured))]
    print(",".join(f"{error:+.1f}" for error in errors))


if __name__ == "__main__":
    main()
