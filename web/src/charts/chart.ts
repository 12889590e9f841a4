// A line chart: uPlot with our axes, legend, keys, zoom and table.
import uPlot from "uplot";
import { announce, h, nothing } from "../dom";
import type { Num, Window } from "../data";
import { format, scaleFor, tick, tickWithUnit, type Scale } from "../format";
import { table } from "../table";
import { colour, curveColour, curveDash, isPrinting } from "../theme";
import { clockMarks, logMarks, logRange, whenText, zoomRange } from "./axis";
import { frame, type Frame } from "./frame";
import { legend, type Legend } from "./legend";
import { drawnLines } from "./line_svg";
import { keep } from "./redraw";
import { pictureOf } from "./save";
import { ZoomGroup } from "./zoom";

export interface Curve {
  label: string;
  values: (Num | undefined)[]; // null: a gap; undefined: skipped, the line continues
  hue?: number; // color (default: its position in the list)
  width?: number;
}

export interface Band extends Window {
  colour?: string; // name in the style sheet
}

export interface ChartSpec {
  title: string;
  name?: string; // of the metric or knob, if any: see frame()
  note?: string;
  better?: string; // such as "lower is better"; follows the unit
  x: {
    label: string;
    unit: string;
    values: number[];
    isLog?: boolean;
    isBare?: boolean; // the axis has no name; its last mark has the unit
    isTime?: boolean; // seconds since 1970: the axis has dates and hours
    write?: (i: number) => string; // the x value in the legend and the table
  };
  y: {
    unit: string;
    isLog?: boolean;
    max?: number; // for an axis that does not depend on the visible data
    write?: (value: Num) => string;
  };
  curves: Curve[];
  isStepped?: boolean; // a value holds until the next one
  hasPoints?: boolean;
  windows?: Band[];
  group?: ZoomGroup;
  height?: number;
  paint?: (u: uPlot) => void; // under the curves
  extra?: HTMLElement[]; // further controls
  isWide?: boolean;
}

const FONT = '11px system-ui, -apple-system, "Segoe UI", "Liberation Sans", "DejaVu Sans", sans-serif';
const KEYS = "Arrow keys move the cursor, plus and minus zoom, 0 shows all.";
const PRINT_WIDTH = { half: 330, wide: 690 };

export function chart(spec: ChartSpec): HTMLElement {
  const hasValues = spec.curves.some((curve) =>
    curve.values.some((value) => value !== null && value !== undefined),
  );
  if (!hasValues) {
    return h(
      "figure",
      { class: "chart" },
      h("figcaption", {}, h("span", { class: "title" }, spec.title)),
      nothing("No values."),
    );
  }
  return new LineChart(spec).figure;
}

const hasAny = (spec: ChartSpec) => spec.curves.some((curve) => curve.values.some((value) => value !== null && value !== undefined));

// Charts whose values change repeatedly. Existing elements are reused, so that nothing jumps.
export class ChartSet {
  private readonly kept = new Map<string, { signature: string; chart: LineChart }>();

  figures(specs: ChartSpec[]): HTMLElement[] {
    return specs.map((spec) => {
      if (!hasAny(spec)) return chart(spec);
      const scale = scaleFor(spec.y.unit, largest(spec.curves)).suffix;
      const signature = JSON.stringify([spec.y.unit, scale, spec.curves.map((curve) => curve.label)]);
      const old = this.kept.get(spec.title);
      if (old?.signature === signature) {
        old.chart.update(spec);
        return old.chart.figure;
      }
      const made = new LineChart(spec);
      this.kept.set(spec.title, { signature, chart: made });
      return made.figure;
    });
  }
}

export class LineChart {
  readonly figure: HTMLElement;
  private readonly frame: Frame;
  protected readonly group: ZoomGroup;
  protected readonly legend: Legend;
  private readonly yScale: Scale;
  private readonly xScale: Scale;
  protected u: uPlot | null = null;

  constructor(protected spec: ChartSpec) {
    this.group = spec.group ?? new ZoomGroup(fullRange(spec), spec.x.isLog);
    this.yScale = scaleFor(spec.y.unit, largest(spec.curves));
    this.xScale = scaleFor(spec.x.unit, spec.x.values.at(-1) ?? 0);
    this.frame = frame({
      title: spec.title,
      name: spec.name,
      unit: spec.note ? undefined : [spec.y.write ? spec.y.unit : this.yScale.suffix, spec.better].filter(Boolean).join(", "),
      note: spec.note,
      keys: KEYS,
      makeTable: () => this.makeTable(),
      makePicture: spec.paint ? undefined : (title) => this.makePicture(title),
      isWide: spec.isWide,
    });
    this.figure = this.frame.figure;
    this.countPoints();
    this.legend = legend(
      spec.curves.map((curve, i) => ({ label: curve.label, hue: curve.hue ?? i })),
      (i, isShown) => this.u?.setSeries(i + 1, { show: isShown }),
    );
    this.figure.append(this.legend.element);
    this.frame.controls.prepend(...(spec.extra ?? []));
    this.frame.reset.addEventListener("click", () => this.group.set(null));
    this.listen();
    this.group.add(this);
    keep(this);
  }

  // Updates the values of the same curves in the same group.
  update(spec: ChartSpec): void {
    this.spec = spec;
    this.countPoints();
    this.u?.setData(this.data());
    if (this.u) this.applyRange();
  }

  private countPoints(): void {
    this.figure.dataset.points = String(this.spec.curves.reduce((n, curve) => n + curve.values.reduce<number>((m, value) => m + (value == null ? 0 : 1), 0), 0));
  }

  private makePicture(title: string): SVGElement | null {
    const shown = this.spec.curves.flatMap((curve, i) => (this.u?.series[i + 1]?.show === false ? [] : [{ label: curve.label, colour: curveColour(this.hueOf(i)) }]));
    return this.u ? pictureOf(title, drawnLines(this.u, this.spec), shown) : null;
  }

  isConnected(): boolean {
    return this.figure.isConnected;
  }

  applyRange(): void {
    const [min, max] = this.group.range;
    this.u?.setScale("x", { min, max });
    this.frame.reset.hidden = !this.group.isZoomed;
  }

  // Called when the chart gets a place on the page, when its size changes, and when colors change.
  redraw(): void {
    const width = isPrinting()
      ? PRINT_WIDTH[this.spec.isWide ? "wide" : "half"]
      : this.frame.plot.clientWidth;
    const height = this.spec.height ?? 190;
    if (width < 50) return;
    if (!this.u) {
      this.u = new uPlot(this.options(width, height), this.data(), this.frame.plot);
      this.applyRange();
      return;
    }
    this.spec.curves.forEach((curve, i) => {
      this.u!.series[i + 1]!.dash = curveDash(curve.hue ?? i);
    });
    this.legend.redraw();
    if (this.u.width !== width || this.u.height !== height) this.u.setSize({ width, height });
    this.u.redraw(true, true);
  }

  destroy(): void {
    this.u?.destroy();
    this.u = null;
  }

  get place(): HTMLElement {
    return this.frame.plot;
  }

  private data(): uPlot.AlignedData {
    return [this.spec.x.values, ...this.spec.curves.map((curve) => curve.values)] as uPlot.AlignedData;
  }

  protected options(width: number, height: number): uPlot.Options {
    const { spec, group } = this;
    return {
      width,
      height,
      legend: { show: false },
      padding: [8, 16, 0, 0],
      focus: { alpha: 1 },
      scales: {
        x: { time: spec.x.isTime === true, distr: spec.x.isLog ? 3 : 1, range: () => group.range },
        y: { distr: spec.y.isLog ? 3 : 1, range: (_u, min, max) => this.yRange(min, max) },
      },
      axes: [this.xAxis(), this.yAxis(height)],
      series: [{}, ...spec.curves.map((curve, i) => this.series(curve, i))],
      cursor: {
        y: false,
        drag: { x: true, y: false, setScale: false },
        dataIdx: (u, _series, closest) => this.indexAt(u) ?? closest,
        points: {
          size: 7,
          fill: (_u, i) => curveColour(this.hueOf(i - 1)),
          stroke: () => colour("panel"),
          width: 1,
        },
        bind: {
          dblclick: () => () => {
            group.set(null);
            return null;
          },
        },
        sync: {
          key: group.key,
          scales: ["x", null],
          setSeries: false,
          filters: { pub: (type) => type === "mousemove" || type === "mouseleave" },
        },
      },
      hooks: {
        drawClear: [(u) => this.paintUnder(u)],
        draw: [(u) => this.spec.windows?.forEach((w) => paintWindowName(u, w))],
        setCursor: [(u) => this.showValues(this.indexAt(u))],
        setSelect: [(u) => this.zoomToSelection(u)],
      },
    };
  }

  // Returns the point under the cursor: the nearest one, or for steps the current one.
  private indexAt(u: uPlot): number | null {
    const nearest = u.cursor.idx ?? null;
    if (nearest === null || !this.spec.isStepped) return nearest;
    const at = u.posToVal(u.cursor.left!, "x") + 1e-6;
    return Math.max(
      0,
      this.spec.x.values.findLastIndex((x) => x <= at),
    );
  }

  private hueOf(i: number): number {
    return this.spec.curves[i]?.hue ?? i;
  }

  private series(curve: Curve, i: number): uPlot.Series {
    const count = curve.values.reduce((n: number, value) => n + (value == null ? 0 : 1), 0);
    return {
      label: curve.label,
      stroke: () => curveColour(this.hueOf(i)),
      width: curve.width ?? 1.5,
      dash: curveDash(this.hueOf(i)),
      paths: this.spec.isStepped ? uPlot.paths.stepped!({ align: 1 }) : undefined,
      // A value between two gaps would be invisible without a point.
      points:
        this.spec.hasPoints || count < 3
          ? { show: true, size: 5, fill: () => curveColour(this.hueOf(i)) }
          : { size: 4, fill: () => curveColour(this.hueOf(i)), show: false, filter: alonePoints },
    };
  }

  private yRange(min: number | null, max: number | null): [number, number] {
    const { y } = this.spec;
    if (min === null || max === null || !Number.isFinite(min) || !Number.isFinite(max))
      return y.isLog ? [1, 10] : [0, 1];
    if (y.isLog) {
      const [low, high] = logRange(min, max);
      return high / low < 2 ? [low / 1.2, high * 1.5] : [low, high];
    }
    if (y.max !== undefined) return [0, y.max];
    // The current step at the left edge may have begun outside the visible range.
    if (this.spec.isStepped) return [0, (largest(this.spec.curves) || 1) * 1.06];
    return [Math.min(0, min * 1.06), max > 0 ? max * 1.06 : 1];
  }

  private xAxis(): uPlot.Axis {
    const { x } = this.spec;
    const unit = x.isLog || x.isTime ? "" : this.xScale.suffix;
    const end = x.isBare && unit ? `\u00a0${unit}` : "";
    const name = x.isBare ? "" : [x.label, unit].filter(Boolean).join(", ");
    return {
      ...axisLooks(),
      size: 20,
      label: name || undefined,
      labelSize: name ? 16 : 0,
      labelGap: 0,
      labelFont: FONT,
      space: 60,
      ...(x.isLog
        ? logAxis(58, (value) => tickWithUnit(value, x.unit))
        : x.isTime
          ? { values: (_u: uPlot, at: number[], _axis: number, _room: number, step: number) => clockMarks(at, step) }
          : { values: (_u: uPlot, at: number[]) => at.map((value, i) => tick(value, this.xScale) + (i === at.length - 1 ? end : "")) }),
    };
  }

  private yAxis(height: number): uPlot.Axis {
    const { y } = this.spec;
    const write = (value: number) => tick(value, this.yScale);
    // If the title lacks the unit, the last mark has it.
    const end = this.spec.note && this.yScale.suffix ? `\u00a0${this.yScale.suffix}` : "";
    return {
      ...axisLooks(),
      size: (_u, values) => 16 + Math.max(3, ...(values ?? []).map((text) => text?.length ?? 0)) * 6.2,
      space: height < 150 ? 18 : 28,
      ...(y.isLog ? logAxis(24, write) : { values: (_u: uPlot, at: number[]) => at.map((value, i) => write(value) + (i === at.length - 1 ? end : "")) }),
    };
  }

  private paintUnder(u: uPlot): void {
    for (const w of this.spec.windows ?? []) paintWindow(u, w);
    this.spec.paint?.(u);
  }

  private zoomToSelection(u: uPlot): void {
    const { left, width } = u.select;
    if (width < 3) return;
    const range: [number, number] = [u.posToVal(left, "x"), u.posToVal(left + width, "x")];
    u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
    this.group.set(range);
  }

  private writeX(i: number): string {
    const { x } = this.spec;
    return x.write?.(i) ?? (x.isTime ? whenText(x.values[i] ?? 0) : format(x.values[i] ?? null, x.unit));
  }

  private writeY(value: Num | undefined): string {
    return this.spec.y.write?.(value ?? null) ?? format(value ?? null, this.spec.y.unit);
  }

  protected showValues(i: number | null): void {
    if (i === null) this.legend.clear();
    else
      this.legend.show(
        `${this.spec.x.label} ${this.writeX(i)}`,
        this.spec.curves.map((curve) => this.writeY(curve.values[i])),
      );
  }

  private listen(): void {
    const { plot } = this.frame;
    plot.addEventListener("keydown", (event) => this.onKey(event));
    plot.addEventListener("blur", () => this.putCursor(-10, -10));
  }

  protected onKey(event: KeyboardEvent): void {
    if (!this.u || event.ctrlKey || event.metaKey || event.altKey) return;
    const at = this.u.cursor.idx ?? null;
    const step = event.shiftKey ? 10 : 1;
    const moves: Record<string, () => void> = {
      ArrowLeft: () => this.moveTo(at === null ? this.lastShown() : at - step),
      ArrowRight: () => this.moveTo(at === null ? this.firstShown() : at + step),
      Home: () => this.moveTo(this.firstShown()),
      End: () => this.moveTo(this.lastShown()),
      "+": () => this.zoomBy(0.5, at),
      "=": () => this.zoomBy(0.5, at),
      "-": () => this.zoomBy(2, at),
      "0": () => this.group.set(null),
      Escape: () => this.group.set(null),
    };
    const move = moves[event.key];
    if (!move) return;
    event.preventDefault();
    move();
  }

  protected firstShown(): number {
    return this.spec.x.values.findIndex((x) => x >= this.group.range[0]);
  }

  private lastShown(): number {
    return this.spec.x.values.findLastIndex((x) => x <= this.group.range[1]);
  }

  protected moveTo(wanted: number): void {
    const i = Math.min(Math.max(wanted, this.firstShown()), this.lastShown());
    const x = this.spec.x.values[i];
    if (!this.u || x === undefined) return;
    this.putCursor(this.u.valToPos(x, "x"), this.cursorTop());
    announce(this.textAt(i));
  }

  // Acts like the mouse, so other charts of the group follow. uPlot's types omit the last argument.
  protected putCursor(left: number, top: number): void {
    (this.u?.setCursor as ((at: object, isTold: boolean, isShared: boolean) => void) | undefined)?.(
      { left, top },
      true,
      true,
    );
  }

  protected cursorTop(): number {
    return this.u!.over.clientHeight / 2;
  }

  protected textAt(i: number): string {
    return (
      `${this.spec.x.label} ${this.writeX(i)}: ` +
      this.spec.curves.map((curve) => `${curve.label} ${this.writeY(curve.values[i])}`).join(", ")
    );
  }

  private zoomBy(times: number, at: number | null): void {
    const { group, spec } = this;
    const middle = (group.range[0] + group.range[1]) / 2;
    const centre = at === null ? middle : (spec.x.values[at] ?? middle);
    group.set(zoomRange(group.range, group.full, centre, times, group.isLog));
    announce(
      group.isZoomed
        ? spec.x.isTime
          ? `${whenText(group.range[0])} to ${whenText(group.range[1])}`
          : `${spec.x.label} ${format(group.range[0], spec.x.unit)} to ${format(group.range[1], spec.x.unit)}`
        : "all shown",
    );
  }

  private makeTable(): HTMLElement {
    const { spec } = this;
    return table(
      [
        { head: spec.x.label, isNumber: true },
        ...spec.curves.map((c) => ({ head: c.label, isNumber: true })),
      ],
      spec.x.values.map((_x, i) => [this.writeX(i), ...spec.curves.map((c) => this.writeY(c.values[i]))]),
      spec.title,
    );
  }
}

// Draws points for values between two gaps.
const alonePoints: uPlot.Series.Points.Filter = (u, i) => {
  const values = u.data[i]!;
  const alone: number[] = [];
  values.forEach((value, j) => {
    if (value != null && values[j - 1] === null && values[j + 1] === null) alone.push(j);
  });
  return alone;
};

function fullRange(spec: ChartSpec): [number, number] {
  const first = spec.x.values[0] ?? 0;
  const last = spec.x.values.at(-1) ?? 1;
  if (spec.x.isLog) return first === last ? [first / 2, last * 2] : logRange(first, last);
  return first === last ? [first - 1, last + 1] : [first, last];
}

function largest(curves: Curve[]): number {
  let max = 0;
  for (const curve of curves) for (const value of curve.values) if (value != null && value > max) max = value;
  return max;
}

function axisLooks(): uPlot.Axis {
  return {
    stroke: () => colour("muted"),
    font: FONT,
    gap: 4,
    grid: { stroke: () => colour("grid"), width: 1 },
    ticks: { show: false },
    border: { show: true, stroke: () => colour("line"), width: 1 },
  };
}

// Each mark takes 'room' pixels.
function logAxis(room: number, write: (value: number) => string): uPlot.Axis {
  return {
    splits: (u, axis, min, max) =>
      logMarks(min, max, (axis === 0 ? u.bbox.width : u.bbox.height) / uPlot.pxRatio / room),
    filter: (_u, splits) => splits,
    values: (_u, splits) => splits.map((value) => write(value)),
  };
}

// An influx or a phase: a shaded band, with its name if it fits.
function paintWindow(u: uPlot, w: Band): void {
  const [left, right] = edgesOf(u, w);
  if (right <= left) return;
  u.ctx.fillStyle = colour(w.colour ?? "shade");
  u.ctx.fillRect(left, u.bbox.top, right - left, u.bbox.height);
}

function edgesOf(u: uPlot, w: Window): [number, number] {
  const { bbox } = u;
  return [
    Math.max(u.valToPos(w.start_us, "x", true), bbox.left),
    Math.min(u.valToPos(w.stop_us, "x", true), bbox.left + bbox.width),
  ];
}

// Painted last, so that the grid does not cross it.
function paintWindowName(u: uPlot, w: Window): void {
  const { ctx, bbox } = u;
  const [left, right] = edgesOf(u, w);
  ctx.save();
  ctx.fillStyle = colour("muted");
  ctx.font = FONT.replace("11px", `${Math.round(10 * uPlot.pxRatio)}px`);
  ctx.textBaseline = "top";
  ctx.textAlign = "left";
  const pad = 3 * uPlot.pxRatio;
  if (ctx.measureText(w.name).width + 2 * pad <= right - left)
    ctx.fillText(w.name, left + pad, bbox.top + pad);
  ctx.restore();
}
