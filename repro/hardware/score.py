#!/usr/bin/env python3
"""Errors of simulated reads: score.py SERIES.csv.gz BYTES FLOWS.csv prints signed errors in percent of p50,
p90, p99, mean and makespan, and what misses its bar: "met", "p50 p99", or "-" where nothing is claimed.

flows.csv has a read from its request to the arrival of its last byte.
"""
import csv
import gzip
import sys


def bars(size, window):
    """Largest errors of p50, p90, p99 and makespan in percent, or None: nothing is claimed."""
    if size < 110000:
        return 5, 10, 10, 1.5
    if size < 400000:
        return None
    if window == 1:
        return 1, 1.5, 8, 1.5
    return 3.5, 15 if window == 4 else 5, 16 if window == 2 else 5, 1.5


def misses(size, window, errors):
    """Errors are those of p50, p90, p99, mean and makespan."""
    limits = bars(size, window)
    if limits is None:
        return "-"
    names = ("p50", "p90", "p99", "makespan")
    return " ".join(name for name, error, limit in zip(names, (*errors[:3], errors[4]), limits)
                    if abs(error) > limit) or "met"


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
    window = max(int(row["slot"]) for row in rows) + 1
    print(",".join(f"{error:+.1f}" for error in errors), misses(int(size), window, errors), sep=",")


if __name__ == "__main__":
    main()
