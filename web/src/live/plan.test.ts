import { expect, test } from "vitest";
import { mayGive, planOf, type Order, type Right } from "./plan";
import type { Fabric } from "./state";

const f = {
  devices_total: 7,
  states: { tuned: 6, "held back": 1 },
  reach: { trial: 3, settable: 6 },
  trial: { number: 5, phase: "run" },
} as unknown as Fabric;

test("planOf: a rollback names how many devices, and that tuning stops", () => {
  const plan = planOf("rollback", f);
  expect(plan.confirm).toBe("Roll back 6 devices");
  expect(plan.effects.join(" ")).toContain("Trial 5 is taken back. 6 devices that hold a setting of Anole return to the baseline");
  expect(plan.effects.at(-1)).toContain("frozen until a person thaws");
  expect(planOf("rollback", { ...f, states: { tuned: 1 } } as unknown as Fabric).effects[1]).toContain("1 device that holds a setting of Anole returns");
});

test("planOf: a freeze says what becomes of the trial that is under way", () => {
  expect(planOf("freeze", f).effects[0]).toBe("Trial 5 is taken back: 3 devices return to the setting in effect.");
  expect(planOf("freeze", f).confirm).toBe("Freeze, and take trial 5 back");
  expect(planOf("freeze", { ...f, trial: { number: 5, phase: "none" } } as unknown as Fabric).effects.join(" ")).not.toContain("Trial");
});

test("planOf: thawing says how far trials may go", () => {
  expect(planOf("thaw", f).effects[0]).toContain("up to 6 devices");
});

test("planOf: a rejection names the trial, and what is dropped", () => {
  const waiting = { ...f, trial: { number: 6, code: "c0de", phase: "waiting", set: { rpg_ai_rate: 50 }, was: { rpg_ai_rate: 5 } } } as unknown as Fabric;
  const plan = planOf("reject", waiting);
  expect(plan.confirm).toBe("Reject trial 6");
  expect(plan.effects[0]).toContain("rpg_ai_rate 5");
  expect(plan.body).toEqual({ number: 6, code: "c0de" });
});

test("mayGive: a viewer gives no order, an approver approves and rejects", () => {
  const orders: Order[] = ["freeze", "thaw", "approve", "reject", "rollback"];
  const given = (right: Right) => orders.filter((order) => mayGive(order, right));
  expect(given("view")).toEqual([]);
  expect(given("approve")).toEqual(["approve", "reject"]);
  expect(given("operate")).toEqual(orders);
  expect(given("")).toEqual(orders); // before a token is given, the dialog asks for it
});
