// Texts about queues whose thresholds a tuner sets one by one.
import type { Num, TunedQueues } from "./data";
import { countOf } from "./format";

export function queuesText({ queues, changed, changes }: TunedQueues): string {
  return `${countOf(changes, "change")} at ${changed.toLocaleString("en-US")} of ${countOf(queues, "queue")}.`;
}

// Returns the value at each time of 'xs': the last one set at or before it.
export function heldAt(xs: number[], at: number[], values: number[]): Num[] {
  let next = 0;
  let held: Num = null;
  return xs.map((x) => {
    while (next < at.length && at[next]! <= x) held = values[next++]!;
    return held;
  });
}
