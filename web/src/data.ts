// What the program puts into the page, in <script type="application/json" id="anole-data">.
// src/report/page.c writes it; this file is the contract. Times are microseconds since the start of the run,
// sizes bytes, rates bits per second, shares 0..1. A number that does not exist is null.

export type Num = number | null;

export interface Page {
  kind: "run" | "compare" | "tune" | "serve" | "live";
  version: string; // of anole
  title: string; // the scenario's file name
  runs: Run[]; // run: one; compare: one per variant, over all its seeds; tune: none without a check
  answer?: Answer; // else that of the comparison
  comparison?: Comparison;
  served?: Served; // serve: what there is, told anew by /events
  search?: Search; // tune: how the setting was found
  sweep?: Sweep; // of the settings that a comparison was chosen from
  repeat?: string; // the command that makes the page again
  help?: Record<string, string>; // what figures and knobs mean, by name
  units?: Record<string, string>; // live: of knobs, by name
}

// The answer card: src/base/print/card.h.
export interface Answer {
  finding: string | null; // one sentence
  detail: string | null;
  cost: string | null;
  certainty: string | null;
  network: string | null;
  traffic: string | null;
  settings: string | null;
  next: string | null; // why to run the command
  command: string | null;
}

// What `anole serve` shows: src/serve/folder.c.
export interface Served {
  name: string;
  results: { name: string; kind: string; has_report: boolean; changed_ms: number; files: { name: string; bytes: number }[] }[];
  running: { name: string; series: (Series & { rows: number; every: number }) | null }[]; // what is being written
  stores: {
    name: string;
    runs: number;
    finished: string; // when the last one ended, UTC
    figures: string[];
    variants: { name: string; runs: number; values: Num[] }[]; // means
  }[];
}

export interface Search {
  is_kept: boolean; // otherwise the setting of before stays
  is_over: boolean; // the tuner ended its search by itself
  rounds: number;
  seeds: string; // "seeds 1 to 3"
  changes: { name: string; from: string; to: string; change: string }[];
  tuning: Tuning;
}

export interface Sweep {
  best: string; // the figure by which they are ordered
  settings: number;
  seeds: number;
  keys: { name: string; unit: string; is_number: boolean }[]; // what was varied
  figures: { name: string; label: string; unit: string; better: "lower" | "higher" | "neither" }[];
  points: { name: string; values: (number | string)[]; figures: Num[] }[]; // best first; 5000 at most
  own?: { name: string; values: (number | null)[]; figures: Num[] }; // the scenario's own setting; null: not a knob
  advised?: string | null; // the setting that the answer names: a point, or the scenario's own; null: no verdict
}

export interface Run {
  name: string; // of the variant; run: ""
  scenario: string; // its text, as used
  set: string[]; // what the command line changed: "kmin=200KB"
  seeds: string[];
  model: string;
  fidelity?: string; // "packet", or "fast": packets of lone flows are skipped
  partial?: string[]; // why the figures are not those of a whole run: sentences
  cc: string;
  lb: string;
  simulated_us: number;
  network: { hosts: number; switches: number; links: number; base_rtt_us: number };
  summary: Record<string, unknown> | null; // summary.json word for word; compare: null
  metrics: Metric[]; // headline figures, most important first
  deciding?: string[]; // names of the figures that decide, six at most; summary has them
  sizes: SizeRow[]; // slowdown by flow size, smallest first; only rows with flows
  cdfs: Cdf[];
  series: Series | null; // over time, at most 512 points; compare: of the first seed
  windows: Window[]; // influx
  outages?: Outage[]; // links that were down, at most 200
  phases: Phase[]; // before, during, after; empty without influx
  knobs: KnobLine[]; // those that changed first; of a knob that changed more than 512 times, about 512 are told
  tuning?: Tuning | null; // what a tuner did; without one: null. compare: of the first seed
  topology: Topology | null;
  traffic: Traffic[];
  files: string[]; // beside the page, to link to: "flows.csv"
}

export interface Metric {
  name: string; // as in summary tables and --format csv: "slowdown_p99"
  label: string; // "p99 slowdown"
  unit: string; // "", "us", "bytes", "bps", "share", "count", "per_s"
  value: Num;
  better: "lower" | "higher" | "neither";
}

export interface SizeRow {
  bytes_min: number; // flows of at least so much
  bytes_end: Num; // and less than this; null: no end
  flows: number;
  bytes_mean?: number; // of these flows: where the row is drawn
  mean: number;
  p50: number;
  p95: number;
  p99: number;
  p999: number;
}

export interface Cdf {
  label: string; // "FCT, all flows", "FCT, background", "read latency, oltp"
  quantity: string; // curves of one quantity share a chart: "FCT", "slowdown", "latency", "iteration time"
  unit: string;
  count?: number; // of values
  x: number[]; // ascending
  p: number[]; // share of values <= x: the same shares in every page, 0, 0.01, .. 0.99, 0.995, 0.999, 0.9999, 1
}

export interface Series {
  at_us: number[]; // end of each (aggregated) monitor interval
  interval_us: number; // length of one point
  columns: Column[];
}

export interface Column {
  name: string; // of intervals.csv
  label: string;
  group: "throughput" | "rtt" | "pause" | "queue" | "ecn" | "loss" | "paths" | "flows"; // columns of one group share a chart
  unit: string;
  values: Num[];
}

export interface Window {
  name: string; // of the traffic entry
  start_us: number;
  stop_us: number;
}

export interface Outage {
  a: string; // nodes
  b: string;
  start_us: number;
  stop_us: number; // of the run, if the link stayed down
}

export interface Phase {
  name: "before" | "during" | "after";
  start_us: number;
  stop_us: number;
  metrics: Metric[];
}

export interface KnobLine {
  name: string;
  unit: string;
  at_us: number[]; // from then on
  values: number[];
}

// The history of a tuner, one step a monitor interval. Of more than 2000 steps, those in which nothing was decided are
// thinned out first, then the others.
export interface Tuning {
  tuner: string;
  about: string;
  options: { name: string; value: string | Num; is_given: boolean; about: string }[];
  phases: string[]; // those that came: "watch", "search", "confirm", "hold"
  knobs: { name: string; unit: string }[]; // those that the tuner set
  totals: { steps: number; searches: number; accepted: number; rejected: number }; // of all steps, told or not
  steps: TuningSteps;
  twins?: TwinSearch[]; // of a tuner that tries settings on a twin first
  queues?: TunedQueues; // of a tuner that sets the thresholds of every queue for itself
}

// A search on a twin: who ran in its last race, the best first, against the setting in force then.
export interface TwinSearch {
  end_us: number;
  why: string; // what was decided
  came: string; // what was said next
  tried: {
    name: string | null; // null: it was found
    change: Num; // of slowdowns, as predicted: -0.3 is 30 % less; with a 95 % interval
    change_low: Num;
    change_high: Num;
    blocks: number;
    is_out: boolean;
    is_now: boolean;
    is_chosen: boolean;
    set: [name: string, value: number, unit: string][]; // what differs from the setting in force
  }[];
}

export interface Thresholds {
  kmin_bytes: number;
  kmax_bytes: number;
  pmax: number;
}

export interface TunedQueues {
  queues: number;
  changed: number; // queues that got another setting at least once
  changes: number;
  settings: (Thresholds & { share: number })[]; // the longest in force first; share of the time of all queues
  most_changed: (Thresholds & { name: string; changes: number })[]; // as they are at the end
  // Of the queues that were changed most often: 8 at most, each with about 512 changes at most.
  lines: { name: string; changes: number; at_us: number[]; kmin_bytes: number[]; kmax_bytes: number[]; pmax: number[] }[];
}

// Columns of one length.
export interface TuningSteps {
  start_us: number[];
  end_us: number[];
  phase: Num[]; // index of 'phases'
  utility: Num[]; // 0..1, so its terms
  utility_throughput: Num[];
  utility_rtt: Num[];
  utility_pfc: Num[];
  divergence: Num[]; // of flow sizes from those before
  elephants: Num[]; // share of flows
  temperature: Num[];
  verdict: number[]; // on the setting in force in the interval. 0: none, 1: accepted, 2: rejected, 3: best so far
  why: string[];
  set: [knob: number, to: number, from: number][][]; // from the end of the interval on; knob: index of 'knobs'
}

// Of a network with more than 4000 links, the hosts of each switch are one node ("hosts of tor3") with one link, whose
// rate is the sum of theirs, whose use and pause are their mean and whose busiest interval is that of the busiest; and
// if there are still more than 4000, the busiest 4000 are told.
export interface Topology {
  nodes: { name: string; kind: "host" | "switch"; tier: number }[]; // tier 0: hosts, 1: switches with hosts, ...
  links: {
    a: number; // index of a node
    b: number;
    rate_bps: number;
    ab: number; // utilisation a to b, mean over the run, 0..1
    ba: number;
    ab_max: number; // of the busiest interval
    ba_max: number;
    ab_paused: number; // share of the time in which a may not send to b
    ba_paused: number;
    down?: number; // share of the time in which the link was down
  }[];
  heat: Heat | null;
}

// Utilisation of the busiest link directions over time: one row a direction.
export interface Heat {
  at_us: number[]; // end of each column
  rows: { label: string; values: number[] }[]; // "tor0 > spine1"; 0..1
}

export interface Traffic {
  name: string;
  kind: string;
  rows: { label: string; value: Num; unit: string }[]; // flows, bytes, load, IOPS, iteration time, ...
}

export interface Comparison {
  baseline: string; // name of a variant
  seeds: number;
  confidence: number; // 0.95
  answer?: Answer;
  deciding?: string[]; // names of the figures that decide, six at most
  tested?: number; // comparisons that the false discovery rate is kept over
  false_discovery_rate?: number; // 0.05
  verdicts?: { name: string; text: string; has_same_flows?: boolean }[]; // one sentence a variant
  metrics: ComparedMetric[];
}

export interface ComparedMetric {
  name: string;
  label: string;
  unit: string;
  better: "lower" | "higher" | "neither";
  is_shown?: boolean; // one of those that the terminal shows, too
  variants: {
    name: string;
    mean: Num;
    low: Num; // confidence interval of the mean
    high: Num;
    change: Num; // to the baseline, as a share: -0.12
    change_low: Num;
    change_high: Num;
    is_significant: boolean;
    is_better: boolean; // significant and in the good direction
  }[];
}
