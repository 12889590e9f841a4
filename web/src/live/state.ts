// The data of /api/state and /api/events; docs/live.md has the contract. Times are milliseconds since 1970,
// shares 0..1. Unknown values are null.
import type { Num } from "../data";
import { formatSetting } from "../format";
import { knobValue, unitOf } from "../help";

export type Knobs = Record<string, number>;

// Values before a change. null: devices had different values. A missing knob was not recorded.
export type OldKnobs = Record<string, Num>;

// "300 → 313 µs", "automatic → 850 Mb/s", "several values → 16 KB"; without an old value "313 µs".
export function changeOf(name: string, value: number, was: OldKnobs = {}): { from: string; to: string } {
  const to = knobValue(name, value);
  const old = was[name];
  if (old === undefined) return { from: "", to };
  if (old === null) return { from: "several values", to };
  const from = knobValue(name, old);
  const unit = formatSetting(0, unitOf(name)).slice(1); // the unit appears once
  return { from: from.endsWith(unit) && to.endsWith(unit) ? from.slice(0, from.length - unit.length) : from, to };
}

export const knobTexts = (knobs: Knobs | undefined, was?: OldKnobs) =>
  Object.entries(knobs ?? {}).map(([name, value]) => {
    const { from, to } = changeOf(name, value, was);
    return `${name} ${from ? `${from} → ` : ""}${to}`;
  });

export interface Trial {
  number: number;
  phase: string; // none, waiting, lead-in, run, spread, soak, confirm, abort, direct, rollback
  by?: string; // the person who approved it, or ordered the rollback
  code?: string; // waiting: a digest that an approval must name
  stage?: string; // one, few, quarter, halves
  set?: Knobs;
  was?: OldKnobs;
  why?: string;
  intervals?: number;
  pairs?: number;
  gain?: Num;
  gain_at_least?: Num;
  e_gain?: Num;
  e_harm?: Num;
  accept_e?: number;
  reject_e?: number;
}

// E-values over pairs of blocks, for the current or the last trial.
export interface Evidence {
  trial: number;
  stage: string;
  pairs: number[];
  gain: Num[];
  harm: Num[];
  accept_e: number;
  reject_e: number;
  ends_at: number; // pairs after which the stage ends anyway
}

export interface Device {
  name: string;
  kind: string;
  state: string; // one of STATES
  why: string;
  has_trial: boolean;
  metric: Num;
  age_ms: Num;
  rate_bps: Num;
  utilisation: Num;
  paused: Num;
  cnps: Num;
  changed: Knobs;
  was?: OldKnobs; // the baseline of what changed
}

export interface Timeline {
  t_ms: number[];
  coverage: Num[];
  metric: Num[];
  paused: Num[];
  utilisation: Num[];
  cnps: Num[];
  trial: number[];
  with: Num[]; // during a trial, for devices with its setting
  without: Num[];
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
  was?: OldKnobs;
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

// The devices of a cell of the map: names of its first and last device, the number of the first, and the
// count.
export interface CellNames {
  version: number;
  names: [string, string, number, number][];
}

// A cell in an event: its number, thousandths of utilization, paused time and metric, CNPs, age in seconds,
// number of devices with the trial, number of devices in each state.
export type CellRow = Num[];

export interface Cell {
  first: string;
  last: string;
  at: number;
  count: number;
  utilisation: Num;
  paused: Num;
  metric: Num;
  cnps: Num;
  age_s: Num;
  tried: number;
  states: number[]; // as in STATES
}

// Devices that should be there: 'missing' do not report, 'unexpected' report all the same; null: not known yet.
export interface Inventory {
  expected: number;
  missing: Num;
  missing_example: string;
  unexpected: Num;
  unexpected_example: string;
}

export interface Certificates {
  own_days: Num;
  least_days: Num; // of the agent, relay or operator whose certificate ends first
  least_name: string;
  ending: number; // within 30 days
  ended: number;
}

export const STATES = ["silent", "broken", "frozen", "observed", "held back", "ready", "tuned", "left", "unreadable", "expired"];

// Different values of a knob on devices of one kind.
export interface Disagreement {
  knob: string;
  kind: string;
  values: { value: number; devices: number; example: string }[];
}

// The links of devices, and which devices are known; omitted for very many links.
export interface LinkNames {
  version: number;
  total: number;
  nodes: [string, string][]; // name; NIC, switch or "": it has not reported
  links: [number, number][];
}

// A link in an event: its number, then for each direction thousandths of utilization, of paused time, and the
// longest queue. With very many links it has the worst ones, with the names of both ends instead of the
// number.
export type LinkRow = Num[];
export type WorstRow = [string, string, ...Num[]];

// NICs of a job, or of no job, in the last minute.
export interface Job {
  name: string; // "": NICs without a job
  seconds: number;
  nics: number;
  silent: number;
  looks: number;
  utilisation: Num;
  paused: Num;
  paused_most: Num;
  paused_most_at: string;
  with_cnps: Num; // share of samples of a NIC
  with_retransmissions: Num;
  rtt_stretch: Num; // relative to the round trip of the empty network
  signs: string[]; // of slow-down by the network: paused, CNPs, retransmissions, round trips
}

export interface TunerStep {
  reports_ago: number;
  phase: string;
  why: string;
  outcome: string;
  utility: Num;
  set: Knobs;
}

// The last search on a twin: the candidates of its final, best first, compared with the setting at that time.
export interface LiveSearch extends TunerStep {
  tried: {
    name: string; // "": found by the search
    gain: Num; // predicted change of slowdowns in percent; negative is better; with a 95 % interval
    low: Num;
    high: Num;
    blocks: number;
    is_out: boolean;
    is_now: boolean;
    set: Knobs; // differences from the current setting
  }[];
}

export interface Tuner {
  name: string; // "": no tuner
  has_begun: boolean;
  has_failed: boolean;
  reports?: number;
  waits?: boolean; // its last proposal is still in progress
  last?: TunerStep;
  missing?: string; // required data that is not reported, and how to provide it
  candidates?: TunerStep[]; // its recent proposals, the last first
  thinks?: boolean; // it is trying settings on a twin
  search?: LiveSearch;
}

export interface FlowSizes {
  elephants: number;
  mice: number;
  bins: number[]; // from 64 bytes on, each twice as large
}

// Data sent every second.
export interface Pulse {
  name: string;
  role: string;
  mode: string;
  term: number;
  now_ms: number;
  interval_ms: number;
  frozen: string;
  obstacle: string;
  declined?: string; // why the tuner's last proposal is not tried
  in_effect: { set: Knobs; was?: OldKnobs; since_ms: Num; trial: number; by: string; why: string };
  drill: { passed_ms: Num; last_ms: Num; is_passed: boolean; took_ms: Num; device: string; why: string };
  unguarded: { devices: number; what: string; example: string };
  breach?: { devices: number; example: string; why: string }; // broken guardrails
  reach?: { trial: number; settable: number }; // devices
  evidence?: Evidence | null;
  coverage: number;
  noise_pairs: number;
  noise_e: Num;
  devices_total: number;
  states: Record<string, number>;
  trial: Trial;
  timeline: Timeline;
}

export interface Fabric extends Pulse {
  standby?: string;
  refused?: { total: number; last: string; last_ms: Num; reasons: Record<string, number> } | null; // connections
  disk_is_bad?: boolean; // of the controller
  inventory?: Inventory | null;
  certificates?: Certificates | null;
  next: string; // which trial runs, or why none does
  cells: CellNames;
  has_history: boolean;
  agreement: Disagreement[];
  flows?: FlowSizes | null;
  links?: LinkNames;
  jobs?: Job[];
  tuner?: Tuner;
  knobs: KnobChange[];
  decisions: Decision[];
  audit: AuditRecord[];
}

const POINTS_MAX = 900;

// A pulse has only the last point of the timeline.
export function grow(fabric: Fabric, pulse: Pulse): Fabric {
  const timeline = { ...fabric.timeline };
  // If the controller's clock was set back, points of ours lie in the future.
  const now = pulse.timeline.t_ms.at(-1) ?? Infinity;
  const past = timeline.t_ms.filter((t) => t <= now).length;
  if (past < timeline.t_ms.length) for (const key of Object.keys(timeline) as (keyof Timeline)[]) (timeline[key] as Num[]) = timeline[key].slice(0, past);
  const last = timeline.t_ms.at(-1) ?? 0;
  const fresh = pulse.timeline.t_ms.findIndex((t) => t > last);
  if (fresh >= 0)
    for (const key of Object.keys(timeline) as (keyof Timeline)[])
      (timeline[key] as Num[]) = [...timeline[key], ...(pulse.timeline[key] ?? []).slice(fresh)].slice(-POINTS_MAX);
  return { ...fabric, ...pulse, timeline };
}

// Periods of trials, in seconds since 1970.
export function trialBands(timeline: Timeline): { name: string; start_us: number; stop_us: number }[] {
  const bands: { name: string; start_us: number; stop_us: number; trial: number }[] = [];
  timeline.trial.forEach((trial, i) => {
    if (!trial) return;
    const at = timeline.t_ms[i]! / 1000;
    const last = bands.at(-1);
    if (last && last.trial === trial) last.stop_us = at;
    else bands.push({ name: `trial ${trial}`, start_us: at, stop_us: at, trial });
  });
  return bands.map(({ name, start_us, stop_us }) => ({ name, start_us, stop_us }));
}

const share = (value: Num | undefined) => (value === null || value === undefined ? null : value / 1000);

// Names from the overview, values from the events since then.
export function cellsOf(names: CellNames["names"], rows: Map<number, CellRow>): Cell[] {
  return names.map(([first, last, at, count], i) => {
    const row = rows.get(i);
    return {
      first,
      last,
      at,
      count,
      utilisation: share(row?.[1]),
      paused: share(row?.[2]),
      metric: share(row?.[3]),
      cnps: row?.[4] ?? null,
      age_s: row?.[5] ?? null,
      tried: row?.[6] ?? 0,
      states: STATES.map((_state, k) => row?.[7 + k] ?? 0),
    };
  });
}

// Silent, broken or frozen devices of a cell.
const ODD = ["silent", "broken", "frozen", "unreadable", "expired"].map((state) => STATES.indexOf(state));
export const oddIn = (cell: Cell) => ODD.reduce((sum, k) => sum + (cell.states[k] ?? 0), 0);

export function nameOf(cell: Cell): string {
  return cell.count === 1 ? cell.first : `${cell.first} … ${cell.last}`;
}

// Merges every 'step' points into the mean of known values, so that a chart never has too many.
export function thin(timeline: Timeline, most: number): Timeline {
  const count = timeline.t_ms.length;
  if (count <= most) return timeline;
  const step_ms = ((timeline.t_ms.at(-1)! - timeline.t_ms[0]!) / most) * 1.02;
  const bucket = timeline.t_ms.map((t) => Math.floor(t / step_ms));
  const starts = bucket.flatMap((b, i) => (b !== bucket[i - 1] ? [i] : []));
  const mean = (values: Num[]) => {
    const known = values.filter((value) => value !== null);
    return known.length > 0 ? known.reduce((a, b) => a + b, 0) / known.length : null;
  };
  const thinned = (values: Num[]) => starts.map((from, k) => mean(values.slice(from, starts[k + 1] ?? count)));
  return {
    ...(Object.fromEntries(Object.entries(timeline).map(([key, values]) => [key, thinned(values as Num[])])) as unknown as Timeline),
    t_ms: starts.map((i) => timeline.t_ms[i]!),
    trial: starts.map((i) => timeline.trial[i]!),
  };
}
