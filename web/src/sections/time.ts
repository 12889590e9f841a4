// Time series: the columns of intervals.csv, one chart per group, with one cursor and one zoom.
import type { Column, Run } from "../data";
import { choice, fold, h, nothing, section } from "../dom";
import { chart } from "../charts/chart";
import { variantKey } from "../charts/legend";
import { alignTo, unionOfX } from "../charts/merge";
import { ZoomGroup } from "../charts/zoom";
import { format } from "../format";
import { shadeNote, shadesOf } from "../shades";

const POINTS_MAX = 40; // fewer intervals are drawn as points

const groupNames: Record<Column["group"], string> = {
  throughput: "Throughput",
  rtt: "Round-trip time",
  pause: "PFC pause",
  queue: "Queues",
  ecn: "ECN marking",
  loss: "Losses and recovery",
  paths: "Answers by the state of their path",
  flows: "Flows",
};

// Columns of one group share a chart if they share a unit.
function groupColumns(columns: Column[]): Column[][] {
  const groups = new Map<string, Column[]>();
  for (const column of columns) {
    const key = `${column.group} ${column.unit}`;
    groups.set(key, [...(groups.get(key) ?? []), column]);
  }
  const order = Object.keys(groupNames);
  return [...groups.values()].sort((a, b) => order.indexOf(a[0]!.group) - order.indexOf(b[0]!.group));
}

// A single column is named in the title; otherwise two charts of a group could not be distinguished.
function titleOf(columns: Column[]): string {
  const group = groupNames[columns[0]!.group] ?? columns[0]!.group;
  return columns.length > 1 ? group : `${group}: ${columns[0]!.label}`;
}

export function timeGroup(runs: Run[]): ZoomGroup {
  const starts = runs.map((run) => (run.series?.at_us[0] ?? 0) - (run.series?.interval_us ?? 0));
  const ends = runs.map((run) => Math.max(run.simulated_us, run.series?.at_us.at(-1) ?? 0));
  return new ZoomGroup([Math.max(0, Math.min(...starts)), Math.max(...ends, 1)]);
}

export function timeGroupUntil(end_us: number): ZoomGroup {
  return new ZoomGroup([0, Math.max(end_us, 1)]);
}

// A chart of zeros is replaced by a word.
function isZero(columns: Column[]): boolean {
  const values = columns.flatMap((column) => column.values).filter((value) => value !== null);
  return values.length > 0 && values.every((value) => value === 0);
}

const quietNames: Record<string, string> = {
  paused_share: "PFC pauses",
  pauses: "pause frames",
  marked_share: "ECN marks",
  cnps: "CNPs",
  dropped_packets: "drops",
  trimmed: "trimmed packets",
  nacks: "NACKs",
  timeouts: "time-outs",
};

// "Always zero (no chart): PFC pauses, drops."
function quietNote(quiet: Column[]): HTMLElement | null {
  const names = quiet.map((column) => quietNames[column.name] ?? column.label);
  return names.length > 0
    ? h("p", { class: "hint quiet" }, `Always zero (no chart): ${names.join(", ")}.`)
    : null;
}

// A chart for each group of columns, and a note about those that are zero.
export function timeCharts(run: Pick<Run, "series" | "windows" | "outages">, group: ZoomGroup): (HTMLElement | null)[] {
  const series = run.series!;
  const shown = series.columns.filter((column) => !(column.name in quietNames && isZero([column])));
  const quiet = series.columns.filter((column) => !shown.includes(column));
  const charts = groupColumns(shown).map((columns) =>
    chart({
      title: titleOf(columns),
      x: { label: "time", unit: "us", values: series.at_us },
      y: { unit: columns[0]!.unit },
      curves: columns.map((column) => ({ label: column.label, values: column.values })),
      windows: shadesOf(run),
      group,
      hasPoints: series.at_us.length <= POINTS_MAX,
    }),
  );
  return [h("div", { class: "charts" }, ...charts), quietNote(quiet)];
}

// One column at a time, one curve per variant.
function variantsChart(runs: Run[], names: Column[], group: ZoomGroup): HTMLElement {
  const place = h("div", { class: "swap" });
  const xs = unionOfX(runs.map((run) => ({ x: run.series?.at_us ?? [] })));
  const valuesOf = (run: Run, name: string) => {
    const column = run.series?.columns.find((candidate) => candidate.name === name);
    return run.series && column
      ? alignTo(xs, { x: run.series.at_us, y: column.values })
      : xs.map(() => undefined);
  };
  const show = (which: number) => {
    const column = names[which]!;
    place.replaceChildren(
      chart({
        title: titleOf(names),
        x: { label: "time", unit: "us", values: xs },
        y: { unit: column.unit },
        curves: runs.map((run) => ({ label: run.name, values: valuesOf(run, column.name) })),
        windows: shadesOf(runs[0]!),
        group,
        hasPoints: xs.length <= POINTS_MAX,
        extra:
          names.length > 1
            ? [
                choice(
                  "Show",
                  names.map((n) => n.label),
                  show,
                  which,
                ),
              ]
            : [],
      }),
    );
  };
  show(0);
  return place;
}

// Charts of all columns, one curve per variant.
function timeOfVariants(runs: Run[], group: ZoomGroup): HTMLElement {
  const { shown } = columnsOf(runs);
  return h("div", { class: "charts" }, ...groupColumns(shown).map((g) => variantsChart(runs, g, group)));
}

// Columns of all runs: informative ones, and those that are always zero.
function columnsOf(runs: Run[]): { shown: Column[]; quiet: Column[] } {
  const columns = [...new Map(runs.flatMap((run) => run.series?.columns ?? []).map((column) => [column.name, column])).values()];
  const ofAll = (name: string) =>
    runs.flatMap((run) => run.series?.columns.filter((column) => column.name === name) ?? []);
  const quiet = columns.filter(({ name }) => name in quietNames && isZero(ofAll(name)));
  return { shown: columns.filter((column) => !quiet.includes(column)), quiet };
}

// The most informative columns in this order, with their titles.
const better: Record<string, string> = {
  goodput_bps: "higher is better",
  rtt_us_mean: "lower is better",
  queue_bytes_max: "lower is better",
  paused_share: "lower is better",
};
const mainColumns: Record<string, string> = {
  goodput_bps: "Goodput",
  rtt_us_mean: "Round trip, mean",
  queue_bytes_max: "Longest queue of a port",
  paused_share: "Time paused by PFC",
  marked_share: "Packets marked by ECN",
  trimmed: "Packets trimmed",
  flows_active: "Messages under way",
};

const KEYS = "Point at a chart, or focus it and use ← →, to read all at one moment; drag to zoom.";
const SMALL = 116; // pixels of a chart's height

function mainTimes(
  runs: Run[],
  group: ZoomGroup,
  hues: Map<string, number>,
): { charts: HTMLElement[]; note: string; quiet: HTMLElement | null } | null {
  const first = runs.find((run) => run.series && run.series.at_us.length > 0)?.series;
  const { shown, quiet } = columnsOf(runs);
  if (!first || shown.length + quiet.length === 0) return null;
  const xs = unionOfX(runs.map((run) => ({ x: run.series?.at_us ?? [] })));
  const known = shown.filter(({ name }) => name in mainColumns);
  const chosen = (known.length > 0 ? known : shown.slice(0, 6)).sort(
    (a, b) => Object.keys(mainColumns).indexOf(a.name) - Object.keys(mainColumns).indexOf(b.name),
  );
  const charts = chosen.map((column) => {
    const figure = chart({
      title: mainColumns[column.name] ?? titleOf([column]),
      name: column.name,
      better: better[column.name],
      x: { label: "time", unit: "us", values: xs, isBare: true },
      y: { unit: column.unit },
      curves: runs.map((run) => {
        const own = run.series?.columns.find(({ name }) => name === column.name);
        return {
          label: run.name,
          hue: hues.get(run.name),
          values: run.series && own ? alignTo(xs, { x: run.series.at_us, y: own.values }) : xs.map(() => undefined),
        };
      }),
      windows: shadesOf(runs[0]!),
      group,
      height: SMALL,
      hasPoints: xs.length <= POINTS_MAX,
    });
    figure.classList.add("small");
    return figure;
  });
  const note = `Seed ${runs[0]!.seeds[0] ?? 1}, means of ${format(first.interval_us, "us")}.${shadeNote(runs[0]!)} `;
  return { charts, note, quiet: quietNote(quiet) };
}

// Six small charts with one cursor; all other curves are folded.
export function timeSection(runs: Run[], hues: Map<string, number>, group: ZoomGroup): HTMLElement {
  const main = mainTimes(runs, group, hues);
  if (!main) return section("time", "Over time", nothing("Nothing was recorded over time."));
  return section(
    "time",
    "Over time",
    h("p", { class: "hint" }, main.note, h("span", { class: "keys" }, KEYS)),
    variantKey(runs.map(({ name }) => name), hues),
    h("div", { class: "charts three" }, ...main.charts),
    main.quiet,
    fold("All curves over time", runs.length > 1 ? timeOfVariants(runs, group) : timeCharts(runs[0]!, group)[0]!),
  );
}
