// Settings of a sweep as dots: a key and a metric, two keys with a metric as color, or two metrics with their
// Pareto front.
import type { Sweep } from "../data";
import { choice, h, svg } from "../dom";
import { countOf, format } from "../format";
import { paretoFront } from "../pareto";
import { heatColour, isPrinting } from "../theme";
import { frame } from "./frame";
import { keep } from "./redraw";
import { axesOf, axisText, scaleOf, settingsTable, shortText, type SweepAxis } from "./sweep_axes";

const HEIGHT = 300;
const LEFT = 80; // room for the numbers and the name of the axis
const RIGHT = 16;
const TOP = 12;
const BOTTOM = 36;

export class Scatter {
  private readonly axes: SweepAxis[];
  private readonly frame;
  private readonly readout = h("p", { class: "readout" }, "Point at a setting for its values.");
  private front: number[] = [];
  private chosen: { x: number; y: number; colour: number };

  // With 'isTradeOff' both axes are metrics: the best one against another.
  constructor(
    private readonly sweep: Sweep,
    private readonly isTradeOff = false,
  ) {
    this.axes = axesOf(sweep);
    this.chosen = this.firstChoice();
    this.frame = frame({
      title: isTradeOff ? "Two figures against each other" : "All settings",
      note: isTradeOff ? "the line joins settings that no other beats in both (Pareto front)" : "a dot is a setting",
      keys: "Show as table has all values.",
      isWide: true,
      makeTable: () => settingsTable(sweep),
    });
    this.frame.controls.prepend(this.pick("across", "x"), this.pick("up", "y"), this.pick("colour", "colour"));
    this.frame.plot.classList.add("scatter");
    const scale = h("div", { class: "scale", "aria-hidden": "true" }, h("span", {}, "low"), h("i"), h("span", {}, "high"));
    this.frame.figure.append(h("div", { class: "below" }, this.readout, scale));
    keep(this);
  }

  private firstChoice(): { x: number; y: number; colour: number } {
    const keys = this.axes.length - this.sweep.figures.length;
    const best = keys + Math.max(0, this.sweep.figures.findIndex((figure) => figure.name === this.sweep.best));
    // A metric that conflicts with the best one is the most informative.
    const figures = this.pickable("y").filter((i) => i !== best && i >= keys);
    const other = figures.find((i) => this.axes[i]!.better !== this.axes[best]!.better) ?? figures[0] ?? best;
    if (this.isTradeOff || keys === 0) return { x: best, y: other, colour: keys > 0 ? 0 : best };
    return keys >= 2 ? { x: 0, y: 1, colour: best } : { x: 0, y: best, colour: best };
  }

  // Lists the axes that the user can choose.
  private pickable(key: "x" | "y" | "colour"): number[] {
    const all = this.axes.map((_axis, i) => i);
    return this.isTradeOff && key !== "colour" ? all.filter((i) => this.axes[i]!.better !== "neither") : all;
  }

  private pick(name: string, key: "x" | "y" | "colour"): HTMLElement {
    const which = this.pickable(key);
    return choice(
      name,
      which.map((i) => this.axes[i]!.label),
      (i) => {
        this.chosen[key] = which[i]!;
        this.redraw();
      },
      Math.max(0, which.indexOf(this.chosen[key])),
    );
  }

  get figure(): HTMLElement {
    return this.frame.figure;
  }
  get place(): HTMLElement {
    return this.frame.plot;
  }
  isConnected(): boolean {
    return this.frame.figure.isConnected;
  }
  destroy(): void {
    this.frame.plot.replaceChildren();
  }

  redraw(): void {
    const width = isPrinting() ? 690 : this.frame.plot.clientWidth;
    if (width < 50) return;
    const [x, y, c] = [this.axes[this.chosen.x]!, this.axes[this.chosen.y]!, this.axes[this.chosen.colour]!];
    const [sx, sy, sc] = [scaleOf(x), scaleOf(y), scaleOf(c)];
    const atX = (value: number) => LEFT + sx.at(value) * (width - LEFT - RIGHT);
    const atY = (value: number) => HEIGHT - BOTTOM - sy.at(value) * (HEIGHT - TOP - BOTTOM);
    const places = this.sweep.points.map((_point, i) => {
      const [px, py] = [x.values[i] ?? null, y.values[i] ?? null];
      return px === null || py === null ? null : { x: px, y: py };
    });
    const front = this.chosen.x === this.chosen.y ? [] : paretoFront(places, x.better, y.better);
    const isOnFront = new Set(front);
    this.front = front;
    const dots = places.flatMap((place, i) => {
      if (!place) return [];
      const value = c.values[i] ?? null;
      const isBest = i === this.star();
      return [
        svg(
          isBest ? "path" : "circle",
          {
            ...(isBest
              ? { d: star(atX(place.x), atY(place.y), 8) }
              : { cx: atX(place.x), cy: atY(place.y), r: isOnFront.has(i) ? 5.5 : 4.5 }),
            class: isBest ? "dot best" : "dot",
            fill: value === null ? "none" : heatColour(0.08 + 0.92 * sc.at(value)),
            mouseenter: () => this.tell(i),
          },
          svg("title", {}, this.textOf(i)),
        ),
      ];
    });
    const isOwnKnown = x.own !== null && y.own !== null;
    this.frame.plot.replaceChildren(
      svg(
        "svg",
        { width, height: HEIGHT, role: "img", "aria-label": `${y.label} over ${x.label}, coloured by ${c.label}` },
        ...sx.marks.flatMap((mark) => [
          svg("line", { x1: atX(mark), x2: atX(mark), y1: TOP, y2: HEIGHT - BOTTOM, class: "grid" }),
          svg("text", { x: atX(mark), y: HEIGHT - BOTTOM + 14, "text-anchor": "middle" }, shortText(x, mark)),
        ]),
        ...sy.marks.flatMap((mark) => [
          svg("line", { x1: LEFT, x2: width - RIGHT, y1: atY(mark), y2: atY(mark), class: "grid" }),
          svg("text", { x: LEFT - 6, y: atY(mark) + 4, "text-anchor": "end" }, shortText(y, mark)),
        ]),
        svg("text", { x: LEFT + (width - LEFT - RIGHT) / 2, y: HEIGHT - 4, "text-anchor": "middle", class: "label" }, axisText(x)),
        svg("text", { x: 12, y: HEIGHT / 2, "text-anchor": "middle", class: "label", transform: `rotate(-90 12 ${HEIGHT / 2})` }, axisText(y)),
        front.length > 1
          ? svg("polyline", { class: "front", points: front.map((i) => `${atX(places[i]!.x)},${atY(places[i]!.y)}`).join(" ") })
          : null,
        ...dots.reverse(), // the best on top
        isOwnKnown ? svg("path", { d: diamond(atX(x.own!), atY(y.own!), 9), class: "own", mouseenter: () => this.tell(-1) }, svg("title", {}, this.textOf(-1))) : null,
      ),
    );
    this.tell(null);
  }

  // Returns the setting that the answer recommends, or -1.
  private star(): number {
    const { advised, points } = this.sweep;
    return advised === undefined ? 0 : points.findIndex(({ name }) => name === advised);
  }

  // -1: the scenario's own.
  private textOf(i: number): string {
    const point = i < 0 ? this.sweep.own! : this.sweep.points[i]!;
    const figures = this.sweep.figures.map((figure, f) => `${figure.label} ${format(point.figures[f] ?? null, figure.unit)}`);
    return `${i === this.star() ? "recommended: " : ""}${point.name}: ${figures.join(", ")}`;
  }

  private tell(i: number | null): void {
    const c = this.axes[this.chosen.colour]!;
    const star = this.star() >= 0 ? "★ recommended. " : "";
    const own = this.sweep.own ? "◇ scenario's own. " : "";
    const front = this.front.length > 0 ? `${countOf(this.front.length, "setting is", "settings are")} beaten by none in both figures. ` : "";
    this.readout.textContent =
      i === null ? `${star}${own}${front}Colour: ${c.label}. Point at a setting for its values.` : this.textOf(i);
  }
}

function diamond(x: number, y: number, r: number): string {
  return `M${x} ${y - r}L${x + r} ${y}L${x} ${y + r}L${x - r} ${y}Z`;
}

function star(x: number, y: number, r: number): string {
  const corners = Array.from({ length: 10 }, (_corner, i) => {
    const size = i % 2 === 0 ? r : r * 0.45;
    const turn = (Math.PI * i) / 5 - Math.PI / 2;
    return `${x + size * Math.cos(turn)} ${y + size * Math.sin(turn)}`;
  });
  return `M${corners.join("L")}Z`;
}
