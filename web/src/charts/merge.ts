// Merges curves with different x values onto one axis, because uPlot needs one list of x for all.

import type { SizeRow } from "../data";

export interface Points {
  x: number[]; // ascending
  y: (number | null)[];
}

// All x values, each once.
export function unionOfX(curves: { x: number[] }[]): number[] {
  return [...new Set(curves.flatMap((curve) => curve.x))].sort((a, b) => a - b);
}

// Returns the curve's values at 'xs'; undefined, so that the line continues, where it has none.
export function alignTo(xs: number[], curve: Points): (number | null | undefined)[] {
  const values = new Map(curve.x.map((x, i) => [x, curve.y[i]!]));
  return xs.map((x) => values.get(x));
}

// Returns a distribution at 'xs', interpolated linearly. It has no value before its first point, and keeps
// its last value after the last one. Of several points at one x the highest counts.
export function shareAt(xs: number[], x: number[], p: number[]): (number | null)[] {
  let i = -1; // the last point at or before
  return xs.map((at) => {
    while (i + 1 < x.length && x[i + 1]! <= at) i++;
    if (i < 0) return null;
    if (x[i] === at || i + 1 === x.length) return p[i]!;
    return p[i]! + ((p[i + 1]! - p[i]!) * (at - x[i]!)) / (x[i + 1]! - x[i]!);
  });
}

// Returns the position of a bucket of sizes on a logarithmic axis: its middle.
export function middleOfBucket(bytesMin: number, bytesEnd: number | null): number {
  const low = Math.max(bytesMin, 1);
  if (bytesEnd === null) return low * 2;
  return bytesMin <= 1 ? bytesEnd / 2 : Math.sqrt(low * bytesEnd);
}

// A row is placed at the mean size of its flows, so that flows of one size appear at that size. If several
// runs have flows in a row, it is the mean over all runs; otherwise their curves could not be compared.
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
