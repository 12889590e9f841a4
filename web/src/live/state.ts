// What a controller tells at /api/state and /api/events: docs/live.md has the contract. Times are milliseconds since 1970,
// shares 0..1. What is not known is null.
import type { Num } from "../data";

export type Knobs = Record<string, number>;

export interface Trial {
  number: number;
  phase: string; // none, waiting, lead-in, run, spread, soak, confirm, abort
  stage?: string; // one, few, quarter, halves
  set?: Knobs;
  why?: string;
  intervals?: number;
  pairs?: number;
  gain?: Num;
  gain_at_least?: Num;
  e_gain?: number;
  e_harm?: number;
  accept_e?: number;
  reject_e?: number;
}

export interface Device {
  name: string;
  kind: string;
  state: string; // silent, broken, frozen, observed, held back, tuned
  why: string;
  has_trial: boolean;
  metric: Num;
  age_ms: Num;
  rate_bps: Num;
  utilisation: Num;
  paused: Num;
  cnps: Num;
  changed: Knobs;
}

export interface Timeline {
  t_ms: number[];
  coverage: Num[];
  metric: Num[];
  paused: Num[];
  utilisation: Num[];
  cnps: Num[];
  trial: number[];
}

export interface KnobChange {
  t_ms: number;
  confirmed: Knobs;
  trial?: number;
  phase?: string;
  stage?: string;
  tried?: Knobs;
}

export interface Decision {
  trial: number;
  term: number;
  began: string;
  set: Knobs;
  why: string;
  outcome: string; // open, kept, dropped, would try
  ended?: string;
  end?: string;
  evidence?: string;
  steps: { time: string; what: string; why: string; evidence: string }[];
}

export interface AuditRecord {
  seq: number;
  time: string;
  who: string;
  what: string;
  why?: string;
  device?: string;
  change?: number;
  evidence?: string;
}

// What is told every second.
export interface Pulse {
  name: string;
  role: string;
  mode: string;
  term: number;
  now_ms: number;
  interval_ms: number;
  frozen: string;
  obstacle: string;
  coverage: number;
  noise_pairs: number;
  noise_e: number;
  devices_total: number;
  states: Record<string, number>;
  trial: Trial;
  timeline: Timeline;
}

export interface Fabric extends Pulse {
  devices: Device[];
  knobs: KnobChange[];
  decisions: Decision[];
  audit: AuditRecord[];
}

const POINTS_MAX = 900;

// A pulse has the last point of the timeline alone.
export function grow(fabric: Fabric, pulse: Pulse): Fabric {
  const timeline = { ...fabric.timeline };
  const last = timeline.t_ms.at(-1) ?? 0;
  const fresh = pulse.timeline.t_ms.findIndex((t) => t > last);
  if (fresh >= 0)
    for (const key of Object.keys(timeline) as (keyof Timeline)[])
      (timeline[key] as Num[]) = [...timeline[key], ...(pulse.timeline[key] ?? []).slice(fresh)].slice(-POINTS_MAX);
  return { ...fabric, ...pulse, timeline };
}

// Stretches of time in which something was tried.
export function trialBands(timeline: Timeline): { name: string; start_us: number; stop_us: number }[] {
  const first = timeline.t_ms[0] ?? 0;
  const bands: { name: string; start_us: number; stop_us: number; trial: number }[] = [];
  timeline.trial.forEach((trial, i) => {
    if (!trial) return;
    const at = (timeline.t_ms[i]! - first) * 1000;
    const last = bands.at(-1);
    if (last && last.trial === trial) last.stop_us = at;
    else bands.push({ name: `trial ${trial}`, start_us: at, stop_us: at, trial });
  });
  return bands.map(({ name, start_us, stop_us }) => ({ name, start_us, stop_us }));
}

// Many devices on few cells: each cell is so many of them, in their order, and shows the worst.
export const CELLS_MAX = 2000;

export function cellsOf<T>(items: T[], most = CELLS_MAX): T[][] {
  const each = Math.max(1, Math.ceil(items.length / most));
  return Array.from({ length: Math.ceil(items.length / each) }, (_cell, i) => items.slice(i * each, (i + 1) * each));
}
