// Curves with x values of their own on one axis: uPlot wants one list of x for all.

import type { SizeRow } from "../data";

export interface Points {
  x: number[]; // ascending
  y: (number | null)[];
}

// All x values, each once.
export function unionOfX(curves: { x: number[] }[]): number[] {
  return [...new Set(curves.flatMap((curve) => curve.x))].sort((a, b) => a - b);
}

// The curve's own values at 'xs'; undefined where it has none, which is drawn through.
export function alignTo(xs: number[], curve: Points): (number | null | undefined)[] {
  const values = new Map(curve.x.map((x, i) => [x, curve.y[i]!]));
  return xs.map((x) => values.get(x));
}

// A distribution at 'xs', straight between its points: before its first value nothing, after its last what it
// had reached. Of several points at one x the highest counts.
export function shareAt(xs: number[], x: number[], p: number[]): (number | null)[] {
  let i = -1; // the last point at or before
  return xs.map((at) => {
    while (i + 1 < x.length && x[i + 1]! <= at) i++;
    if (i < 0) return null;
    if (x[i] === at || i + 1 === x.length) return p[i]!;
    return p[i]! + ((p[i + 1]! - p[i]!) * (at - x[i]!)) / (x[i + 1]! - x[i]!);
  });
}

// Where a bucket of sizes stands on a logarithmic axis: in the middle of it.
export function middleOfBucket(bytesMin: number, bytesEnd: number | null): number {
  const low = Math.max(bytesMin, 1);
  if (bytesEnd === null) return low * 2;
  return bytesMin <= 1 ? bytesEnd / 2 : Math.sqrt(low * bytesEnd);
}

// A row stands at the mean size of its flows, so that flows of one size stand where they are. Where several runs have
// flows in a row, it is the mean over all of them, or curves could not be held against each other.
export function placesOf(rows: SizeRow[]): Map<number, number> {
  const sums = new Map<number, { bytes: number; flows: number }>();
  for (const row of rows) {
    const sum = sums.get(row.bytes_min) ?? { bytes: 0, flows: 0 };
    sum.bytes += row.flows * (row.bytes_mean ?? middleOfBucket(row.bytes_min, row.bytes_end));
    sum.flows += row.flows;
    sums.set(row.bytes_min, sum);
  }
  return new Map([...sums].map(([bytesMin, { bytes, flows }]) => [bytesMin, Math.max(1, bytes / flows)]));
}
