// How busy the links were: over the network, and over time.
import type { Run } from "../data";
import { choice, fold, h, nothing, section } from "../dom";
import { heatChart } from "../charts/heat";
import { topologyChart } from "../charts/topology";
import type { ZoomGroup } from "../charts/zoom";
import { format } from "../format";
import { table } from "../table";

// The five busiest directions, as a table beside the picture.
function busiestLinks(run: Run): HTMLElement {
  const { nodes, links } = run.topology!;
  const rows = links
    .flatMap((link) => [
      { from: link.a, to: link.b, mean: link.ab, max: link.ab_max },
      { from: link.b, to: link.a, mean: link.ba, max: link.ba_max },
    ])
    .sort((a, b) => b.mean - a.mean)
    .slice(0, 5);
  return table(
    [{ head: "Busiest links" }, { head: "mean", isNumber: true }, { head: "peak", isNumber: true }],
    rows.map(({ from, to, mean, max }) => [`${nodes[from]!.name} → ${nodes[to]!.name}`, format(mean, "share"), format(max, "share")]),
    "The busiest links",
  );
}

function heatFold(run: Run, group: ZoomGroup): HTMLElement {
  const heat = run.topology!.heat;
  return fold(
    "Busiest links over time",
    heat && heat.rows.length > 0 && heat.at_us.length > 0 ? heatChart(heat, group) : nothing("Link load over time was not recorded."),
  );
}

// Of one run at a time; 'first' is shown at first.
export function linkSection(all: Run[], first: string, group: ZoomGroup): HTMLElement {
  const runs = all.filter((run) => run.topology && run.topology.links.length > 0);
  if (runs.length === 0) return section("links", "Link load", nothing("Link load was not recorded."));
  const place = h("div");
  const show = (which: number) => {
    const run = runs[which]!;
    place.replaceChildren(h("div", { class: "link-load" }, topologyChart(run.topology!), busiestLinks(run)), heatFold(run, group));
  };
  const at = Math.max(0, runs.findIndex(({ name }) => name === first));
  show(at);
  return section(
    "links",
    "Link load",
    h("p", { class: "hint" }, `Seed ${runs[at]!.seeds[0] ?? 1}. Each half of a line is one direction, drawn from its sender.`),
    h("div", { class: "card" }, runs.length > 1 && h("p", {}, choice("Variant", runs.map((run) => run.name), show, at)), place),
  );
}
