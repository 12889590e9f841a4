import { expect, test } from "vitest";
import { cellsOf, grow, trialBands, type Fabric, type Pulse, type Timeline } from "./state";

const timelineOf = (t_ms: number[], trial: number[] = t_ms.map(() => 0)): Timeline => ({
  t_ms,
  coverage: t_ms.map(() => 1),
  metric: t_ms.map((t) => t / 10),
  paused: t_ms.map(() => 0),
  utilisation: t_ms.map(() => 0.5),
  cnps: t_ms.map(() => 0),
  trial,
});

test("grow: a point that is known is not added again, and all columns keep one length", () => {
  const fabric = { timeline: timelineOf([1, 2, 3]), mode: "auto", devices: [] } as unknown as Fabric;
  const same = grow(fabric, { timeline: timelineOf([3]), mode: "observe" } as unknown as Pulse);
  expect(same.timeline.t_ms).toEqual([1, 2, 3]);
  expect(same.mode).toBe("observe");
  expect(same.devices).toEqual([]);
  const more = grow(same, { timeline: timelineOf([3, 4]) } as unknown as Pulse);
  expect(more.timeline.t_ms).toEqual([1, 2, 3, 4]);
  expect(more.timeline.metric).toEqual([0.1, 0.2, 0.3, 0.4]);
  let long = more;
  for (let t = 5; t < 2000; t++) long = grow(long, { timeline: timelineOf([t]) } as unknown as Pulse);
  expect(long.timeline.t_ms.length).toBe(900);
  expect(long.timeline.t_ms.at(-1)).toBe(1999);
});

test("trialBands: one for each trial", () => {
  expect(trialBands(timelineOf([100, 101, 102, 103, 104], [0, 1, 1, 0, 2]))).toEqual([
    { name: "trial 1", start_us: 1000, stop_us: 2000 },
    { name: "trial 2", start_us: 4000, stop_us: 4000 },
  ]);
});

test("cellsOf: never more than asked for, and nobody is left out", () => {
  const items = Array.from({ length: 10000 }, (_item, i) => i);
  expect(cellsOf(items).length).toBeLessThanOrEqual(2000);
  expect(cellsOf(items).flat()).toEqual(items);
  expect(cellsOf([1, 2, 3])).toEqual([[1], [2], [3]]);
  expect(cellsOf([])).toEqual([]);
});
