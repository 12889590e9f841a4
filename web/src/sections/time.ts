// What happened when: the columns of intervals.csv, one chart per group, all with one cursor and one zoom.
import type { Column, Run, Series, Window } from "../data";
import { choice, h, nothing, section } from "../dom";
import { chart } from "../charts/chart";
import { alignTo, unionOfX } from "../charts/merge";
import { ZoomGroup } from "../charts/zoom";
import { format } from "../format";

const POINTS_MAX = 40; // fewer intervals are drawn as points

const groupNames: Record<Column["group"], string> = {
  throughput: "Throughput",
  rtt: "Round-trip time",
  pause: "PFC pause",
  queue: "Queues",
  ecn: "ECN marking",
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

// A column alone is named in the title, or two charts of a group could not be told apart.
function titleOf(columns: Column[]): string {
  const group = groupNames[columns[0]!.group] ?? columns[0]!.group;
  return columns.length > 1 ? group : `${group}: ${columns[0]!.label}`;
}

export function timeGroup(runs: Run[]): ZoomGroup {
  const starts = runs.map((run) => (run.series?.at_us[0] ?? 0) - (run.series?.interval_us ?? 0));
  const ends = runs.map((run) => Math.max(run.simulated_us, run.series?.at_us.at(-1) ?? 0));
  return new ZoomGroup([Math.max(0, Math.min(...starts)), Math.max(...ends, 1)]);
}

function intervalNote(series: Series): string {
  return (
    `One point is ${format(series.interval_us, "us")}. Drag to zoom, double-click to see all; ` +
    "with the keyboard: arrows, +, − and 0. Charts over time move together."
  );
}

function shadeNote(windows: Window[]): string {
  return windows.length > 0 ? " Shaded: influx." : "";
}

export function timeOfRun(run: Run, group: ZoomGroup): HTMLElement {
  const { series } = run;
  if (!series || series.at_us.length === 0 || series.columns.length === 0)
    return section("time", "Over time", nothing("Nothing was recorded over time."));
  const charts = groupColumns(series.columns).map((columns) =>
    chart({
      title: titleOf(columns),
      x: { label: "time", unit: "us", values: series.at_us },
      y: { unit: columns[0]!.unit },
      curves: columns.map((column) => ({ label: column.label, values: column.values })),
      windows: run.windows,
      group,
      hasPoints: series.at_us.length <= POINTS_MAX,
    }),
  );
  return section(
    "time",
    "Over time",
    h("p", { class: "hint" }, intervalNote(series) + shadeNote(run.windows)),
    h("div", { class: "charts" }, ...charts),
  );
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
        windows: runs[0]!.windows,
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

export function timeOfVariants(runs: Run[], group: ZoomGroup): HTMLElement {
  const columns = new Map(
    runs.flatMap((run) => run.series?.columns ?? []).map((column) => [column.name, column]),
  );
  const first = runs.find((run) => run.series && run.series.at_us.length > 0)?.series;
  if (!first || columns.size === 0)
    return section("time", "Over time", nothing("Nothing was recorded over time."));
  return section(
    "time",
    "Over time",
    h("p", { class: "hint" }, `Of the first seed. ${intervalNote(first)}${shadeNote(runs[0]!.windows)}`),
    h(
      "div",
      { class: "charts" },
      ...groupColumns([...columns.values()]).map((g) => variantsChart(runs, g, group)),
    ),
  );
}
