// All settings of a sweep: as dots, as lines over all keys, two figures against each other, and as a table.
import type { Sweep } from "../data";
import { h, section } from "../dom";
import { format } from "../format";
import { parallelChart } from "../charts/parallel";
import { Scatter } from "../charts/scatter";

export function sweepSection(sweep: Sweep): HTMLElement {
  const judged = sweep.figures.filter(({ better }) => better !== "neither");
  const left = sweep.settings - sweep.points.length;
  const best = sweep.points[0];
  const figure = sweep.figures.findIndex(({ name }) => name === sweep.best);
  return section(
    "sweep",
    "Which setting",
    h(
      "p",
      {},
      best && figure >= 0
        ? h("strong", {}, `Best of ${sweep.settings.toLocaleString("en-US")}: ${best.name}`)
        : "",
      best && figure >= 0
        ? `, ${sweep.figures[figure]!.label} ${format(best.figures[figure] ?? null, sweep.figures[figure]!.unit)}. `
        : "",
      h(
        "span",
        { class: "muted" },
        `Means over ${sweep.seeds} seeds. The best of many looks better than it is: compare it on seeds that it was not chosen by.` +
          (left > 0 ? ` The worst ${left.toLocaleString("en-US")} are not drawn; sweep.csv has all.` : ""),
      ),
    ),
    h(
      "div",
      { class: "charts" },
      new Scatter(sweep).figure,
      sweep.keys.length > 2 && parallelChart(sweep),
      judged.length > 1 && new Scatter(sweep, true).figure,
    ),
  );
}
