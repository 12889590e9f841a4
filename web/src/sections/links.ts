// How busy the links were: over the network, and over time.
import type { Run } from "../data";
import { h, nothing, section } from "../dom";
import { heatChart } from "../charts/heat";
import { topologyChart } from "../charts/topology";
import type { ZoomGroup } from "../charts/zoom";

export function linkSection(run: Run, group: ZoomGroup): HTMLElement {
  const { topology } = run;
  if (!topology || topology.links.length === 0)
    return section("links", "Link utilisation", nothing("The utilisation of links was not recorded."));
  const { heat } = topology;
  return section(
    "links",
    "Link utilisation",
    h(
      "div",
      { class: "charts" },
      topologyChart(topology),
      heat && heat.rows.length > 0 && heat.at_us.length > 0
        ? heatChart(heat, group)
        : nothing("Utilisation over time was not recorded."),
    ),
  );
}
