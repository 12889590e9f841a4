// FCT slowdown by flow size, and distributions.
import type { Cdf, Run, SizeRow } from "../data";
import { choice, fold, h, nothing, section } from "../dom";
import { countOf, digits, format, formatSizes, typeset } from "../format";
import { chart, type Curve } from "../charts/chart";
import { variantKey } from "../charts/legend";
import { alignTo, placesOf, shareAt, unionOfX } from "../charts/merge";

const percentiles: { key: "p50" | "p95" | "p99" | "p999" | "mean"; label: string }[] = [
  { key: "p50", label: "p50" },
  { key: "p95", label: "p95" },
  { key: "p99", label: "p99" },
  { key: "p999", label: "p99.9" },
];

const TITLE = "How long messages take";
const SLOWDOWN = "Slowdown: how many times longer a message takes than alone in the network; 1 is best.";

const writeSlowdown = (value: number | null) => (value === null ? "–" : digits(value));

function slowdownChart(title: string, xs: number[], names: string[], curves: Curve[], extra?: HTMLElement[]) {
  return chart({
    title,
    note: "lower is better",
    height: 200,
    hasPoints: true,
    extra,
    x: { label: "message size", unit: "bytes", values: xs, isLog: true, write: (i) => names[i] ?? "" },
    y: { unit: "", isLog: true, write: writeSlowdown },
    curves,
  });
}

function sizesOfRun(run: Run): HTMLElement {
  const places = placesOf(run.sizes);
  return slowdownChart(
    "Slowdown by message size",
    run.sizes.map((row) => places.get(row.bytes_min)!),
    run.sizes.map(
      (row) =>
        `${formatSizes(row.bytes_min, row.bytes_end)} (${countOf(row.flows, "flow")}` +
        `${row.bytes_mean === undefined ? "" : `, ${format(row.bytes_mean, "bytes")} on average`})`,
    ),
    percentiles.map(({ key, label }) => ({ label, values: run.sizes.map((row) => row[key]) })),
  );
}

// One percentile at a time, one curve per variant.
function sizesOfVariants(runs: Run[]): HTMLElement {
  if (runs.every((run) => run.sizes.length === 0))
    return nothing("No flow has finished, so there are no slowdowns.");
  const rows = runs.flatMap((run) => run.sizes);
  const places = placesOf(rows);
  const placeOf = (row: SizeRow) => places.get(row.bytes_min)!;
  const names = new Map(rows.map((row) => [placeOf(row), formatSizes(row.bytes_min, row.bytes_end)]));
  const xs = [...names.keys()].sort((a, b) => a - b);
  const place = h("div", { class: "swap" });
  const show = (which: number) => {
    const { key, label } = percentiles[which]!;
    const curves = runs.map((run) => ({
      label: run.name,
      values: alignTo(xs, { x: run.sizes.map(placeOf), y: run.sizes.map((row) => row[key]) }),
    }));
    place.replaceChildren(
      slowdownChart(
        `${label} slowdown by message size`,
        xs,
        xs.map((x) => names.get(x)!),
        curves,
        [
          choice(
            "Percentile",
            percentiles.map((p) => p.label),
            show,
            which,
          ),
        ],
      ),
    );
  };
  show(2);
  return place;
}

const titles: Record<string, string> = { FCT: "Completion time" };

// Distributions of one quantity and unit share a chart.
function cdfChart(title: string, unit: string, curves: { label: string; cdf: Cdf }[]): HTMLElement {
  const xs = unionOfX(curves.map((curve) => curve.cdf));
  return chart({
    title: titles[title] ?? capital(title),
    note: title.startsWith("slowdown") ? "share slowed by at most this factor" : "share done within this time",
    height: 200,
    x: { label: title, unit, values: xs, isLog: (xs[0] ?? 0) > 0, isBare: true },
    y: { unit: "share", max: 1 },
    curves: curves.map(({ label, cdf }) => ({ label, values: shareAt(xs, cdf.x, cdf.p) })),
  });
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function groupBy<T>(items: T[], keyOf: (item: T) => string): T[][] {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group) group.push(item);
    else groups.set(keyOf(item), [item]);
  }
  return [...groups.values()];
}

// "FCT, all flows" in a chart of FCT is "all flows".
function shortLabel(cdf: Cdf): string {
  const start = `${cdf.quantity}, `;
  return typeset(cdf.label.startsWith(start) ? cdf.label.slice(start.length) : cdf.label);
}

function cdfsOfRun(run: Run): HTMLElement[] {
  const full = run.cdfs.filter((cdf) => cdf.x.length > 0);
  return groupBy(full, (cdf) => `${cdf.quantity} ${cdf.unit}`).map((group) =>
    cdfChart(
      group[0]!.quantity,
      group[0]!.unit,
      group.map((cdf) => ({ label: shortLabel(cdf), cdf })),
    ),
  );
}

function cdfsOfVariants(runs: Run[]): HTMLElement[] {
  const all = runs.flatMap((run) =>
    run.cdfs.filter((cdf) => cdf.x.length > 0).map((cdf) => ({ label: run.name, cdf })),
  );
  return groupBy(all, ({ cdf }) => `${cdf.label} ${cdf.unit}`).map((group) =>
    cdfChart(group[0]!.cdf.label, group[0]!.cdf.unit, group),
  );
}

// The most informative distributions, in a row of small charts.
const mainLabels: Record<string, string> = {
  "FCT, all flows": "Completion time, all messages",
  "slowdown, flows under 120KB": "Slowdown, messages under 120 KB",
  "slowdown, flows from 1MB": "Slowdown, messages from 1 MB",
};

function mainCdfs(runs: Run[], hues: Map<string, number>): HTMLElement[] {
  const labels = [...new Set(runs.flatMap((run) => run.cdfs.filter((cdf) => cdf.x.length > 0).map((cdf) => cdf.label)))];
  const known = Object.keys(mainLabels).filter((label) => labels.includes(label));
  return (known.length > 0 ? known : labels.slice(0, 3)).map((label) => {
    const all = runs.flatMap((run) => run.cdfs.filter((cdf) => cdf.label === label && cdf.x.length > 0).map((cdf) => ({ run, cdf })));
    const xs = unionOfX(all.map(({ cdf }) => cdf));
    const figure = chart({
      title: mainLabels[label] ?? capital(label),
      note: label.startsWith("slowdown") ? "share slowed by at most this factor" : "share done within this time",
      height: 200,
      x: { label: all[0]!.cdf.quantity, unit: all[0]!.cdf.unit, values: xs, isLog: (xs[0] ?? 0) > 0, isBare: true },
      y: { unit: "share", max: 1 },
      curves: all.map(({ run, cdf }) => ({ label: run.name, hue: hues.get(run.name), values: shareAt(xs, cdf.x, cdf.p) })),
    });
    figure.classList.add("small");
    return figure;
  });
}

const NOTHING = "There are no distributions: nothing finished that could be counted.";

export function timesOfVariants(runs: Run[], hues: Map<string, number>): HTMLElement {
  const main = mainCdfs(runs, hues);
  if (main.length === 0) return section("completion", TITLE, nothing(NOTHING));
  return section(
    "completion",
    TITLE,
    h("p", { class: "hint" }, "Further left is better. All seeds together."),
    variantKey(runs.map(({ name }) => name), hues),
    h("div", { class: "charts three" }, ...main),
    fold(
      "Slowdown by message size, and all distributions",
      h("p", { class: "hint" }, "Quantiles by size are means over seeds."),
      h("div", { class: "charts" }, sizesOfVariants(runs), ...cdfsOfVariants(runs)),
    ),
  );
}

// For one run: operations before flows, and three visible charts.
export function timesOfRun(run: Run): HTMLElement {
  const isOfFlows = ({ quantity }: Cdf) => quantity === "FCT" || quantity === "slowdown";
  const cdfs = cdfsOfRun({ ...run, cdfs: [...run.cdfs.filter((cdf) => !isOfFlows(cdf)), ...run.cdfs.filter(isOfFlows)] });
  const charts = [...cdfs, ...(run.sizes.length > 1 ? [sizesOfRun(run)] : [])];
  const shown = charts.slice(0, 3);
  if (cdfs.length === 0) return section("completion", TITLE, nothing(NOTHING));
  shown.forEach((figure) => figure.classList.add("small", "named"));
  return section(
    "completion",
    TITLE,
    h("p", { class: "hint" }, `Shares: further left is better. ${SLOWDOWN}`),
    h("div", { class: "charts three" }, ...shown),
    charts.length > 3 ? fold("More distributions", h("div", { class: "charts" }, ...charts.slice(3))) : null,
  );
}
