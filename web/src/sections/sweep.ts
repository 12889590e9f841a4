// All settings of a sweep: a knob against a figure, two knobs with a figure as colour, two figures with their Pareto
// front; and as a table.
import type { Num, Sweep } from "../data";
import { choice, h, section, svg } from "../dom";
import { digits, format, NONE, plain, tickWithUnit } from "../format";
import { logMarks, logRange } from "../charts/axis";
import { frame } from "../charts/frame";
import { keep } from "../charts/redraw";
import { paretoFront } from "../pareto";
import { table } from "../table";
import { heatColour, isPrinting } from "../theme";

interface Axis {
  label: string;
  unit: string;
  better: "lower" | "higher" | "neither";
  isLog: boolean;
  values: Num[];
  write: (value: Num) => string;
}

const HEIGHT = 360;
const LEFT = 62;
const RIGHT = 16;
const TOP = 12;
const BOTTOM = 36;
const ROWS_MAX = 500;

const unitOf: Record<string, string> = { kb: "KB", mbps: "Mb/s", us: "µs", blocks: "blocks" };

function axesOf(sweep: Sweep): Axis[] {
  const isLog = (values: Num[]) => {
    const known = values.filter((value): value is number => value !== null);
    const [min, max] = [Math.min(...known), Math.max(...known)];
    return known.length > 0 && min > 0 && max / min > 20;
  };
  const keys = sweep.keys.flatMap((key, k): Axis[] => {
    if (!key.is_number) return [];
    const values = sweep.points.map((point) => point.values[k] as number);
    const unit = unitOf[key.unit] ?? "";
    const write = (value: Num) =>
      value === null ? NONE : key.unit === "bps" || key.unit === "bytes" ? format(value, key.unit) : `${digits(value)} ${unit}`.trim();
    return [{ label: key.name, unit, better: "neither", isLog: isLog(values), values, write }];
  });
  const figures = sweep.figures.map((figure, f): Axis => {
    const values = sweep.points.map((point) => point.figures[f] ?? null);
    return { ...figure, isLog: isLog(values), values, write: (value) => format(value, figure.unit) };
  });
  return [...keys, ...figures];
}

// 0 .. 1 of what is shown.
function scaleOf(axis: Axis): { at: (value: number) => number; marks: number[] } {
  const known = axis.values.filter((value): value is number => value !== null);
  const [min, max] = [Math.min(...known), Math.max(...known)];
  if (axis.isLog) {
    const [low, high] = logRange(min, max);
    return {
      at: (value) => Math.log(value / low) / Math.log(high / low),
      marks: logMarks(low, high, 6),
    };
  }
  const pad = (max - min || Math.abs(max) || 1) * 0.06;
  const [low, high] = [min >= 0 && min < pad * 3 ? 0 : min - pad, max + pad];
  const step = 10 ** Math.floor(Math.log10((high - low) / 3));
  const nice = [1, 2, 5, 10].map((times) => times * step).find((size) => (high - low) / size <= 6)!;
  const marks: number[] = [];
  for (let mark = Math.ceil(low / nice) * nice; mark <= high; mark += nice) marks.push(Math.abs(mark) < nice / 1e6 ? 0 : mark);
  return { at: (value) => (value - low) / (high - low), marks };
}

class Scatter {
  private readonly axes: Axis[];
  private readonly frame;
  private readonly readout = h("p", { class: "readout" }, "Point at a setting for its values.");
  private chosen: { x: number; y: number; colour: number };

  constructor(private readonly sweep: Sweep) {
    this.axes = axesOf(sweep);
    const keys = this.axes.length - sweep.figures.length;
    const best = keys + Math.max(0, sweep.figures.findIndex((figure) => figure.name === sweep.best));
    this.chosen = keys >= 2 ? { x: 0, y: 1, colour: best } : { x: 0, y: best, colour: best };
    if (keys === 0) this.chosen = { x: best, y: this.axes.length > 1 ? (best + 1) % this.axes.length : best, colour: best };
    this.frame = frame({
      title: "All settings",
      note: "a dot is a setting; two figures: the line joins those that nobody beats in both",
      keys: "Show as table tells all values.",
      isWide: true,
      makeTable: () => settingsTable(sweep),
    });
    const labels = this.axes.map((axis) => axis.label);
    const pick = (name: string, key: "x" | "y" | "colour") =>
      choice(
        name,
        labels,
        (which) => {
          this.chosen[key] = which;
          this.redraw();
        },
        this.chosen[key],
      );
    this.frame.controls.prepend(pick("across", "x"), pick("up", "y"), pick("colour", "colour"));
    this.frame.plot.classList.add("scatter");
    const scale = h("div", { class: "scale", "aria-hidden": "true" }, h("span", {}, "low"), h("i"), h("span", {}, "high"));
    this.frame.figure.append(h("div", { class: "below" }, this.readout, scale));
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
    const dots = places.flatMap((place, i) => {
      if (!place) return [];
      const value = c.values[i] ?? null;
      const isBest = i === 0;
      return [
        svg(
          isBest ? "path" : "circle",
          {
            ...(isBest
              ? { d: star(atX(place.x), atY(place.y), 8) }
              : { cx: atX(place.x), cy: atY(place.y), r: front.includes(i) ? 5.5 : 4.5 }),
            class: isBest ? "dot best" : "dot",
            fill: value === null ? "none" : heatColour(0.08 + 0.92 * sc.at(value)),
            mouseenter: () => this.tell(i),
          },
          svg("title", {}, this.textOf(i)),
        ),
      ];
    });
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
      ),
    );
    this.tell(null);
  }

  private textOf(i: number): string {
    const figures = this.sweep.figures.map((figure, f) => `${figure.label} ${format(this.sweep.points[i]!.figures[f] ?? null, figure.unit)}`);
    return `${i === 0 ? "best: " : ""}${this.sweep.points[i]!.name}: ${figures.join(", ")}`;
  }

  private tell(i: number | null): void {
    const c = this.axes[this.chosen.colour]!;
    this.readout.textContent =
      i === null
        ? `★ is the best by ${this.sweep.figures.find((f) => f.name === this.sweep.best)?.label ?? this.sweep.best}. ` +
          `Colour: ${c.label}. Point at a setting for its values.`
        : this.textOf(i);
  }
}

function shortText(axis: Axis, value: number): string {
  return axis.unit === "us" || axis.unit === "bytes" || axis.unit === "bps" ? tickWithUnit(value, axis.unit) : axis.unit === "share" ? `${plain(Number((value * 100).toPrecision(3)))} %` : plain(Number(value.toPrecision(3)));
}

function axisText(axis: Axis): string {
  const isScaled = ["us", "bytes", "bps", "share", "count", ""].includes(axis.unit);
  return `${axis.label}${isScaled ? "" : `, ${axis.unit}`}${axis.isLog ? " (logarithmic)" : ""}`;
}

function star(x: number, y: number, r: number): string {
  const corners = Array.from({ length: 10 }, (_corner, i) => {
    const size = i % 2 === 0 ? r : r * 0.45;
    const turn = (Math.PI * i) / 5 - Math.PI / 2;
    return `${x + size * Math.cos(turn)} ${y + size * Math.sin(turn)}`;
  });
  return `M${corners.join("L")}Z`;
}

function settingsTable(sweep: Sweep): HTMLElement {
  return table(
    [
      { head: "Rank", isNumber: true },
      ...sweep.keys.map((key) => ({ head: `${key.name}${unitOf[key.unit] ? `, ${unitOf[key.unit]}` : ""}`, isNumber: key.is_number })),
      ...sweep.figures.map((figure) => ({ head: figure.label, isNumber: true })),
    ],
    sweep.points.slice(0, ROWS_MAX).map((point, i) => [
      String(i + 1),
      ...point.values.map((value) => (typeof value === "number" ? digits(value) : value)),
      ...sweep.figures.map((figure, f) => format(point.figures[f] ?? null, figure.unit)),
    ]),
    "All settings, best first",
  );
}

export function sweepSection(sweep: Sweep): HTMLElement {
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
    h("div", { class: "charts" }, new Scatter(sweep).figure),
  );
}
