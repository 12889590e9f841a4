import { expect, test } from "vitest";
import type { ComparedMetric } from "./data";
import { axisFor, changeText, goodness, intervalText } from "./effects";

const metric = (better: "lower" | "higher", change: number) =>
  ({ name: "m", label: "m", unit: "", better, variants: [{ change, change_low: change, change_high: change }] }) as unknown as ComparedMetric;

test("better is always on the same side", () => {
  expect(goodness(metric("lower", 0), -0.5)).toBe(1);
  expect(goodness(metric("higher", 0), 1)).toBe(1);
  expect(goodness(metric("higher", 0), -0.5)).toBe(-1);
  expect(goodness(metric("lower", 0), null)).toBe(null);
});

test("the axis holds the largest change", () => {
  expect(axisFor([metric("lower", 0.02)]).reach).toBe(0.14);
  expect(axisFor([metric("lower", 3)]).reach).toBe(3);
  expect(axisFor([metric("lower", 1000)]).reach).toBe(6);
});

test("per cent below a factor of two, above it times", () => {
  expect(changeText(-0.65)).toBe("−65\u00a0%");
  expect(changeText(0.024)).toBe("+2.4\u00a0%");
  expect(changeText(3)).toBe("4.0\u00a0×");
  expect(changeText(0)).toBe("0\u00a0%");
  expect(intervalText({ change_low: 1.8, change_high: 4.4 } as never)).toBe("2.8 to 5.4\u00a0×");
  expect(intervalText({ change_low: -0.79, change_high: -0.52 } as never)).toBe("−79\u00a0% to −52\u00a0%");
});
