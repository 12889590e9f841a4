// Draws a network whose links are colored by a measure of each direction, for a run or for a live fabric.
import type { Num } from "../data";
import { announce, choice, h } from "../dom";
import { countOf } from "../format";
import { colour, heatColour, isPrinting } from "../theme";
import { frame, type Frame } from "./frame";
import { keep } from "./redraw";
import { arcMiddle, distanceTo, layoutOf, type Layout, type Line, type Place } from "./topology_layout";

export interface NetworkNode {
  name: string;
  kind: "host" | "switch";
  tier: number; // 0: hosts
}

export interface NetworkLink {
  a: number; // index of a node
  b: number;
  down?: number; // share of the time
}

export interface Measure<L> {
  label: string;
  ab: (link: L) => Num; // null: not known
  ba: (link: L) => Num;
  scale?: (most: number) => string; // if set, the scale ends at the largest value; otherwise at 1
}

export interface NetworkSpec<L extends NetworkLink> {
  title: string;
  note: string;
  network: { nodes: NetworkNode[]; links: L[] };
  measures: Measure<L>[];
  hint: () => string;
  linkText: (link: L) => (string | Node)[];
  nodeText: (node: number) => string;
  makeTable: () => HTMLElement;
}

type Selected = { kind: "link" | "node"; index: number } | null;

const KEYS = "Left and right arrows step through the links, the busiest first; up and down step by ten.";
const NEAR_NODE = 8;
const NEAR_LINK = 5;

export class NetworkChart<L extends NetworkLink> {
  readonly frame: Frame;
  private readonly base = h("canvas");
  private readonly over = h("canvas", { class: "over" });
  private readonly readout = h("p", { class: "readout" });
  private readonly legend = scaleLegend();
  private layout: Layout | null = null;
  private measure: Measure<L>;
  private most = 1; // value of the last color of the scale
  private selected: Selected = null;
  private order: number[] = []; // links, the busiest first
  private at = -1; // keyboard selection: an index of 'order'

  constructor(private readonly spec: NetworkSpec<L>) {
    this.measure = spec.measures[0]!;
    this.frame = frame({ title: spec.title, keys: KEYS, isWide: true, note: spec.note, makeTable: () => spec.makeTable() });
    this.frame.controls.prepend(
      choice(
        "Colour by",
        spec.measures.map((m) => m.label),
        (i) => this.choose(i),
      ),
    );
    this.frame.plot.classList.add("topology");
    this.frame.plot.append(this.base, this.over);
    this.frame.figure.append(h("div", { class: "below" }, this.readout, this.legend));
    this.choose(0);
    this.listen();
    keep(this);
  }

  get place(): HTMLElement {
    return this.frame.plot;
  }
  isConnected(): boolean {
    return this.frame.figure.isConnected;
  }
  destroy(): void {
    this.layout = null;
  }

  redraw(): void {
    const width = isPrinting() ? 690 : this.frame.plot.clientWidth;
    if (width < 50) return;
    this.layout = layoutOf(this.spec.network, width);
    const ctx = prepare(this.base, width, this.layout.height);
    prepare(this.over, width, this.layout.height);
    this.paintTiers(ctx, this.layout);
    this.paintLinks(ctx, this.layout);
    this.paintNodes(ctx, this.layout);
    this.paintNames(ctx, this.layout);
  }

  // Updates the values and keeps the link under the pointer.
  update(): void {
    this.rank();
    this.show(this.selected);
    if (this.layout) this.redraw();
    this.frame.refreshTable();
  }

  private choose(i: number): void {
    this.measure = this.spec.measures[i]!;
    this.at = -1;
    this.selected = null;
    this.update();
  }

  private rank(): void {
    const { ab, ba, scale } = this.measure;
    const busy = this.links.map((link) => Math.max(ab(link) ?? 0, ba(link) ?? 0));
    this.order = busy.map((_value, link) => link).sort((a, b) => busy[b]! - busy[a]! || a - b);
    this.most = scale ? Math.max(1e-9, ...busy) : 1;
    this.legend.lastElementChild!.textContent = scale ? scale(this.most) : "100 %";
  }

  private get links(): L[] {
    return this.spec.network.links;
  }
  private get nodes(): NetworkNode[] {
    return this.spec.network.nodes;
  }

  private shareOf(value: Num): Num {
    return value === null ? null : value / this.most;
  }

  private paintTiers(ctx: CanvasRenderingContext2D, layout: Layout): void {
    ctx.fillStyle = colour("muted");
    ctx.font = "11px system-ui, sans-serif";
    ctx.textBaseline = "middle";
    for (const { y, count, tier } of layout.tiers) {
      const text = tier === 0 ? countOf(count, "host") : countOf(count, "switch", "switches");
      ctx.fillText(text, 0, y);
    }
  }

  // The busiest links are drawn last, above the others.
  private paintLinks(ctx: CanvasRenderingContext2D, layout: Layout): void {
    const rank = new Map(this.order.map((link, i) => [link, i]));
    const lines = [...layout.lines].sort((x, y) => rank.get(y.link)! - rank.get(x.link)!);
    const thin = lines.length > 300 ? 0.6 : 1;
    for (const line of lines) {
      const link = this.links[line.link]!;
      paintDirection(ctx, line, this.shareOf(this.measure.ab(link)), thin, 1);
      paintDirection(ctx, line, this.shareOf(this.measure.ba(link)), thin, -1);
    }
    for (const { link, x, y, size } of layout.cells) this.paintCell(ctx, link, x, y, size);
    for (const line of lines)
      if (this.links[line.link]!.down) paintCross(ctx, lineMiddle(line));
    for (const { link, x, y, size } of layout.cells)
      if (this.links[link]!.down) paintCross(ctx, { x: x + size / 2, y: y + size / 2 });
  }

  // Left half: upwards. Right half: downwards.
  private paintCell(ctx: CanvasRenderingContext2D, index: number, x: number, y: number, size: number): void {
    const link = this.links[index]!;
    const isUp = this.nodes[link.a]!.tier < this.nodes[link.b]!.tier;
    const up = isUp ? this.measure.ab(link) : this.measure.ba(link);
    const down = isUp ? this.measure.ba(link) : this.measure.ab(link);
    const gap = size > 5 ? 1 : 0.5;
    ctx.fillStyle = colourOf(this.shareOf(up));
    ctx.fillRect(x, y, (size - gap) / 2, size - gap);
    ctx.fillStyle = colourOf(this.shareOf(down));
    ctx.fillRect(x + (size - gap) / 2, y, (size - gap) / 2, size - gap);
  }

  private paintNodes(ctx: CanvasRenderingContext2D, layout: Layout): void {
    const counts = new Map(layout.tiers.map((tier) => [tier.y, tier.count]));
    layout.nodes.forEach((place, i) => {
      if (!place) return;
      const isSwitch = this.nodes[i]!.kind === "switch";
      const isCrowded = (counts.get(place.y) ?? 0) > 48;
      paintNode(ctx, place, isSwitch, isCrowded ? 2.5 : isSwitch ? 5 : 3.5);
    });
  }

  // Draws names of a tier if all of them fit.
  private paintNames(ctx: CanvasRenderingContext2D, layout: Layout): void {
    ctx.font = "10.5px system-ui, sans-serif";
    ctx.textAlign = "center";
    ctx.textBaseline = "alphabetic";
    for (const { y, slot, tier } of layout.tiers) {
      const named = this.nodes.flatMap((node, i) =>
        node.tier === tier && layout.nodes[i] ? [{ name: node.name, place: layout.nodes[i]! }] : [],
      );
      const widest = Math.max(0, ...named.map(({ name }) => ctx.measureText(name).width));
      if (widest + 6 > slot) continue;
      for (const { name, place } of named) this.paintName(ctx, name, place, tier === 0 ? y + 16 : y - 9);
    }
    ctx.textAlign = "start";
  }

  // An outline in the background color separates the name from lines.
  private paintName(ctx: CanvasRenderingContext2D, name: string, { x }: Place, y: number): void {
    ctx.strokeStyle = colour("panel");
    ctx.lineWidth = 3;
    ctx.strokeText(name, x, y);
    ctx.fillStyle = colour("ink");
    ctx.fillText(name, x, y);
  }

  private listen(): void {
    const { plot } = this.frame;
    plot.addEventListener("mousemove", (event) => {
      const box = this.base.getBoundingClientRect();
      this.show(this.find(event.clientX - box.left, event.clientY - box.top));
    });
    plot.addEventListener("mouseleave", () => this.show(null));
    plot.addEventListener("blur", () => this.show(null));
    plot.addEventListener("keydown", (event) => this.onKey(event));
  }

  private onKey(event: KeyboardEvent): void {
    const last = this.order.length - 1;
    const to: Record<string, number> = {
      ArrowRight: this.at + 1,
      ArrowLeft: this.at - 1,
      ArrowDown: this.at + 10,
      ArrowUp: this.at - 10,
      Home: 0,
      End: last,
    };
    const wanted = to[event.key];
    if (wanted === undefined || last < 0) return;
    event.preventDefault();
    this.at = Math.min(Math.max(wanted, 0), last);
    this.show({ kind: "link", index: this.order[this.at]! });
    announce(this.readout.textContent ?? "");
  }

  private find(x: number, y: number): Selected {
    const { layout } = this;
    if (!layout) return null;
    const node = layout.nodes.findIndex((place) => place && Math.hypot(place.x - x, place.y - y) < NEAR_NODE);
    if (node >= 0) return { kind: "node", index: node };
    const cell = layout.cells.find((c) => x >= c.x && x < c.x + c.size && y >= c.y && y < c.y + c.size);
    if (cell) return { kind: "link", index: cell.link };
    let best: { line: Line; distance: number } | null = null;
    for (const line of layout.lines) {
      const distance = distanceTo(line, x, y);
      if (distance < (best?.distance ?? NEAR_LINK)) best = { line, distance };
    }
    return best ? { kind: "link", index: best.line.link } : null;
  }

  private show(selected: Selected): void {
    this.selected = selected;
    if (this.layout) this.paintSelected(this.layout, selected);
    this.readout.replaceChildren(
      ...(selected === null
        ? [h("span", { class: "muted" }, this.spec.hint())]
        : selected.kind === "link"
          ? this.spec.linkText(this.links[selected.index]!)
          : [this.spec.nodeText(selected.index)]),
    );
  }

  private paintSelected(layout: Layout, selected: Selected): void {
    const ctx = prepare(this.over, this.base.clientWidth, layout.height);
    if (!selected) return;
    const isOf = (index: number) => {
      const link = this.links[index]!;
      return selected.kind === "link"
        ? index === selected.index
        : link.a === selected.index || link.b === selected.index;
    };
    ctx.strokeStyle = colour("ink");
    ctx.lineWidth = 2;
    for (const line of layout.lines) if (isOf(line.link)) strokeLine(ctx, line, 0);
    for (const cell of layout.cells)
      if (isOf(cell.link)) ctx.strokeRect(cell.x - 0.5, cell.y - 0.5, cell.size + 0.5, cell.size + 0.5);
  }
}

function lineMiddle(line: Line): Place {
  return line.isArc ? arcMiddle(line) : { x: (line.a.x + line.b.x) / 2, y: (line.a.y + line.b.y) / 2 };
}

// The link was down.
function paintCross(ctx: CanvasRenderingContext2D, { x, y }: Place): void {
  const r = 6;
  for (const [stroke, width] of [
    [colour("panel"), 6],
    [colour("broken"), 2.5],
  ] as const) {
    ctx.strokeStyle = stroke;
    ctx.lineWidth = width;
    ctx.beginPath();
    ctx.moveTo(x - r, y - r);
    ctx.lineTo(x + r, y + r);
    ctx.moveTo(x + r, y - r);
    ctx.lineTo(x - r, y + r);
    ctx.stroke();
  }
}

// Two pixels per CSS pixel keep it sharp in print too.
function prepare(canvas: HTMLCanvasElement, width: number, height: number): CanvasRenderingContext2D {
  const dots = window.devicePixelRatio;
  if (canvas.width !== Math.round(width * dots) || canvas.height !== Math.round(height * dots)) {
    canvas.width = Math.round(width * dots);
    canvas.height = Math.round(height * dots);
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
  }
  const ctx = canvas.getContext("2d")!;
  ctx.setTransform(dots, 0, 0, dots, 0, 0);
  ctx.clearRect(0, 0, width, height);
  return ctx;
}

// Unknown links have the color of their surroundings.
const colourOf = (share: Num) => (share === null ? colour("line") : heatColour(share));

// Drawn next to the middle of the line, on the right of its direction, so that both directions are visible.
function paintDirection(
  ctx: CanvasRenderingContext2D,
  line: Line,
  share: Num,
  thin: number,
  side: 1 | -1,
): void {
  const width = (1 + 2.5 * Math.min(share ?? 0, 1) ** 2) * thin;
  ctx.strokeStyle = colourOf(share);
  ctx.lineWidth = width;
  strokeLine(ctx, line, side * (width / 2 + 0.2));
}

function strokeLine(ctx: CanvasRenderingContext2D, line: Line, offset: number): void {
  const { a, b } = line;
  const length = Math.hypot(b.x - a.x, b.y - a.y) || 1;
  const dx = (-(b.y - a.y) / length) * offset;
  const dy = ((b.x - a.x) / length) * offset;
  ctx.beginPath();
  ctx.moveTo(a.x + dx, a.y + dy);
  if (line.isArc) {
    const middle = arcMiddle(line);
    ctx.quadraticCurveTo(middle.x + dx, 2 * middle.y - a.y + dy, b.x + dx, b.y + dy);
  } else {
    ctx.lineTo(b.x + dx, b.y + dy);
  }
  ctx.stroke();
}

function paintNode(ctx: CanvasRenderingContext2D, { x, y }: Place, isSwitch: boolean, r: number): void {
  ctx.fillStyle = colour("ink");
  ctx.strokeStyle = colour("panel");
  ctx.lineWidth = 1;
  ctx.beginPath();
  if (isSwitch) ctx.rect(x - r, y - r, 2 * r, 2 * r);
  else ctx.arc(x, y, r, 0, 2 * Math.PI);
  ctx.fill();
  ctx.stroke();
}

export function scaleLegend(): HTMLElement {
  return h(
    "div",
    { class: "scale", "aria-hidden": "true" },
    h("span", {}, "0 %"),
    h("i"),
    h("span", {}, "100 %"),
  );
}
