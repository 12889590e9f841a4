import { expect, test } from "vitest";
import type { ComparedMetric } from "./data";
import { whiskerPlace, whiskerRange } from "./whiskers";

function metricWith(change: number | null): ComparedMetric {
  const variant = {
    name: "v",
    mean: 1,
    low: 1,
    high: 1,
    change,
    change_low: change,
    change_high: change,
    is_significant: false,
    is_better: false,
  };
  return { name: "m", label: "m", unit: "", better: "lower", variants: [variant] };
}

test("whiskerRange holds all changes, up to 100 %", () => {
  expect(whiskerRange([metricWith(0.03), metricWith(-0.18)])).toBe(0.2);
  expect(whiskerRange([metricWith(7)])).toBe(1);
  expect(whiskerRange([metricWith(null)])).toBe(0.01);
});

test("whiskerPlace: 0 in the middle, the same way out on both sides", () => {
  const middle = whiskerPlace(0, 1);
  expect(whiskerPlace(0.3, 1) - middle).toBeCloseTo(middle - whiskerPlace(-0.3, 1), 9);
  expect(whiskerPlace(0.25, 1) - middle).toBeCloseTo((whiskerPlace(1, 1) - middle) / 2, 9);
  expect(whiskerPlace(5, 1)).toBe(whiskerPlace(1, 1));
});
