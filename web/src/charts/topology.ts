// The network of a run. Links are colored by load, each direction separately.
import type { Topology } from "../data";
import { h } from "../dom";
import { countOf, format } from "../format";
import { table } from "../table";
import { NetworkChart, type Measure } from "./network";

type Link = Topology["links"][number];

const measures: Measure<Link>[] = [
  { label: "mean load", ab: (l) => l.ab, ba: (l) => l.ba },
  { label: "busiest interval", ab: (l) => l.ab_max, ba: (l) => l.ba_max },
  { label: "share of time paused", ab: (l) => l.ab_paused, ba: (l) => l.ba_paused },
];

export function topologyChart(topology: Topology): HTMLElement {
  return new NetworkChart<Link>({
    title: "Links over the network",
    note: "a line is a link, its halves the directions; in a cell: left upwards, right downwards",
    network: topology,
    measures,
    hint: () => hintText(topology),
    linkText: (link) => linkText(topology, link),
    nodeText: (node) => nodeText(topology, node),
    makeTable: () => makeTable(topology),
  }).frame.figure;
}

function linkText(topology: Topology, link: Link): (string | Node)[] {
  const name = (node: number) => topology.nodes[node]!.name;
  return [
    `${name(link.a)} → ${name(link.b)}: ${directionText(link.ab, link.ab_max, link.ab_paused)}`,
    h("br"),
    `${name(link.b)} → ${name(link.a)}: ${directionText(link.ba, link.ba_max, link.ba_paused)}`,
    h("span", { class: "muted" }, `; ${format(link.rate_bps, "bps")}`),
    link.down ? `; down for ${format(link.down, "share")} of the time` : "",
  ];
}

function nodeText(topology: Topology, index: number): string {
  let sent = 0;
  let received = 0;
  let links = 0;
  for (const link of topology.links) {
    if (link.a !== index && link.b !== index) continue;
    links++;
    sent += (link.a === index ? link.ab : link.ba) * link.rate_bps;
    received += (link.a === index ? link.ba : link.ab) * link.rate_bps;
  }
  return (
    `${topology.nodes[index]!.name}: ${countOf(links, "link")}, sends ${format(sent, "bps")}, ` +
    `receives ${format(received, "bps")} (means over the run)`
  );
}

function makeTable({ nodes, links }: Topology): HTMLElement {
  const directions = links
    .flatMap((l) => [
      { from: l.a, to: l.b, link: l, mean: l.ab, max: l.ab_max, paused: l.ab_paused },
      { from: l.b, to: l.a, link: l, mean: l.ba, max: l.ba_max, paused: l.ba_paused },
    ])
    .sort((a, b) => b.mean - a.mean);
  return table(
    [
      { head: "Direction" },
      { head: "Rate", isNumber: true },
      { head: "Mean load", isNumber: true },
      { head: "Busiest interval", isNumber: true },
      { head: "Paused", isNumber: true },
      { head: "Down", isNumber: true },
    ],
    directions.map((d) => [
      `${nodes[d.from]!.name} → ${nodes[d.to]!.name}`,
      format(d.link.rate_bps, "bps"),
      format(d.mean, "share"),
      format(d.max, "share"),
      format(d.paused, "share"),
      format(d.link.down ?? 0, "share"),
    ]),
    "Links, the busiest first",
  );
}

function directionText(mean: number, max: number, paused: number): string {
  const write = (share: number) => format(share, "share");
  return `mean ${write(mean)}, busiest interval ${write(max)}, paused ${write(paused)}`;
}

function hintText(topology: Topology): string {
  const down = topology.links.filter((link) => link.down).length;
  return (
    `${countOf(topology.links.length, "link")}${down > 0 ? `, ${down} of them down for a while (×)` : ""}. ` +
    "Point at a link or a node for its values."
  );
}
