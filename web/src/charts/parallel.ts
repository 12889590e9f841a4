// Parallel coordinates: a vertical axis for each key and for a metric, and a line per setting. For sweeps
// with more keys than fit a plane.
import type { Num, Sweep } from "../data";
import { choice, h, svg } from "../dom";
import { countOf, format } from "../format";
import { heatColour, isPrinting } from "../theme";
import { frame } from "./frame";
import { keep } from "./redraw";
import { axesOf, scaleOf, settingsTable, shortText, type SweepAxis } from "./sweep_axes";

const HEIGHT = 300;
const SIDE = 46;
const TOP = 34;
const BOTTOM = 14;
const LINES_MAX = 1000;
const shares = [0.1, 0.25, 1];

interface Upright {
  label: string;
  marks: { at: number; text: string }[]; // at: 0 (below) .. 1
  at: (i: number) => number | null; // of setting i; -1: the scenario's own
}

// A key with text values has a position for each text.
function uprightOfTexts(label: string, values: string[]): Upright {
  const texts = [...new Set(values)].sort();
  const placeOf = (text: string) => (texts.length > 1 ? texts.indexOf(text) / (texts.length - 1) : 0.5);
  return {
    label,
    marks: texts.slice(0, 12).map((text) => ({ at: placeOf(text), text })),
    at: (i) => (i < 0 ? null : placeOf(values[i]!)),
  };
}

function uprightOf(axis: SweepAxis): Upright {
  const { at, marks } = scaleOf(axis);
  const unit = ["us", "bytes", "bps", "share", "count", ""].includes(axis.unit) ? "" : `, ${axis.unit}`;
  return {
    label: `${axis.label}${unit}${axis.isLog ? " (log)" : ""}`,
    marks: marks.map((mark) => ({ at: at(mark), text: shortText(axis, mark) })),
    at: (i) => {
      const value: Num = i < 0 ? axis.own : (axis.values[i] ?? null);
      return value === null ? null : at(value);
    },
  };
}

class Parallel {
  private readonly frame;
  private readonly keys: Upright[];
  private readonly figures: SweepAxis[];
  private readonly readout = h("p", { class: "readout" });
  private figure_ = 0;
  private share = 1;

  constructor(private readonly sweep: Sweep) {
    const axes = axesOf(sweep);
    const numbers = axes.slice(0, axes.length - sweep.figures.length);
    this.figures = axes.slice(axes.length - sweep.figures.length);
    this.keys = sweep.keys.map((key, k) =>
      key.is_number
        ? uprightOf(numbers.shift()!)
        : uprightOfTexts(key.name, sweep.points.map((point) => String(point.values[k]))),
    );
    this.figure_ = Math.max(0, sweep.figures.findIndex((figure) => figure.name === sweep.best));
    this.frame = frame({
      title: "Settings over all keys",
      note: "a line is a setting, its colour the figure on the right",
      keys: "Show as table has all values.",
      isWide: true,
      makeTable: () => settingsTable(sweep),
    });
    this.frame.controls.prepend(
      choice("figure", this.figures.map((axis) => axis.label), (i) => this.choose(() => (this.figure_ = i)), this.figure_),
      choice("strong", ["the best 10 %", "the best 25 %", "all"], (i) => this.choose(() => (this.share = i)), this.share),
    );
    this.frame.plot.classList.add("scatter");
    this.frame.figure.append(h("div", { class: "below" }, this.readout));
    keep(this);
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

  private choose(change: () => void): void {
    change();
    this.redraw();
  }

  // Settings with a value, ordered by the metric, best first.
  private ranked(): number[] {
    const axis = this.figures[this.figure_]!;
    const sign = axis.better === "higher" ? -1 : 1;
    return axis.values
      .map((_value, i) => i)
      .filter((i) => axis.values[i] !== null)
      .sort((a, b) => sign * (axis.values[a]! - axis.values[b]!) || a - b)
      .slice(0, LINES_MAX);
  }

  redraw(): void {
    const width = isPrinting() ? 690 : this.frame.plot.clientWidth;
    if (width < 50) return;
    const axis = this.figures[this.figure_]!;
    const uprights = [...this.keys, uprightOf(axis)];
    const colourAt = scaleOf(axis).at;
    const atX = (k: number) => SIDE + (k * (width - 2 * SIDE)) / (uprights.length - 1);
    const atY = (share: number) => HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM);
    const order = this.ranked();
    const strong = Math.max(1, Math.round(order.length * shares[this.share]!));
    const pathOf = (i: number) => {
      const places = uprights.map((upright) => upright.at(i));
      return places.map((place, k) => (place === null ? "" : `${k === 0 || places[k - 1] === null ? "M" : "L"}${atX(k).toFixed(1)} ${atY(place).toFixed(1)}`)).join("");
    };
    const lines = order.map((i, rank) => {
      const kind = rank === 0 ? "line best" : rank < strong ? "line" : "line weak";
      return svg(
        "path",
        { d: pathOf(i), class: kind, stroke: rank > 0 && rank < strong ? heatColour(0.08 + 0.92 * colourAt(axis.values[i]!)) : null, mouseenter: () => this.tell(i) },
        svg("title", {}, this.textOf(i)),
      );
    });
    const label = `${countOf(order.length, "setting")} over ${uprights.map((upright) => upright.label).join(", ")}`;
    this.frame.plot.replaceChildren(
      svg(
        "svg",
        { width, height: HEIGHT, role: "img", "aria-label": label },
        ...lines.reverse(), // the best on top
        this.sweep.own ? svg("path", { d: pathOf(-1), class: "own" }, svg("title", {}, "the scenario's own setting")) : null,
        ...uprights.flatMap((upright, k) => [
          svg("line", { x1: atX(k), x2: atX(k), y1: atY(0), y2: atY(1), class: "upright" }),
          ...this.headOf(upright.label, atX(k), k % 2 === 1 && width / uprights.length < 130 ? 12 : 24, width),
          ...upright.marks.map(({ at, text }) =>
            svg("text", { x: atX(k) + (k === uprights.length - 1 ? 5 : -5), y: atY(at) + 4, "text-anchor": k === uprights.length - 1 ? "start" : "end", class: "tick" }, text),
          ),
        ]),
      ),
    );
    this.tell(null);
  }

  private headOf(text: string, x: number, y: number, width: number): SVGElement[] {
    const half = text.length * 3.1;
    const at = Math.min(Math.max(x, half + 2), width - half - 2);
    return [svg("text", { x: at, y, "text-anchor": "middle", class: "label" }, text)];
  }

  private textOf(i: number): string {
    const figures = this.sweep.figures.map((figure, f) => `${figure.label} ${format(this.sweep.points[i]!.figures[f] ?? null, figure.unit)}`);
    return `${this.sweep.points[i]!.name}: ${figures.join(", ")}`;
  }

  private tell(i: number | null): void {
    const left = this.sweep.points.length - LINES_MAX;
    this.readout.textContent =
      i === null
        ? `The thick line is the best mean of ${this.figures[this.figure_]!.label}${this.sweep.own ? ", the dashed one the scenario's own setting" : ""}.` +
          (left > 0 ? ` The best ${LINES_MAX.toLocaleString("en-US")} are drawn.` : "") +
          " Point at a line for its values."
        : this.textOf(i);
  }
}

export function parallelChart(sweep: Sweep): HTMLElement {
  return new Parallel(sweep).figure;
}
