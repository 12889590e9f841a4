import { expect, test } from "vitest";
import type { Tuning } from "./data";
import { measuredText, phaseBands, setTexts, stepsOf, thetaOf } from "./tuning";

// watch, search, search, watch; the second and third step set something, the third is the best.
function history(): Tuning {
  const none = [null, null, null, null];
  return {
    tuner: "paraleon",
    about: "",
    options: [
      { name: "trigger", value: "change", is_given: false, about: "" },
      { name: "theta", value: 0.01, is_given: false, about: "" },
    ],
    phases: ["watch", "search"],
    knobs: [
      { name: "kmin", unit: "KB" },
      { name: "pmax", unit: "" },
    ],
    totals: { steps: 5, searches: 1, accepted: 1, rejected: 1 },
    steps: {
      start_us: [0, 10, 30, 40],
      end_us: [10, 20, 40, 50],
      phase: [0, 1, 1, 0],
      utility: [null, 0.5, 0.7132, null],
      utility_throughput: [null, 0.8, 0.9, null],
      utility_rtt: none,
      utility_pfc: [null, 1, 1, null],
      divergence: none,
      elephants: none,
      temperature: [null, 90, null, null],
      verdict: [0, 2, 3, 0],
      why: ["", "a", "b", ""],
      set: [
        [],
        [[0, 120, 400]],
        [
          [0, 400, 120],
          [1, 0.25, 0.2],
        ],
        [],
      ],
    },
  };
}

test("phaseBands: one a stretch, without holes where steps are left out", () => {
  expect(phaseBands(history())).toEqual([
    { name: "watch", start_us: 0, stop_us: 10 },
    { name: "search", start_us: 10, stop_us: 40 },
    { name: "watch", start_us: 40, stop_us: 50 },
  ]);
});

test("phaseBands: no band where there is no phase", () => {
  const tuning = history();
  tuning.steps.phase = [null, null, 1, 0];
  expect(phaseBands(tuning).map((band) => [band.name, band.start_us, band.stop_us])).toEqual([
    ["search", 30, 40],
    ["watch", 40, 50],
  ]);
});

test("stepsOf", () => {
  expect(stepsOf(history(), "all steps")).toEqual([0, 1, 2, 3]);
  expect(stepsOf(history(), "changes only")).toEqual([1, 2]);
  expect(stepsOf(history(), "turning points")).toEqual([0, 1, 2, 3]);
  const tuning = history();
  tuning.steps.verdict[2] = 1;
  expect(stepsOf(tuning, "turning points")).toEqual([0, 1, 3]);
});

test("setTexts", () => {
  expect(setTexts(history(), 2)).toEqual(["kmin 120 → 400\u00a0KB", "pmax 0.2 → 0.25"]);
  expect(setTexts(history(), 0)).toEqual([]);
});

test("measuredText names what there is", () => {
  expect(measuredText(history(), 1)).toBe("utility 0.500 (throughput 0.800, PFC 1.00), temperature 90.0");
  expect(measuredText(history(), 0)).toBe("");
});

test("thetaOf: only of a tuner that waits for a change", () => {
  const tuning = history();
  expect(thetaOf(tuning)).toBe(0.01);
  tuning.options[0]!.value = "always";
  expect(thetaOf(tuning)).toBeNull();
  tuning.options = [];
  expect(thetaOf(tuning)).toBeNull();
});
