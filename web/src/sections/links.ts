// How busy the links were: over the network, and over time.
import type { Run } from "../data";
import { h, nothing, section } from "../dom";
import { heatChart } from "../charts/heat";
import { topologyChart } from "../charts/topology";
import type { ZoomGroup } from "../charts/zoom";
import { format } from "../format";
import { table } from "../table";

export function topologyOnly(run: Run): HTMLElement {
  return topologyChart(run.topology!);
}

// The five busiest directions, as a table beside the picture.
export function busiestLinks(run: Run): HTMLElement {
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

export function linkSection(run: Run, group: ZoomGroup): HTMLElement {
  const { topology } = run;
  if (!topology || topology.links.length === 0)
    return section("links", "Link load", nothing("Link load was not recorded."));
  const { heat } = topology;
  return section(
    "links",
    "Link load",
    h(
      "div",
      { class: "charts" },
      topologyChart(topology),
      heat && heat.rows.length > 0 && heat.at_us.length > 0
        ? heatChart(heat, group)
        : nothing("Link load over time was not recorded."),
    ),
  );
}
