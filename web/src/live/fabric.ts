// The fabric with its links, colored by current load, pauses or queues. With very many links it is a table of
// the worst.
import type { Num } from "../data";
import { h, nothing } from "../dom";
import { countOf, format, known } from "../format";
import { NetworkChart, type Measure } from "../charts/network";
import { table } from "../table";
import { linksOf, nodesOf, type LiveLink } from "./shape";
import type { LinkNames, LinkRow, WorstRow } from "./state";

const measures: Measure<LiveLink>[] = [
  { label: "utilisation", ab: (l) => l.use[0], ba: (l) => l.use[1] },
  { label: "time paused", ab: (l) => l.paused[0], ba: (l) => l.paused[1] },
  { label: "longest queue", ab: (l) => l.queue[0], ba: (l) => l.queue[1], scale: (most) => format(most < 1 ? 0 : most, "bytes") },
];

const columns = [
  { head: "Direction" },
  { head: "Utilisation", isNumber: true },
  { head: "Paused by the receiver", isNumber: true },
  { head: "Longest queue", isNumber: true },
];

interface Direction {
  from: string;
  to: string;
  use: Num;
  paused: Num;
  queue: Num;
}

// A paused link is worse than a full one.
const badness = ({ use, paused }: Direction) => (paused ?? 0) * 10 + (use ?? 0);

function directionTable(directions: Direction[]): HTMLElement {
  return table(
    columns,
    [...directions]
      .sort((a, b) => badness(b) - badness(a))
      .map((d) => [`${d.from} → ${d.to}`, known(d.use, "share"), known(d.paused, "share"), known(d.queue, "bytes")]),
    "Directions of links, those that are paused or busy first",
  );
}

function directionText(d: Direction): string {
  const of = (value: Num, unit: string) => (value === null ? "unknown" : format(value, unit));
  return `${d.from} → ${d.to}: utilisation ${of(d.use, "share")}, paused by ${d.to} ${of(d.paused, "share")}, longest queue ${of(d.queue, "bytes")}`;
}

export class FabricMap {
  readonly element = h("div", {}, nothing("Waiting for the first link report."));
  private chart: NetworkChart<LiveLink> | null = null;
  private network: { nodes: ReturnType<typeof nodesOf>; links: LiveLink[] } = { nodes: [], links: [] };
  private shape = "";
  private rows = new Map<number, LinkRow>();
  private worst: WorstRow[] = [];

  // Returns false if the rows belong to other links, so that names must be fetched again.
  hear(update: { version: number; links?: LinkRow[]; worst?: WorstRow[] }, names: LinkNames | undefined): boolean {
    for (const row of update.links ?? []) this.rows.set(row[0]!, row);
    this.worst = update.worst ?? this.worst;
    return names?.version === update.version;
  }

  show(names: LinkNames | undefined): void {
    if (!names || (this.rows.size === 0 && this.worst.length === 0)) return;
    if (names.links.length === 0) this.showWorst(names.total);
    else this.showAll(names);
  }

  private showAll(names: LinkNames): void {
    const shape = JSON.stringify([names.nodes, names.links]);
    this.network.links = linksOf(names, this.rows);
    if (shape !== this.shape || !this.chart) {
      this.shape = shape;
      this.network = { nodes: nodesOf(names), links: this.network.links };
      this.chart = this.makeChart();
      this.element.replaceChildren(this.chart.frame.figure);
    } else this.chart.update();
  }

  private showWorst(total: number): void {
    if (this.element.querySelector(":focus, :hover") !== null) return;
    const rows = this.worst.flatMap((row) => {
      const [a, b, ...of] = row;
      const share = (value: Num | undefined) => (value === null || value === undefined ? null : value / 1000);
      return [0, 1].map((k) => ({ from: k ? b : a, to: k ? a : b, use: share(of[k]), paused: share(of[2 + k]), queue: of[4 + k] ?? null }));
    });
    this.element.replaceChildren(
      h("p", { class: "hint" }, `${countOf(total, "link")}: too many to be drawn. Both directions of the ${this.worst.length} worst, those that are paused first.`),
      directionTable(rows),
    );
  }

  private directions(): Direction[] {
    return this.network.links.flatMap((link) => this.directionsOf(link));
  }

  private directionsOf(link: LiveLink): [Direction, Direction] {
    const [a, b] = [this.network.nodes[link.a]!.name, this.network.nodes[link.b]!.name];
    return [
      { from: a, to: b, use: link.use[0], paused: link.paused[0], queue: link.queue[0] },
      { from: b, to: a, use: link.use[1], paused: link.paused[1], queue: link.queue[1] },
    ];
  }

  private makeChart(): NetworkChart<LiveLink> {
    return new NetworkChart<LiveLink>({
      title: "Links now",
      note: "a line is a link, its halves the directions, each as its sender reports; grey: unknown",
      network: this.network,
      measures,
      hint: () => this.hint(),
      linkText: (link) => this.directionsOf(link).flatMap((d, i) => (i === 0 ? [directionText(d), h("br")] : [directionText(d)])),
      nodeText: (node) => this.nodeText(node),
      makeTable: () => directionTable(this.directions()),
    });
  }

  private hint(): string {
    const all = this.directions();
    const paused = all.filter((d) => (d.paused ?? 0) > 0).length;
    const silent = all.filter((d) => d.use === null).length;
    return (
      `${countOf(this.network.links.length, "link")}; ${countOf(paused, "direction")} paused` +
      `${silent > 0 ? `; ${silent} not reporting` : ""}. Point at a link or a node for its values.`
    );
  }

  private nodeText(node: number): string {
    const name = this.network.nodes[node]!.name;
    const own = this.directions().filter((d) => d.from === name || d.to === name);
    const mean = (list: Direction[]) => {
      const known = list.flatMap((d) => (d.use === null ? [] : [d.use]));
      return known.length > 0 ? format(known.reduce((a, b) => a + b, 0) / known.length, "share") : "unknown";
    };
    const by = own.filter((d) => d.to === name && (d.paused ?? 0) > 0).map((d) => d.from);
    return (
      `${name}: ${countOf(own.length / 2, "link")}; sends ${mean(own.filter((d) => d.from === name))}, ` +
      `receives ${mean(own.filter((d) => d.to === name))} of their rate, in the mean${by.length > 0 ? `; pauses ${by.join(", ")}` : ""}`
    );
  }
}
