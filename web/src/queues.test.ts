import { expect, test } from "vitest";
import { heldAt, queuesText } from "./queues";

test("a value holds until the next one", () => {
  expect(heldAt([0, 5, 10, 20, 30], [5, 20], [7, 9])).toEqual([null, 7, 7, 9, 9]);
  expect(heldAt([0, 1], [0], [3])).toEqual([3, 3]);
});

test("changes are put in words", () => {
  const none = { settings: [], most_changed: [], lines: [] };
  expect(queuesText({ queues: 48, changed: 12, changes: 1203, ...none })).toBe("1,203 changes at 12 of 48 queues.");
});
