import { expect, test } from "vitest";
import { logMarks, logRange, zoomRange } from "./axis";

test("logMarks: 1, 2, 5 while there is room", () => {
  expect(logMarks(1, 50, 9)).toEqual([1, 2, 5, 10, 20, 50]);
});

test("logMarks: even steps in a short range", () => {
  expect(logMarks(2300, 4600, 5)).toEqual([2500, 3000, 3500, 4000, 4500]);
  expect(logMarks(0.9, 1.1, 5)).toEqual([0.9, 0.95, 1, 1.05, 1.1]);
});

test("logMarks: fewer of them when there is not", () => {
  expect(logMarks(1, 1e4, 9)).toEqual([1, 3, 10, 30, 100, 300, 1000, 3000, 10000]);
  expect(logMarks(1, 1e4, 5)).toEqual([1, 10, 100, 1000, 10000]);
  expect(logMarks(1, 1e6, 4)).toEqual([1, 100, 1e4, 1e6]);
});

test("logMarks ends on any range", () => {
  for (const [min, max] of [
    [1e-9, 1e12],
    [3, 3.1],
    [1e-300, 1e300],
  ]) {
    expect(logMarks(min!, max!, 6).length).toBeLessThanOrEqual(6);
  }
});

test("logRange holds both ends", () => {
  const [low, high] = logRange(1, 1000);
  expect(low).toBeLessThan(1);
  expect(high).toBeGreaterThan(1000);
});

test("zoomRange halves around the cursor and comes back to all", () => {
  expect(zoomRange([0, 100], [0, 100], 20, 0.5, false)).toEqual([10, 60]);
  expect(zoomRange([10, 60], [0, 100], 20, 2, false)).toBeNull();
  expect(zoomRange([0, 50], [0, 100], 0, 1.5, false)).toEqual([0, 75]);
});

test("zoomRange of a logarithmic axis halves its logarithm", () => {
  const [low, high] = zoomRange([1, 1e4], [1, 1e4], 100, 0.5, true)!;
  expect(low).toBeCloseTo(10, 9);
  expect(high).toBeCloseTo(1000, 6);
});
