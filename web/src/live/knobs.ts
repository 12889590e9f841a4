// Settings over time: one chart per changed knob, on the time axis of the measurements.
import type { Num } from "../data";
import { chart, type ChartSpec } from "../charts/chart";
import { formatSetting, NONE } from "../format";
import { knobValue, unitOf } from "../help";
import type { ZoomGroup } from "../charts/zoom";
import { stepsOf } from "./points";
import type { KnobChange } from "./state";

const KNOBS_MAX = 6;

export function knobCharts(all: KnobChange[], group: ZoomGroup, range_ms: [number, number]): HTMLElement[] {
  return knobSpecs(all, group, range_ms).map(chart);
}

export function knobSpecs(all: KnobChange[], group: ZoomGroup, [from_ms, until_ms]: [number, number]): ChartSpec[] {
  const begun = all.findLastIndex((k) => k.t_ms <= from_ms);
  const knobs = all.slice(Math.max(0, begun)).map((k) => ({ ...k, t_ms: Math.max(k.t_ms, from_ms) }));
  const names = [...new Set(knobs.flatMap((k) => [...Object.keys(k.confirmed), ...Object.keys(k.tried ?? {})]))];
  const moved = names.filter((name) => new Set(knobs.flatMap((k) => [k.confirmed[name], k.tried?.[name] ?? k.confirmed[name]])).size > 1);
  const xs = [...knobs.map((k) => k.t_ms / 1000), until_ms / 1000];
  const held = (values: Num[]) => [...values, values.at(-1) ?? null];
  return moved.slice(0, KNOBS_MAX).map((name) => {
    const tried = knobs.map((k) => k.tried?.[name] ?? null);
    const steps = stepsOf(xs, [held(knobs.map((k) => k.confirmed[name] ?? null)), held(tried)]);
    return {
      title: name,
      name,
      height: 125,
      isStepped: true,
      group,
      x: { label: "", unit: "", isTime: true, values: steps.xs },
      y: { unit: formatSetting(0, unitOf(name)).slice(1).trim(), write: (value: Num) => (value === null ? NONE : knobValue(name, value)) },
      curves: [
        { label: "current", values: steps.curves[0]! },
        ...(tried.some((value) => value !== null) ? [{ label: "being tried", values: steps.curves[1]! }] : []),
      ],
    };
  });
}
