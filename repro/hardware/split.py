#!/usr/bin/env python3
"""How far off are predictions of series that were not seen? split.py [--seed N] CANDIDATE.csv... splits the series
with a claim into random halves. On one half it chooses the candidate with the least mean error, and a bar for each
percentile: the error that a further series exceeds once in ten times (the 0.9 (n + 1)-th of n errors, so that no
distribution is assumed). It counts the series of the other half within these bars. Prints tables in Markdown: for the
one split of the seed, with 95 % intervals, and for all splits.

A candidate's file is named fifo-turn.csv and has the columns of series.csv.
"""
import argparse
import csv
import math
import pathlib
import random

import score

SPLITS = 1000
SHARE = 0.9
FIGURES = ("p50", "p90", "p99")


def read_candidate(path):
    with open(path, encoding="ascii") as file:
        return {row["series"]: row for row in csv.DictReader(file) if score.is_claimed(int(row["bytes"]))}


def errors(row):
    return [abs(float(row[key])) for key in FIGURES]


def loss(table, names):
    return sum(sum(errors(table[name])) for name in names) / (len(FIGURES) * len(names))


def bars_of(table, names):
    """The bars of the percentiles from the errors of these series."""
    at = math.ceil(SHARE * (len(names) + 1))
    if at > len(names):
        return [math.inf] * len(FIGURES)
    return [sorted(errors(table[name])[i] for name in names)[at - 1] for i in range(len(FIGURES))]


def split(candidates, names, chance):
    """One split: the candidate, its bars, and the errors of the half that was not seen."""
    seen = set(chance.sample(names, len(names) // 2))
    best = min(candidates, key=lambda candidate: loss(candidates[candidate], seen))
    unseen = [errors(candidates[best][name]) for name in names if name not in seen]
    return best, bars_of(candidates[best], seen), unseen


def met(bars, unseen):
    """How many series are within the bar of each percentile, and of all."""
    within = [[error <= bar for error, bar in zip(row, bars)] for row in unseen]
    return [sum(column) for column in zip(*within)] + [sum(all(row) for row in within)]


def tail(count, of, p):
    """Chance of at most 'count' of 'of'."""
    return sum(math.comb(of, i) * p**i * (1 - p) ** (of - i) for i in range(count + 1))


def interval(count, of):
    """95 % interval of a share (Clopper and Pearson), in percent."""
    def solve(is_below):
        low, high = 0.0, 1.0
        for _ in range(40):
            middle = (low + high) / 2
            low, high = (middle, high) if is_below(middle) else (low, middle)
        return 100 * low
    low = solve(lambda p: 1 - tail(count - 1, of, p) < 0.025) if count else 0
    high = solve(lambda p: tail(count, of, p) > 0.025) if count < of else 100
    return f"{low:.0f} to {high:.0f}"


def quantile(values, share):
    return sorted(values)[round(share * (len(values) - 1))]


def print_one(bars, unseen):
    print("| percentile | bar, % | series within it | 95 % interval of the share, % | worst error, % |")
    print("|---|---|---|---|---|")
    counts = met(bars, unseen)
    for i, name in enumerate(FIGURES):
        print(f"| {name} | {bars[i]:.1f} | {counts[i]} of {len(unseen)} | {interval(counts[i], len(unseen))} | "
              f"{max(row[i] for row in unseen):.1f} |")
    print(f"| all three | | {counts[-1]} of {len(unseen)} | {interval(counts[-1], len(unseen))} | |")


def print_all(results):
    print("| percentile | bar, %: median | 95 % of splits | share of unseen series within it, %: mean | 95 % of splits |")
    print("|---|---|---|---|---|")
    shares = [[100 * count / len(unseen) for count in met(bars, unseen)] for _, bars, unseen in results]
    for i, name in enumerate((*FIGURES, "all three")):
        bars = [bars[i] for _, bars, _ in results] if i < len(FIGURES) else None
        cells = [f"{quantile(bars, 0.5):.1f}", f"{quantile(bars, 0.025):.1f} to {quantile(bars, 0.975):.1f}"] if bars else ["", ""]
        mine = [share[i] for share in shares]
        cells += [f"{sum(mine) / len(mine):.0f}", f"{quantile(mine, 0.025):.0f} to {quantile(mine, 0.975):.0f}"]
        print(f"| {name} | " + " | ".join(cells) + " |")


def named(candidate):
    fifo, turn = candidate.split("-")
    return f"{fifo} KB with turns of " + ("a packet" if turn == "0" else f"{turn} KB")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("?")[0] + "?")
    parser.add_argument("--seed", type=int, default=20261119)
    parser.add_argument("candidates", nargs="+")
    options = parser.parse_args()
    candidates = {pathlib.Path(path).stem: read_candidate(path) for path in options.candidates}
    tables = list(candidates.values())
    names = sorted(tables[0])
    if any(set(table) != set(names) for table in tables):
        parser.error("the candidates are not of the same series")
    chance = random.Random(options.seed)
    results = [split(candidates, names, chance) for _ in range(SPLITS)]
    print(f"Seed {options.seed}: {len(names) - len(results[0][2])} series seen, {named(results[0][0])} chosen.\n")
    print_one(results[0][1], results[0][2])
    print(f"\n{SPLITS} splits:\n")
    print_all(results)
    chosen = {}
    for best, _, _ in results:
        chosen[best] = chosen.get(best, 0) + 1
    of = ", ".join(f"{named(candidate)} in {100 * count / SPLITS:.0f} %"
                   for candidate, count in sorted(chosen.items(), key=lambda item: -item[1]))
    print(f"\nChosen of {len(candidates)} pairs of `tx_fifo` and `turn`: {of}.")


if __name__ == "__main__":
    main()
