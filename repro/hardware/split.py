#!/usr/bin/env python3
"""Are the parameters fitted to the series? split.py CANDIDATE.csv... : for each of ten random halves of the claimed series,
the candidate with the least mean error of p50, p90 and p99 on one half is scored on the other; and the other way round.
Prints a table in Markdown.

A candidate's file is named fifo-turn.csv and has the columns of series.csv.
"""
import csv
import pathlib
import random
import sys

import score

HALVINGS = 10
SEED = 20251118
KINDS = ("window 1, 400 KiB and more", "window 2, 400 KiB and more", "window 4, 400 KiB and more",
         "windows 8 to 16, 400 KiB and more", "100 KiB")


def read_candidate(path):
    with open(path, encoding="ascii") as file:
        return {row["series"]: row for row in csv.DictReader(file)
                if score.bars(int(row["bytes"]), int(row["window"]))}


def errors(row):
    return [abs(float(row[key])) for key in ("p50", "p90", "p99")]


def loss(table, names):
    return sum(sum(errors(table[name])) for name in names) / (3 * len(names))


def kind(row):
    if int(row["bytes"]) < 110000:
        return KINDS[4]
    return KINDS[{"1": 0, "2": 1, "4": 2}.get(row["window"], 3)]


def named(candidate):
    fifo, turn = candidate.split("-")
    return f"{fifo} KB with turns of " + ("a packet" if turn == "0" else f"{turn} KB")


def main():
    candidates = {pathlib.Path(path).stem: read_candidate(path) for path in sys.argv[1:]}
    names = sorted(next(iter(candidates.values())))
    chance = random.Random(SEED)
    unseen = {name: [] for name in KINDS}
    chosen = {}
    for _ in range(HALVINGS):
        half = set(chance.sample(names, len(names) // 2))
        for fitted in (half, set(names) - half):
            best = min(candidates, key=lambda candidate: loss(candidates[candidate], fitted))
            chosen[best] = chosen.get(best, 0) + 1
            for name in set(names) - fitted:
                row = candidates[best][name]
                unseen[kind(row)].append((row["bars"], errors(row)))
    print("| reads that were not seen | share that meets all bars, % | p50 | p90 | p99 | mean error, %: p50 | p90 | p99 |")
    print("|---|---|---|---|---|---|---|---|")
    unseen["all"] = [score for scores in unseen.values() for score in scores]
    for name, scores in unseen.items():
        shares = [sum(bars == "met" for bars, _ in scores)]
        shares += [sum(key not in bars.split() for bars, _ in scores) for key in ("p50", "p90", "p99")]
        means = [sum(error[i] for _, error in scores) / len(scores) for i in range(3)]
        print(f"| {name} | " + " | ".join(f"{100 * share / len(scores):.0f}" for share in shares) + " | " +
              " | ".join(f"{mean:.1f}" for mean in means) + " |")
    of = ", ".join(f"{named(candidate)} {count} times"
                   for candidate, count in sorted(chosen.items(), key=lambda item: -item[1]))
    print(f"\nChosen of {len(candidates)} pairs of `tx_fifo` and `turn` in {2 * HALVINGS} halves: {of}.")


main()
