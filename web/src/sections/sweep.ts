// All settings of a sweep: as dots, as lines over all keys, two figures against each other, and as a table.
import type { Sweep } from "../data";
import { h, section } from "../dom";
import { format, formatSetting } from "../format";
import { table } from "../table";
import { parallelChart } from "../charts/parallel";
import { Scatter } from "../charts/scatter";

export function sweepSection(sweep: Sweep): HTMLElement {
  const judged = sweep.figures.filter(({ better }) => better !== "neither");
  const left = sweep.settings - sweep.points.length;
  const figure = sweep.figures.findIndex(({ name }) => name === sweep.best);
  const told = sweep.figures[figure];
  const valueOf = (point: { figures: (number | null)[] }) => format(point.figures[figure] ?? null, told?.unit ?? "");
  return section(
    "sweep",
    "All settings",
    h(
      "p",
      { class: "hint" },
      `${sweep.settings.toLocaleString("en-US")} settings, means over ${sweep.seeds} seeds.` +
        (left > 0 ? ` The worst ${left.toLocaleString("en-US")} are not drawn; sweep.csv has all.` : ""),
    ),
    told ? ranking(sweep, valueOf, told.label) : null,
    h(
      "div",
      { class: "charts" },
      new Scatter(sweep).figure,
      sweep.keys.length > 2 && parallelChart(sweep),
      judged.length > 1 && new Scatter(sweep, true).figure,
    ),
  );
}

const RANKED = 8;

// The best settings and the scenario's own, with the values that were set.
function ranking(sweep: Sweep, valueOf: (point: { figures: (number | null)[] }) => string, label: string): HTMLElement {
  const value = (v: number | string | null, unit: string) => (typeof v === "number" ? formatSetting(v, unit) : (v ?? "–"));
  const row = (rank: string, point: { values: (number | string | null)[]; figures: (number | null)[] }) => [
    rank,
    ...point.values.map((v, i) => value(v, sweep.keys[i]?.unit ?? "")),
    valueOf(point),
  ];
  return table(
    [{ head: "Rank" }, ...sweep.keys.map(({ name }) => ({ head: name, isNumber: true })), { head: label, isNumber: true }],
    [...sweep.points.slice(0, RANKED).map((point, i) => row(String(i + 1), point)), ...(sweep.own ? [row("own", sweep.own)] : [])],
    "The best settings, and the scenario's own",
  );
}
