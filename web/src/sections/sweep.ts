// All settings of a sweep: ranked with the scenario's own, as dots, as lines over all keys, and as a
// trade-off of two metrics.
import type { Sweep } from "../data";
import { fold, h, section } from "../dom";
import { format, formatSetting } from "../format";
import { figureName } from "../help";
import { ranking, type Ranked } from "../ranking";
import { table, type Cell } from "../table";
import { parallelChart } from "../charts/parallel";
import { Scatter } from "../charts/scatter";

const PHONE_PX = 640; // as in report.css

function nameOf({ rank, isOwn, isAdvised }: Ranked): HTMLElement {
  const words = [isAdvised ? "✓ recommended" : "", isOwn ? "scenario's own" : ""].filter(Boolean).join(", ");
  return h("span", {}, rank > 0 ? String(rank) : "–", words && h("span", { class: isAdvised ? "advised" : "muted" }, ` ${words}`));
}

// The metric of the ranking comes first.
function rankingTable(sweep: Sweep): HTMLElement {
  const order = sweep.figures.map((_figure, f) => f).sort((a, b) => Number(sweep.figures[b]!.name === sweep.best) - Number(sweep.figures[a]!.name === sweep.best));
  const value = (v: number | string | null, unit: string) => (typeof v === "number" ? formatSetting(v, unit) : (v ?? "–"));
  const row = (ranked: Ranked): Cell[] => [
    nameOf(ranked),
    ...ranked.values.map((v, i) => value(v, sweep.keys[i]?.unit ?? "")),
    ...order.map((f, i) => h(i === 0 ? "b" : "span", {}, format(ranked.figures[f] ?? null, sweep.figures[f]!.unit))),
  ];
  const made = table(
    [
      { head: "Rank" },
      ...sweep.keys.map(({ name }) => ({ head: name, isNumber: true })),
      ...order.map((f) => ({ head: sweep.figures[f]!.label, isNumber: true })),
    ],
    ranking(sweep).map(row),
    "The best settings, and the scenario's own",
    "stack ranking",
  );
  made.querySelectorAll("thead th").forEach((head, i) => {
    const figure = sweep.figures[order[i - 1 - sweep.keys.length] ?? -1];
    if (figure) head.replaceChildren(figureName(figure));
  });
  return made;
}

export function sweepSection(sweep: Sweep): HTMLElement {
  const judged = sweep.figures.filter(({ better }) => better !== "neither");
  const left = sweep.settings - sweep.points.length;
  const dots = new Scatter(sweep).figure;
  const trade = judged.length > 1 ? new Scatter(sweep, true).figure : null;
  const lines = sweep.keys.length > 2 ? parallelChart(sweep) : null;
  return section(
    "sweep",
    "All settings",
    h(
      "p",
      { class: "hint" },
      `${sweep.settings.toLocaleString("en-US")} settings, means over ${sweep.seeds} seeds.` +
        (left > 0 ? ` The worst ${left.toLocaleString("en-US")} are not drawn; sweep.csv has all.` : ""),
    ),
    h("div", { class: "card" }, rankingTable(sweep)),
    // On a phone the ranking comes first, and charts are folded.
    h(
      "details",
      { class: "part", open: innerWidth > PHONE_PX },
      h("summary", {}, "All settings, drawn"),
      h("div", { class: "charts" }, lines ?? dots, trade),
      lines ? fold("Two keys against each other", dots) : null,
    ),
  );
}
