import { expect, test } from "vitest";
import type { Fabric } from "./state";
import { titleOf, verdictOf } from "./verdict";

const calm = {
  name: "c1",
  role: "active",
  mode: "auto",
  standby: "",
  frozen: "",
  obstacle: "",
  coverage: 1,
  devices_total: 4,
  states: { ready: 4 },
  trial: { number: 7, phase: "none" },
  drill: { passed_ms: 1, last_ms: 1, is_passed: true, took_ms: 2900, device: "h1/a", why: "" },
  unguarded: { devices: 0, what: "", example: "" },
  in_effect: { set: {}, since_ms: null, trial: 0, by: "", why: "" },
  next: "nothing is tried: there is no tuner",
} as unknown as Fabric;
const over = (change: object) => ({ ...calm, ...change }) as Fabric;

test("verdictOf: calm is good, and the tab says so", () => {
  expect(verdictOf(calm)).toEqual({ kind: "good", headline: "Nothing is wrong", advice: "" });
  expect(titleOf(calm)).toBe("Nothing is wrong · Anole c1");
});

test("verdictOf: what needs a person is an alarm, also in the tab", () => {
  const alarms: [object, string][] = [
    [{ role: "deposed" }, "Another controller"],
    [{ states: { broken: 2 } }, "2 devices could not be brought back"],
    [{ obstacle: "a guardrail is broken" }, "A guardrail is broken"],
    [{ obstacle: "it pauses for another 5 h 59 min, because 2 trials did harm within an hour" }, "Tuning pauses"],
    [{ coverage: 0.75, states: { silent: 1 } }, "1 of 4 devices does not report"],
    [{ drill: { ...calm.drill, is_passed: false } }, "The dead-man switch failed"],
  ];
  for (const [change, headline] of alarms) {
    const v = verdictOf(over(change));
    expect(v.kind).toBe("bad");
    expect(v.headline).toContain(headline);
    expect(titleOf(over(change)).startsWith("! ")).toBe(true);
  }
});

test("verdictOf: an alarm names the device, the guardrail and the trial that ended for it", () => {
  const v = verdictOf(
    over({
      obstacle: "a guardrail is broken",
      breach: { devices: 2, example: "h1/a", why: "paused 50 % of the time" },
      decisions: [{ trial: 2, outcome: "dropped", end: "a guardrail at h1/a" }],
    }),
  );
  expect(v.headline).toBe("A guardrail is broken at h1/a and 1 other device");
  expect(v.reason).toContain("h1/a: paused 50 % of the time. Trial 2 was taken back: a guardrail at h1/a.");
});

test("verdictOf: without any device nothing is called fine", () => {
  expect(verdictOf(over({ devices_total: 0, states: {} }))).toMatchObject({ kind: "caution", headline: "No device has reported yet" });
  expect(verdictOf(over({ devices_total: 2, states: { left: 2 } })).headline).toBe("No device has reported yet");
});

test("verdictOf: what a person ordered, and what cannot be seen, is no alarm", () => {
  expect(verdictOf(over({ frozen: "frozen by alice: rack 7" }))).toMatchObject({ kind: "caution", headline: "Tuning is frozen" });
  expect(verdictOf(over({ frozen: "rolled back by alice" })).headline).toBe("Rolled back, and frozen");
  expect(verdictOf(over({ trial: { number: 8, phase: "waiting" } })).headline).toBe("Trial 8 waits for approval");
  expect(verdictOf(over({ unguarded: { devices: 2, what: "pauses", example: "h1/a" } })).advice).toContain("pauses at 2 devices, such as h1/a");
});
