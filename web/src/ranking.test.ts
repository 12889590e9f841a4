import { expect, test } from "vitest";
import type { Sweep } from "./data";
import { ranking } from "./ranking";

const point = (name: string, kmin: number, slowdown: number) => ({ name, values: [kmin], figures: [slowdown] });
const sweepOf = (points: Sweep["points"], more: Partial<Sweep>): Sweep => ({
  best: "slowdown_p99",
  settings: points.length,
  seeds: 3,
  keys: [{ name: "kmin", unit: "kb", is_number: true }],
  figures: [{ name: "slowdown_p99", label: "p99 slowdown", unit: "", better: "lower" }],
  points,
  ...more,
});
const shown = (sweep: Sweep) => ranking(sweep).map(({ rank, isOwn, isAdvised }) => `${rank}${isOwn ? " own" : ""}${isAdvised ? " advised" : ""}`);
const three = [point("a", 50, 2), point("b", 100, 4), point("c", 200, 6)];

test("the scenario's own setting stands where its value belongs", () => {
  expect(shown(sweepOf(three, { own: { name: "own", values: [400], figures: [5] }, advised: "a" }))).toEqual(["1 advised", "2", "0 own", "3"]);
  expect(shown(sweepOf(three, { own: { name: "own", values: [400], figures: [9] }, advised: "a" }))).toEqual(["1 advised", "2", "3", "0 own"]);
  expect(shown(sweepOf(three, { own: { name: "own", values: [400], figures: [1] }, advised: "own" }))).toEqual(["0 own advised", "1", "2", "3"]);
});

test("where high values are good they come first, and no value comes last", () => {
  const figures = [{ name: "goodput", label: "goodput", unit: "bps", better: "higher" as const }];
  const points = [point("a", 50, 9), point("b", 100, 4)];
  expect(shown(sweepOf(points, { best: "goodput", figures, own: { name: "own", values: [400], figures: [5] } }))).toEqual(["1", "0 own", "2"]);
  expect(shown(sweepOf(points, { best: "goodput", figures, own: { name: "own", values: [400], figures: [null] } }))).toEqual(["1", "2", "0 own"]);
});

test("a setting that equals the scenario's own is one row", () => {
  expect(shown(sweepOf(three, { own: { name: "own", values: [100], figures: [4] }, advised: "own" }))).toEqual(["1", "2 own advised", "3"]);
});

test("only the best are listed, and what the answer names", () => {
  const many = Array.from({ length: 20 }, (_x, i) => point(`s${i}`, i, i));
  expect(shown(sweepOf(many, { advised: "s11" }))).toEqual(["1", "2", "3", "4", "5", "6", "7", "8", "12 advised"]);
});
