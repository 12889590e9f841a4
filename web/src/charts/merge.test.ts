import { expect, test } from "vitest";
import { alignTo, middleOfBucket, placesOf, shareAt, unionOfX } from "./merge";

test("unionOfX: each x once, ascending", () => {
  expect(unionOfX([{ x: [1, 3, 10] }, { x: [2, 3] }, { x: [] }])).toEqual([1, 2, 3, 10]);
});

test("alignTo keeps gaps apart from what was never there", () => {
  expect(alignTo([1, 2, 3], { x: [1, 3], y: [5, null] })).toEqual([5, undefined, null]);
});

test("shareAt: nothing before, straight between, all after", () => {
  expect(shareAt([1, 2, 3, 4, 9], [2, 4], [0.5, 1])).toEqual([null, 0.5, 0.75, 1, 1]);
});

test("shareAt: the highest of several at one x", () => {
  expect(shareAt([5, 6], [5, 5, 6], [0.2, 0.9, 1])).toEqual([0.9, 1]);
});

test("middleOfBucket lies in the bucket", () => {
  expect(middleOfBucket(100, 10000)).toBe(1000);
  expect(middleOfBucket(0, 1000)).toBe(500);
  expect(middleOfBucket(1e6, null)).toBe(2e6);
});

test("placesOf: flows of one size stand where they are, rows of several runs at one place", () => {
  const row = { bytes_min: 1e6, bytes_end: 2e6, flows: 16, mean: 1, p50: 1, p95: 1, p99: 1, p999: 1 };
  expect(placesOf([{ ...row, bytes_mean: 1e6 }]).get(1e6)).toBe(1e6);
  expect(placesOf([{ ...row, bytes_mean: 1e6 }, { ...row, flows: 48, bytes_mean: 1.8e6 }]).get(1e6)).toBe(1.6e6);
  expect(placesOf([row]).get(1e6)).toBe(middleOfBucket(1e6, 2e6));
});
