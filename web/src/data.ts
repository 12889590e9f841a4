// The data that the program puts into the page, in <script type="application/json" id="anole-data">.
// src/report/page.c writes it; this file is the contract. Times are microseconds since the start of the run,
// sizes bytes, rates bits per second, shares 0..1. Missing numbers are null.

export type Num = number | null;

export interface Page {
  kind: "run" | "compare" | "tune" | "serve" | "live";
  version: string; // of anole
  title: string; // the scenario's file name
  runs: Run[]; // run: one; compare: one per variant, over all its seeds; tune: none without a check
  answer?: Answer; // default: that of the comparison
  comparison?: Comparison;
  served?: Served; // serve: the current content, updated by /events
  search?: Search; // tune: how the setting was found
  sweep?: Sweep; // the settings from which a comparison was chosen
  repeat?: string; // the command that reproduces the page
  help?: Record<string, string>; // definitions of metrics and knobs, by name
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

// The content of `anole serve`: src/serve/folder.c.
export interface Served {
  name: string;
  results: { name: string; kind: string; has_report: boolean; changed_ms: number; files: { name: string; bytes: number }[] }[];
  running: { name: string; series: (Series & { rows: number; every: number }) | null }[]; // runs in progress
  stores: {
    name: string;
    runs: number;
    finished: string; // when the last one ended, UTC
    figures: string[];
    variants: { name: string; runs: number; values: Num[] }[]; // means
  }[];
}

export interface Search {
  is_kept: boolean; // otherwise the previous setting stays
  is_over: boolean; // the tuner ended its search, not a limit
  rounds: number;
  seeds: string; // "seeds 1 to 3"
  changes: { name: string; from: string; to: string; change: string }[];
  tuning: Tuning;
}

export interface Sweep {
  best: string; // the metric of the ranking
  settings: number;
  seeds: number;
  keys: { name: string; unit: string; is_number: boolean }[]; // the varied keys
  figures: { name: string; label: string; unit: string; better: "lower" | "higher" | "neither" }[];
  points: { name: string; values: (number | string)[]; figures: Num[] }[]; // best first; 5000 at most
  own?: { name: string; values: (number | null)[]; figures: Num[] }; // the scenario's own setting; null: not a knob
  advised?: string | null; // the setting that the answer names: a point, or the scenario's own; null: no verdict
}

export interface Run {
  name: string; // of the variant; run: ""
  scenario: string; // its text, as used
  set: string[]; // changes by the command line: "kmin=200KB"
  seeds: string[];
  model: string;
  fidelity?: string; // "packet", or "fast": packets of lone flows are skipped
  partial?: string[]; // why the metrics do not cover a whole run: sentences
  cc: string;
  lb: string;
  simulated_us: number;
  network: { hosts: number; switches: number; links: number; base_rtt_us: number };
  summary: Record<string, unknown> | null; // summary.json word for word; compare: null
  metrics: Metric[]; // headline figures, most important first
  deciding?: string[]; // names of the main metrics, six at most; summary has them
  sizes: SizeRow[]; // slowdown by flow size, smallest first; only rows with flows
  cdfs: Cdf[];
  series: Series | null; // over time, at most 512 points; compare: of the first seed
  windows: Window[]; // influx
  outages?: Outage[]; // links that were down, at most 200
  phases: Phase[]; // before, during, after; empty without influx
  knobs: KnobLine[]; // changed ones first; a knob has at most about 512 changes
  tuning?: Tuning | null; // the history of a tuner; null without one. compare: of the first seed
  topology: Topology | null;
  traffic: Traffic[];
  files: string[]; // files next to the page, to link to: "flows.csv"
}

export interface Metric {
  name: string; // as in summary tables and --format csv: "slowdown_p99"
  label: string; // "p99 slowdown"
  unit: string; // "", "us", "bytes", "bps", "share", "count", "per_s"
  value: Num;
  better: "lower" | "higher" | "neither";
}

export interface SizeRow {
  bytes_min: number; // flows of at least this size
  bytes_end: Num; // and below this size; null: no limit
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

// The history of a tuner, one step per monitor interval. Beyond 2000 steps, steps without a decision are
// thinned out first, then the others.
export interface Tuning {
  tuner: string;
  about: string;
  options: { name: string; value: string | Num; is_given: boolean; about: string }[];
  phases: string[]; // the phases that occurred: "watch", "search", "confirm", "hold"
  knobs: { name: string; unit: string }[]; // the knobs that the tuner set
  totals: { steps: number; searches: number; accepted: number; rejected: number }; // over all steps, including omitted ones
  steps: TuningSteps;
  twins?: TwinSearch[]; // of a tuner that tries settings on a twin first
  queues?: TunedQueues; // of a tuner that sets the thresholds of every queue for itself
}

// A search on a twin: the candidates of its final, best first, compared with the setting at that time.
export interface TwinSearch {
  end_us: number;
  why: string; // the decision
  came: string; // the outcome
  tried: {
    name: string | null; // null: it was found
    change: Num; // of slowdowns, as predicted: -0.3 is 30 % less; with a 95 % interval
    change_low: Num;
    change_high: Num;
    blocks: number;
    is_out: boolean;
    is_now: boolean;
    is_chosen: boolean;
    set: [name: string, value: number, unit: string][]; // differences from the current setting
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
  settings: (Thresholds & { share: number })[]; // the most used first; share of the time of all queues
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
  divergence: Num[]; // between current and earlier flow sizes
  elephants: Num[]; // share of flows
  temperature: Num[];
  verdict: number[]; // on the setting of the interval. 0: none, 1: accepted, 2: rejected, 3: best so far
  why: string[];
  set: [knob: number, to: number, from: number][][]; // from the end of the interval on; knob: index of 'knobs'
}

// In a network with more than 4000 links, the hosts of each switch are one node ("hosts of tor3") with one
// link. Its rate is the sum of theirs, its use and pause are their mean, and its busiest interval is that of
// the busiest host. If more than 4000 links remain, only the busiest 4000 are listed.
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
  deciding?: string[]; // names of the main metrics, six at most
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
  is_shown?: boolean; // the terminal shows it too
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
