// The main metrics: for each variant the change from the baseline, as a factor on a logarithmic axis. The
// better side is always on the right.
import type { ComparedMetric } from "./data";
import { h, svg } from "./dom";
import { format, formatChange } from "./format";

export type Compared = ComparedMetric["variants"][number];
type Change = Pick<Compared, "change" | "change_low" | "change_high" | "is_significant">;
type Judged = Pick<ComparedMetric, "better">;

const AXES = [
  { reach: 0.14, ticks: [{ at: 0.0704, text: "5 %" }, { at: 0.1375, text: "10 %" }] },
  { reach: 0.45, ticks: [{ at: 0.2016, text: "15 %" }, { at: 0.379, text: "30 %" }] },
  { reach: 1.3, ticks: [{ at: 0.585, text: "1.5 ×" }, { at: 1, text: "2 ×" }] },
  { reach: 3, ticks: [{ at: 1, text: "2 ×" }, { at: 2, text: "4 ×" }] },
  { reach: 6, ticks: [{ at: 2, text: "4 ×" }, { at: 4, text: "16 ×" }] },
];

// Twofold steps to the better side: positive is better.
export function goodness(metric: Judged, change: number | null): number | null {
  if (change === null || !Number.isFinite(change)) return null;
  const steps = Math.log2(Math.max(1 + change, 1 / 64));
  return metric.better === "lower" ? -steps : steps;
}

export type Axis = (typeof AXES)[number];

// The shortest axis with all changes. Intervals may exceed it, and then end in an arrow.
export function axisFor(metrics: (Judged & { variants: Pick<Compared, "change">[] })[]): Axis {
  const sizes = metrics.flatMap((metric) => metric.variants.map((v) => Math.abs(goodness(metric, v.change) ?? 0)));
  const most = Math.max(0, ...sizes) * 1.15;
  return AXES.find(({ reach }) => reach >= most) ?? AXES.at(-1)!;
}

function place(steps: number, axis: Axis): number {
  return 50 + (50 * Math.min(Math.max(steps, -axis.reach), axis.reach)) / axis.reach;
}

export function axisHead(axis: Axis): HTMLElement {
  const mark = (at: number, text: string) => h("span", { style: `left:${place(at, axis).toFixed(1)}%` }, text);
  return h(
    "div",
    { class: "ax", "aria-hidden": "true" },
    ...axis.ticks.flatMap(({ at, text }) => [mark(-at, text), mark(at, text)]),
    mark(0, "same"),
    h("span", { class: "w" }, "◂ worse"),
    h("span", { class: "b" }, "better ▸"),
  );
}

function arrow(x: number, side: number): SVGElement {
  return svg("path", { d: side > 0 ? "M-5 -4L1 0L-5 4" : "M5 -4L-1 0L5 4", class: "arrow", transform: "translate(0 10)", "data-x": x });
}

export function effect(metric: Judged, variant: Change, axis: Axis, hue: number): SVGElement {
  const at = (steps: number) => `${place(steps, axis).toFixed(1)}%`;
  const ends = [goodness(metric, variant.change_low), goodness(metric, variant.change_high)];
  const middle = goodness(metric, variant.change);
  const lines = [...axis.ticks.flatMap((tick) => [-tick.at, tick.at]), 0].map((x) =>
    svg("line", { class: x === 0 ? "zl" : "gl", x1: at(x), x2: at(x), y1: -20, y2: 40 }),
  );
  const drawn = svg("g", { class: `hue-${hue}${variant.is_significant ? "" : " faint"}` });
  if (ends[0] !== null && ends[1] !== null) {
    const [low, high] = [Math.min(ends[0]!, ends[1]!), Math.max(ends[0]!, ends[1]!)];
    drawn.append(svg("line", { class: "bar", x1: at(low), x2: at(high), y1: 10, y2: 10 }));
    if (high > axis.reach) drawn.append(svg("svg", { x: "100%", y: 0, overflow: "visible" }, arrow(100, 1)));
    if (low < -axis.reach) drawn.append(svg("svg", { x: "0%", y: 0, overflow: "visible" }, arrow(0, -1)));
  }
  if (middle !== null) drawn.append(svg("circle", { class: "dot", cx: at(middle), cy: 10, r: 5 }));
  return svg("svg", { width: "100%", height: 20, "aria-hidden": "true" }, ...lines, drawn);
}

// "−65 %", and from a factor of two on "4.0 ×"
export function changeText(change: number | null): string {
  if (change !== null && change >= 1) return `${(1 + change).toPrecision(2)}\u00a0×`;
  if (change === null || !Number.isFinite(change)) return formatChange(change);
  const percent = Math.abs(change) * 100;
  const digits = percent < 10 ? (Math.round(percent * 10) / 10).toString() : Math.round(percent).toString();
  return percent < 0.05 ? "0\u00a0%" : `${change > 0 ? "+" : "−"}${digits}\u00a0%`;
}

export function intervalText(variant: Change): string {
  const { change_low: low, change_high: high } = variant;
  if (low === null || high === null) return "";
  if (low >= 1) return `${(1 + low).toPrecision(2)} to ${changeText(high)}`;
  return `${changeText(low)} to ${changeText(high)}`;
}

export function valuesText(metric: ComparedMetric, baseline: Compared, variant: Compared): HTMLElement {
  return h(
    "span",
    {},
    h("span", { class: "muted" }, `${format(baseline.mean, metric.unit)} → `),
    h("b", {}, format(variant.mean, metric.unit)),
  );
}
