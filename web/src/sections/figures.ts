// Headline figures, phases, traffic, and everything else that is a number.
import type { Metric, Phase, Run, Traffic } from "../data";
import { h, nothing, section } from "../dom";
import { format, NONE, plain } from "../format";
import { table } from "../table";

const TILES_MAX = 16;

const directions: Record<Metric["better"], string> = {
  lower: "lower is better",
  higher: "higher is better",
  neither: "",
};

// Bandwidths of collectives are told as nccl-tests tell them.
function writeMetric(metric: Metric): string {
  return format(metric.value, /(bus|alg)bw_bps$/.test(metric.name) ? "bus" : metric.unit);
}

// Words that not everybody uses alike.
function meaning(metric: Metric): string {
  return /slowdown/.test(metric.name) ? "Slowdown: FCT ÷ FCT of the same flow alone in the network. " : "";
}

function tile(metric: Metric): HTMLElement {
  const [number, ...rest] = writeMetric(metric).split("\u00a0");
  const unit = rest.join("\u00a0");
  const exact = metric.value === null ? "no value" : `${metric.name} = ${plain(metric.value)}`;
  return h(
    "div",
    { class: "tile", "data-metric": metric.name, title: `${exact}. ${meaning(metric)}${directions[metric.better]}`.trim() },
    h("dt", {}, metric.label),
    h("dd", {}, number, unit && h("span", { class: "unit" }, `\u00a0${unit}`)),
  );
}

// The first ones as tiles, the others, of single sizes, entries and phases, in a table.
export function tiles(run: Run): HTMLElement {
  if (run.metrics.length === 0)
    return section("figures", "Figures", nothing("There are no figures of this run."));
  const more = run.metrics.slice(TILES_MAX);
  return section(
    "figures",
    "Figures",
    h("dl", { class: "tiles" }, ...run.metrics.slice(0, TILES_MAX).map(tile)),
    more.length > 0 &&
      h(
        "details",
        { id: "more" },
        h("summary", {}, `${more.length} more figures`),
        table(
          [{ head: "Figure" }, { head: "Value", isNumber: true }, { head: "" }, { head: "Name" }],
          more.map((metric) => [
            metric.label,
            writeMetric(metric),
            h("span", { class: "muted" }, directions[metric.better]),
            h("code", {}, metric.name),
          ]),
          "More figures",
        ),
      ),
  );
}

export function phaseSection(phases: Phase[]): HTMLElement | null {
  if (phases.length === 0) return null;
  const metrics = new Map(phases.flatMap((phase) => phase.metrics).map((metric) => [metric.name, metric]));
  const valueOf = (phase: Phase, name: string) =>
    phase.metrics.find((metric) => metric.name === name)?.value ?? null;
  const heads = phases.map((phase) => ({
    head: `${phase.name} (${format(phase.start_us, "us")} – ${format(phase.stop_us, "us")})`,
    isNumber: true,
  }));
  return section(
    "phases",
    "Before, during and after the influx",
    table(
      [{ head: "" }, ...heads, { head: "" }],
      [...metrics.values()].map((metric) => [
        metric.label,
        ...phases.map((phase) => format(valueOf(phase, metric.name), metric.unit)),
        h("span", { class: "muted" }, directions[metric.better]),
      ]),
    ),
  );
}

// Entries of one kind have the same rows and share a table.
function trafficTable(entries: Traffic[]): HTMLElement {
  const labels = [...new Set(entries.flatMap((entry) => entry.rows.map((row) => row.label)))];
  return table(
    [{ head: entries[0]!.kind }, ...labels.map((head) => ({ head, isNumber: true }))],
    entries.map((entry) => [
      entry.name,
      ...labels.map((label) => {
        const row = entry.rows.find((candidate) => candidate.label === label);
        return row ? format(row.value, row.unit) : NONE;
      }),
    ]),
    `Traffic of kind ${entries[0]!.kind}`,
  );
}

export function trafficSection(traffic: Traffic[]): HTMLElement {
  if (traffic.length === 0) return section("traffic", "Traffic", nothing("The scenario has no traffic."));
  const kinds = [...new Set(traffic.map((entry) => entry.kind))];
  return section(
    "traffic",
    "Traffic",
    ...kinds.map((kind) => trafficTable(traffic.filter((entry) => entry.kind === kind))),
  );
}

// {"a": {"b": 1}} as rows "a.b", 1.
export function flatten(value: unknown, name = ""): [string, string][] {
  if (value === null || typeof value !== "object")
    return [[name, value === null || value === undefined ? NONE : String(value)]];
  const dot = name === "" ? "" : `${name}.`;
  return Object.entries(value).flatMap(([key, inner]) => flatten(inner, dot + key));
}

export function allFigures(run: Run): HTMLElement | null {
  if (!run.summary) return null;
  return h(
    "details",
    { id: "summary" },
    h("summary", {}, "All figures (summary.json)"),
    table([{ head: "Name" }, { head: "Value", isNumber: true }], flatten(run.summary), "All figures"),
  );
}
