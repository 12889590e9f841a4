// The metrics of a run: the main ones visible, all others folded.
import type { Metric, Phase, Run, Traffic } from "../data";
import { fold, h, nothing, section } from "../dom";
import { format, NONE, plain } from "../format";
import { figureName, helpOf } from "../help";
import { table } from "../table";

const SHOWN = 6;

// Bandwidths of collectives have the format of nccl-tests. Pointing at a value shows it exactly.
function writeMetric(metric: Metric): HTMLElement {
  const exact = metric.value === null ? "no value" : `${metric.name} = ${plain(metric.value)}`;
  return h("b", { "data-metric": metric.name, title: exact }, format(metric.value, /(bus|alg)bw_bps$/.test(metric.name) ? "bus" : metric.unit));
}

// summary.json has all metrics, the list of a variant the main ones.
function metricsOf(run: Run): Metric[] {
  const all = run.summary?.metrics;
  return Array.isArray(all) ? (all as Metric[]) : run.metrics;
}

// Returns the phases of an influx that occurred; otherwise none.
function phasesOf({ phases }: Run): Phase[] {
  const seen = phases.filter(({ start_us, stop_us, metrics }) => stop_us > start_us && metrics.some(({ value }) => value !== null));
  return seen.length > 1 ? seen : [];
}

function phaseNote(run: Run): string {
  const during = phasesOf(run).find(({ name }) => name === "during");
  return during ? ` Before, during and after the influx of ${format(during.start_us, "us")} to ${format(during.stop_us, "us")}.` : "";
}

// With an influx, the table has values before, during and after it next to the whole run.
function decidingTable(run: Run): HTMLElement {
  const all = metricsOf(run);
  const chosen = (run.deciding ?? []).flatMap((name) => all.filter((metric) => metric.name === name));
  const shown = (chosen.length > 0 ? chosen : run.metrics).slice(0, SHOWN);
  const phases = phasesOf(run);
  return table(
    [
      { head: "Figure" },
      { head: "Whole run", isNumber: true },
      ...phases.map(({ name }) => ({ head: name.charAt(0).toUpperCase() + name.slice(1), isNumber: true })),
      { head: "What it means" },
    ],
    shown.map((metric) => [
      figureName(metric),
      writeMetric(metric),
      ...phases.map(({ metrics }) => {
        const same = metrics.find(({ name }) => name === metric.name);
        return same ? format(same.value, metric.unit) : "";
      }),
      h("span", { class: "about muted" }, helpOf(metric.name)),
    ]),
    "The figures that decide",
    "stack figures",
  );
}

function allFigures(run: Run): HTMLElement {
  const all = metricsOf(run);
  return fold(
    `All ${all.length} figures`,
    table(
      [{ head: "Figure" }, { head: "Value", isNumber: true }, { head: "Name in files" }],
      all.map((metric) => [figureName(metric), writeMetric(metric), h("code", {}, metric.name)]),
      "All figures",
    ),
  );
}

export function figuresSection(run: Run): HTMLElement {
  if (run.metrics.length === 0) return section("figures", "The figures that decide", nothing("There are no figures of this run."));
  return section(
    "figures",
    "The figures that decide",
    h("p", { class: "hint" }, `${run.seeds.length > 1 ? `Means over ${run.seeds.length} seeds.` : "One seed."}${phaseNote(run)}`),
    h("div", { class: "card" }, decidingTable(run), allFigures(run)),
  );
}

// Entries of one kind have equal rows and share a table.
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
    "stack",
  );
}

export function trafficPart({ traffic }: Run): HTMLElement {
  const kinds = [...new Set(traffic.map((entry) => entry.kind))];
  return h(
    "div",
    { id: "traffic" },
    ...kinds.map((kind) => trafficTable(traffic.filter((entry) => entry.kind === kind))),
    traffic.length === 0 && nothing("The scenario has no traffic."),
  );
}
