import { expect, test } from "vitest";
import { paretoFront } from "./pareto";

const points = [
  { x: 1, y: 9 },
  { x: 2, y: 5 },
  { x: 3, y: 6 }, // beaten by the one before
  null,
  { x: 4, y: 1 },
  { x: 4, y: 2 }, // as good in x, worse in y
];

test("the front has the settings that no other beats in both", () => {
  expect(paretoFront(points, "lower", "lower")).toEqual([0, 1, 4]);
  expect(paretoFront(points, "higher", "higher")).toEqual([0, 2, 5]);
  expect(paretoFront(points, "lower", "higher")).toEqual([0]);
  expect(paretoFront(points, "neither", "lower")).toEqual([]);
});
