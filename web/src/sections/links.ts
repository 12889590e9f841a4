// The load of links: over the network, and over time.
import type { Run } from "../data";
import { choice, fold, foldedSection, h, nothing, section } from "../dom";
import { heatChart } from "../charts/heat";
import { topologyChart } from "../charts/topology";
import type { ZoomGroup } from "../charts/zoom";
import { format } from "../format";
import { table } from "../table";
import { pathFold } from "./paths";

const FULL = 0.9; // mean load of a bottleneck
const BUSIEST = 5;

// The busiest directions: name, mean and peak.
function busiest(run: Run): [name: string, mean: string, peak: string][] {
  const { nodes, links } = run.topology!;
  return links
    .flatMap((link) => [
      { from: link.a, to: link.b, mean: link.ab, max: link.ab_max },
      { from: link.b, to: link.a, mean: link.ba, max: link.ba_max },
    ])
    .sort((a, b) => b.mean - a.mean)
    .slice(0, BUSIEST)
    .map(({ from, to, mean, max }) => [`${nodes[from]!.name} → ${nodes[to]!.name}`, format(mean, "share"), format(max, "share")]);
}

function busiestTable(run: Run): HTMLElement {
  return table(
    [{ head: "Busiest links" }, { head: "mean", isNumber: true }, { head: "peak", isNumber: true }],
    busiest(run),
    "The busiest links",
  );
}

// Summarizes the folded picture in a sentence.
function busiestText(run: Run): string {
  const [name, mean, peak] = busiest(run)[0]!;
  const whose = run.name ? `${run.name}, seed ${run.seeds[0] ?? 1}: the` : "The";
  return `${whose} busiest link, ${name}, carries ${mean} of its rate on average and ${peak} at its peak.`;
}

// The paths of traffic explain the result if a link was down or full, or if variants spread it differently.
function decides(runs: Run[]): boolean {
  const isHeld = ({ topology }: Run) => topology!.links.some(({ ab, ba, down }) => (down ?? 0) > 0 || Math.max(ab, ba) >= FULL);
  return runs.some((run) => isHeld(run) || run.lb !== runs[0]!.lb);
}

function heatFold(run: Run, group: ZoomGroup): HTMLElement {
  const heat = run.topology!.heat;
  return fold(
    "Busiest links over time",
    heat && heat.rows.length > 0 && heat.at_us.length > 0 ? heatChart(heat, group) : nothing("Link load over time was not recorded."),
  );
}

// Shows one run at a time, 'first' at the start. It is folded unless it explains the result.
export function linkSection(all: Run[], first: string, group: ZoomGroup): HTMLElement {
  const runs = all.filter((run) => run.topology && run.topology.links.length > 0);
  if (runs.length === 0) return section("links", "Link load", nothing("Link load was not recorded."));
  const place = h("div");
  const show = (which: number) => {
    const run = runs[which]!;
    place.replaceChildren(h("div", { class: "link-load" }, topologyChart(run.topology!), busiestTable(run)), heatFold(run, group), pathFold(run) ?? "");
  };
  const at = Math.max(0, runs.findIndex(({ name }) => name === first));
  show(at);
  return foldedSection(
    "links",
    "Link load",
    busiestText(runs[at]!),
    decides(runs),
    h("div", { class: "card" }, runs.length > 1 && h("p", {}, choice("Variant", runs.map((run) => run.name), show, at)), place),
  );
}
