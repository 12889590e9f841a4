import { expect, test } from "vitest";
import type { ComparedMetric } from "./data";
import { whiskerMarks, whiskerMarkSpan, whiskerPlace, whiskerRange } from "./whiskers";

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

test("whiskerRange holds all changes", () => {
  expect(whiskerRange([metricWith(0.03), metricWith(-0.18)])).toBe(0.2);
  expect(whiskerRange([metricWith(7)])).toBe(10);
  expect(whiskerRange([metricWith(7000)])).toBe(100);
  expect(whiskerRange([metricWith(null)])).toBe(0.01);
});

test("whiskerPlace: 0 in the middle, the same way out on both sides", () => {
  const middle = whiskerPlace(0, 1);
  expect(whiskerPlace(0.3, 1) - middle).toBeCloseTo(middle - whiskerPlace(-0.3, 1), 9);
  // 2 % and 10 % are told apart beside 50 times as much
  expect(whiskerPlace(0.1, 50) - whiskerPlace(0.02, 50)).toBeGreaterThan(12);
  expect(whiskerPlace(0.02, 50) - whiskerPlace(0, 50)).toBeGreaterThan(9);
  expect(whiskerPlace(5, 1)).toBe(whiskerPlace(1, 1));
  expect(whiskerPlace(0, 50)).toBeLessThan(middle); // nothing falls by more than 100 %
});

test("whiskerMarks: the range, and others whose texts do not touch", () => {
  expect(whiskerMarks(10)[0]).toBe(10);
  for (const range of [0.01, 0.05, 0.1, 0.2, 1, 5, 10, 20, 50, 100]) {
    const right = whiskerMarks(range).reverse();
    expect(right.length).toBeGreaterThanOrEqual(range > 0.01 ? 2 : 1);
    const all = [...right.filter((mark) => mark <= 1).map((mark) => -mark).reverse(), 0, ...right];
    const spans = all.map((mark) => whiskerMarkSpan(mark, range));
    spans.slice(1).forEach(([from], i) => expect(from - spans[i]![1]).toBeGreaterThanOrEqual(8));
    expect(spans[0]![0]).toBeGreaterThanOrEqual(0);
    expect(spans.at(-1)![1]).toBeLessThanOrEqual(250);
  }
});
