// The parts of a controller's page, made of the components of the report.
import type { Num } from "../data";
import { h, nothing } from "../dom";
import { countOf, digits, format } from "../format";
import { knobValue } from "../help";
import { ChartSet, type ChartSpec } from "../charts/chart";
import { ZoomGroup } from "../charts/zoom";
import { table } from "../table";
import { decisionList } from "./decisions";
import { knobSpecs } from "./knobs";
import { codes } from "./map";
import { knobTexts, thin, trialBands, type Fabric, type Trial } from "./state";

const HEIGHT = 110;
const POINTS_MAX = 120; // of a chart: with all others fewer than 5,000 marks

// ---- status

const phases: Record<string, string> = {
  none: "Nothing is being tried.",
  waiting: "waits to be approved",
  "lead-in": "is being set; not measured yet",
  run: "is measured against devices that keep the old setting",
  spread: "is set on all devices",
  soak: "is watched on all devices before it is confirmed",
  confirm: "is being confirmed",
  abort: "is being taken back",
  direct: "is being set on all devices, without a trial",
  rollback: "brings all devices back to their baseline",
  drill: "proves the dead-man switch: one device gets no lease",
};

export function trialWords(trial: Trial): HTMLElement[] {
  const moved = (by: number) => `${digits(Math.abs(by))} ${by < 0 ? "lower" : "higher"}`;
  const bound = trial.gain_at_least ?? null;
  const gain =
    trial.gain === undefined || trial.gain === null
      ? ""
      : ` After ${countOf(trial.pairs ?? 0, "pair")} of blocks the metric is ${moved(trial.gain)} with it${bound === null ? "" : `; at worst it is ${moved(bound)} (95\u00a0% bound)`}.`;
  return [
    h("p", { class: "lead" }, codes(knobTexts(trial.set, trial.was)), ` It ${phases[trial.phase] ?? trial.phase}${trial.stage ? `; stage: ${trial.stage}` : ""}.`),
    h("p", {}, trial.by ? `Ordered by ${trial.by}.` : "", gain, trial.why ? h("span", { class: "muted" }, ` Why: ${trial.why}.`) : ""),
  ];
}

// ---- over time: measurements and the settings of each time

const charts = new ChartSet();
const shared = new ZoomGroup([0, 1]); // for all charts

export function timePart(f: Fabric): HTMLElement[] {
  const timeline = thin(f.timeline, POINTS_MAX);
  const first = timeline.t_ms[0];
  if (first === undefined || timeline.t_ms.length < 2) return [nothing("There are no reports yet.")];
  const xs = timeline.t_ms.map((t) => t / 1000);
  shared.grow([xs[0]!, xs.at(-1)!]);
  const common = { group: shared, windows: trialBands(timeline), x: { label: "", unit: "", isTime: true, values: xs } };
  const one = (title: string, unit: string, values: Num[], max?: number): ChartSpec => ({
    title,
    height: HEIGHT,
    ...common,
    y: { unit, ...(max === undefined ? {} : { max }) },
    curves: [{ label: title, values }],
  });
  const arms: ChartSpec = {
    title: "Metric: trial group and control group",
    height: HEIGHT,
    ...common,
    y: { unit: "" },
    curves: [
      { label: "trial group", values: timeline.with },
      { label: "control group", values: timeline.without },
    ],
  };
  const specs = [
    one("Metric that decides", "", timeline.metric),
    ...(timeline.with.some((value) => value !== null) ? [arms] : []),
    one("Utilisation", "share", timeline.utilisation),
    one("Time paused", "share", timeline.paused),
    one("CNPs", "count", timeline.cnps),
    one("Devices that report in time", "share", timeline.coverage, 1),
  ];
  const isUnknown = ({ curves }: ChartSpec) => curves.every(({ values }) => values.every((v) => v === null));
  const unknown = specs.filter(isUnknown).map(({ title }) => title);
  const isZero = ({ curves }: ChartSpec) => curves.every(({ values }) => values.some((v) => v !== null) && values.every((v) => v === null || v === 0));
  const quiet = specs.filter(isZero).map(({ title }) => title);
  const settings = knobSpecs(f.knobs, shared, [first, timeline.t_ms.at(-1)!]);
  return [
    h("p", { class: "hint" }, "The last quarter of an hour, means over all devices. Shaded: a setting is being tried. Drag to zoom: all charts move together."),
    h("div", { class: "charts three" }, ...small(charts.figures(specs.filter((spec) => !isZero(spec) && !isUnknown(spec))))),
    quiet.length > 0 ? h("p", { class: "quiet muted" }, `Always zero (no chart): ${quiet.join(", ")}.`) : null,
    unknown.length > 0 ? h("p", { class: "quiet muted" }, `Unknown, because no device reports it: ${unknown.join(", ")}.`) : null,
    settings.length > 0
      ? h("details", { class: "more" }, h("summary", {}, "Settings over time"), h("div", { class: "charts three" }, ...small(charts.figures(settings))))
      : nothing("No knob has been changed or tried in this time."),
  ].filter((element) => element !== null);
}

function small(figures: HTMLElement[]): HTMLElement[] {
  for (const figure of figures) figure.classList.add("small");
  return figures;
}

// ---- flow sizes

// Sizes that are powers of two.
function sizeText(bytes: number): string {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  const k = Math.floor(Math.log2(bytes) / 10);
  return `${bytes / 1024 ** k} ${units[k]}`;
}

export function flowPart({ flows }: Fabric): HTMLElement[] {
  const all = flows ? flows.elephants + flows.mice : 0;
  if (!flows || all <= 0) return [nothing("No device and no switch reports flow sizes.")];
  const used = flows.bins.map((count, i) => ({ count, from: 64 * 2 ** i })).filter((bin) => bin.count > 0);
  const most = Math.max(...used.map((bin) => bin.count));
  const share = flows.elephants / all;
  return [
    h(
      "p",
      {},
      h("strong", {}, share >= 0.5 ? "Elephants prevail" : "Mice prevail"),
      `: ${format(share, "share")} of the flows of the last window are elephants (1 MB or more).`,
    ),
    h("details", { class: "more" }, h("summary", {}, "Flows by size"), h(
      "dl",
      { class: "bars" },
      ...used.flatMap((bin) => [
        h("dt", {}, `from ${sizeText(bin.from)}`),
        h("dd", {}, h("span", { class: "bar", style: `width: ${(70 * bin.count) / most}%` }), ` ${format(bin.count, "count")}`),
      ]),
    )),
  ];
}

// ---- agreement of devices

export function agreementPart({ agreement, devices_total }: Fabric): HTMLElement[] {
  if (devices_total === 0) return [nothing("No device has reported yet.")];
  if (agreement.length === 0) return [h("p", {}, "All devices of a kind hold the same value of every knob.")];
  return [
    h("p", { class: "hint" }, "Knobs of which devices of one kind hold several values. During a trial this is expected; otherwise a value was changed outside Anole."),
    table(
      [{ head: "Knob" }, { head: "Of" }, { head: "Values" }, { head: "Example device (rarest value)" }],
      agreement.map((a) => [a.knob, a.kind, codes(a.values.map((v) => `${knobValue(a.knob, v.value)}: ${countOf(v.devices, "device")}`)), a.values.at(-1)!.example]),
      "Knobs that differ between devices",
    ),
  ];
}

// ---- decisions

export function decisionPart({ decisions }: Fabric): HTMLElement[] {
  return decisions.length > 0 ? decisionList(decisions) : [nothing("Nothing has been tried yet.")];
}

export function auditPart({ audit }: Fabric): HTMLElement[] {
  if (audit.length === 0) return [nothing("The audit log is empty.")];
  return [
    h(
      "details",
      {},
      h("summary", {}, `The last ${countOf(audit.length, "record")}; anole ctl history has all`),
      table(
        [{ head: "Number", isNumber: true }, { head: "Time" }, { head: "Who" }, { head: "What" }, { head: "Device" }, { head: "Why" }],
        [...audit].reverse().map((r) => [String(r.seq), new Date(r.time).toLocaleString(), r.who, r.what, r.device ?? "", r.why ?? ""]),
        "Audit log, newest first",
      ),
    ),
  ];
}

