import { expect, test } from "vitest";
import { pathOf, rangeOf } from "./evidence";
import type { Evidence, Trial } from "./state";

const e: Evidence = { trial: 5, stage: "halves", pairs: [1, 2], gain: [0.9, 3], harm: [1.1, null], accept_e: 100, reject_e: 20, ends_at: 67 };

test("pathOf: it starts at 1 and ends with what is known now", () => {
  const trial = { number: 5, phase: "run", pairs: 4, e_gain: 7, e_harm: 0.2 } as Trial;
  expect(pathOf(e, trial)).toEqual({ pairs: [0, 1, 2, 4], gain: [1, 0.9, 3, 7], harm: [1, 1.1, null, 0.2] });
});

test("pathOf: another trial adds nothing to the last one's path, and an unknown value is a gap, not 0", () => {
  expect(pathOf(e, { number: 6, phase: "run", pairs: 4, e_gain: 7 } as Trial).pairs).toEqual([0, 1, 2]);
  expect(pathOf(e, { number: 5, phase: "none" } as Trial).pairs).toEqual([0, 1, 2]);
  expect(pathOf(e, { number: 5, phase: "run", pairs: 3 } as Trial).gain.at(-1)).toBeNull();
});

test("rangeOf: both bounds and 1 are always in the picture, and nothing makes it endless", () => {
  const path = pathOf(e, { number: 5, phase: "none" } as Trial);
  const [low, high] = rangeOf(path, e);
  expect(low).toBe(-1);
  expect(high).toBeGreaterThan(2);
  expect(rangeOf({ pairs: [0, 1], gain: [1, 1e-30], harm: [1, 1e6] }, e)).toEqual([-3, 6.4]);
});
