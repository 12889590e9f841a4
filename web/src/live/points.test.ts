import { expect, test } from "vitest";
import { coarser, stepsOf, stepText, type Past } from "./points";

const past = (count: number): Past => ({
  from_ms: 0,
  until_ms: count * 1000,
  oldest_ms: 0,
  step_ms: 1000,
  source: "memory",
  t_ms: Array.from({ length: count }, (_t, i) => i * 1000),
  series: { metric: { mean: Array.from({ length: count }, (_t, i) => (i < 8 ? null : i)), least: Array.from({ length: count }, (_t, i) => (i < 8 ? null : i - 1)), most: Array.from({ length: count }, (_t, i) => (i < 8 ? null : i + 1)) } },
  knobs: [],
  decisions: [],
});

test("coarser: means, least and most of what falls together; a gap stays one", () => {
  const few = coarser(past(720), 180);
  expect(few.t_ms.length).toBe(180);
  expect(few.step_ms).toBe(4000);
  expect(few.series.metric!.mean.slice(0, 4)).toEqual([null, null, 9.5, 13.5]);
  expect(few.series.metric!.least[2]).toBe(7);
  expect(few.series.metric!.most[2]).toBe(12);
  const same = past(100);
  expect(coarser(same, 180)).toBe(same);
});

test("stepText: whole units", () => {
  expect([5000, 60000, 120000, 3600000, 10800000, 86400000, 90000].map(stepText)).toEqual(["5 s", "1 minute", "2 minutes", "1 hour", "3 hours", "1 day", "90 s"]);
});

test("stepsOf: only where something changes, first and last included", () => {
  expect(stepsOf([1, 2, 3, 4, 5], [[7, 7, 9, 9, 9], [null, null, null, 1, 1]])).toEqual({ xs: [1, 3, 4, 5], curves: [[7, 9, 9, 9], [null, null, 1, 1]] });
});

test("stepsOf: never too many, and the end is what it was", () => {
  const xs = Array.from({ length: 500 }, (_x, i) => i);
  const few = stepsOf(xs, [xs], 40);
  expect(few.xs.length).toBeLessThanOrEqual(40);
  expect(few.xs.at(-1)).toBe(499);
  expect(few.curves[0]!.at(-1)).toBe(499);
  expect([...few.xs].sort((a, b) => a - b)).toEqual(few.xs);
});
