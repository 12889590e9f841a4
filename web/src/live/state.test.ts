import { expect, test } from "vitest";
import { cellsOf, grow, nameOf, oddIn, thin, trialBands, type Fabric, type Pulse, type Timeline } from "./state";

const timelineOf = (t_ms: number[], trial: number[] = t_ms.map(() => 0)): Timeline => ({
  t_ms,
  coverage: t_ms.map(() => 1),
  metric: t_ms.map((t) => t / 10),
  paused: t_ms.map(() => 0),
  utilisation: t_ms.map(() => 0.5),
  cnps: t_ms.map(() => 0),
  trial,
  with: t_ms.map(() => null),
  without: t_ms.map(() => null),
});

test("grow: a point that is known is not added again, and all columns keep one length", () => {
  const fabric = { timeline: timelineOf([1, 2, 3]), mode: "auto", audit: [] } as unknown as Fabric;
  const same = grow(fabric, { timeline: timelineOf([3]), mode: "observe" } as unknown as Pulse);
  expect(same.timeline.t_ms).toEqual([1, 2, 3]);
  expect(same.mode).toBe("observe");
  expect(same.audit).toEqual([]);
  const more = grow(same, { timeline: timelineOf([3, 4]) } as unknown as Pulse);
  expect(more.timeline.t_ms).toEqual([1, 2, 3, 4]);
  expect(more.timeline.metric).toEqual([0.1, 0.2, 0.3, 0.4]);
  let long = more;
  for (let t = 5; t < 2000; t++) long = grow(long, { timeline: timelineOf([t]) } as unknown as Pulse);
  expect(long.timeline.t_ms.length).toBe(900);
  expect(long.timeline.t_ms.at(-1)).toBe(1999);
});

test("grow: a clock that was set back leaves no point in the future", () => {
  const fabric = { timeline: timelineOf([1, 2, 3601, 3602]) } as unknown as Fabric;
  expect(grow(fabric, { timeline: timelineOf([3]) } as unknown as Pulse).timeline.t_ms).toEqual([1, 2, 3]);
});

test("trialBands: one for each trial", () => {
  expect(trialBands(timelineOf([100000, 101000, 102000, 103000, 104000], [0, 1, 1, 0, 2]))).toEqual([
    { name: "trial 1", start_us: 101, stop_us: 102 },
    { name: "trial 2", start_us: 104, stop_us: 104 },
  ]);
});

test("cellsOf: names with the values received; others are unknown", () => {
  const [rack, one] = cellsOf(
    [
      ["r1h0/a", "r1h31/a", 0, 32],
      ["z/a", "z/a", 32, 1],
    ],
    new Map([[0, [0, 500, null, 250, 1200, 3, 2, 1, 0, 2, 0, 0, 29]]]),
  );
  expect(rack).toMatchObject({ utilisation: 0.5, paused: null, metric: 0.25, cnps: 1200, age_s: 3, tried: 2, count: 32 });
  expect(oddIn(rack!)).toBe(3);
  expect(nameOf(rack!)).toBe("r1h0/a … r1h31/a");
  expect(one).toMatchObject({ utilisation: null, tried: 0 });
  expect(nameOf(one!)).toBe("z/a");
});

test("thin: means, in order, and never more than asked for", () => {
  const whole = timelineOf(Array.from({ length: 900 }, (_t, i) => i * 1000));
  const few = thin(whole, 300);
  expect(few.t_ms.length).toBeLessThanOrEqual(301);
  expect(few.t_ms.length).toBeGreaterThan(250);
  expect([...few.t_ms].sort((a, b) => a - b)).toEqual(few.t_ms);
  const mean = (values: (number | null)[]) => values.reduce<number>((sum, v) => sum + v!, 0) / values.length;
  expect(mean(few.metric) / mean(whole.metric)).toBeCloseTo(1, 1);
  expect(few.with.every((value) => value === null)).toBe(true);
  expect(thin(whole, 900)).toBe(whole);
});
