// Confidence intervals of changes, drawn as a point with whiskers over a line at 0. The axis is logarithmic on both
// sides of a small stretch about 0, so that 2 % and 20 times as much can be told on one page.
import type { ComparedMetric } from "./data";
import { svg } from "./dom";

const WIDTH = 250;
const HEIGHT = 18;
const PAD = 22; // for the last mark of the axis
const DIGIT = 6.5; // pixels of a character of the axis
const GAP = 9; // pixels between two marks of the axis
const FLAT = 0.02; // up to here the axis is about linear
const steps = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100];

type Change = { change: number | null; change_low: number | null; change_high: number | null };

// The least step that holds all changes and their intervals; what is beyond the last is cut off there.
export function whiskerRange(metrics: ComparedMetric[]): number {
  const sizes = metrics
    .flatMap((metric) => metric.variants)
    .flatMap((v) => [v.change, v.change_low, v.change_high])
    .filter((x) => x !== null && Number.isFinite(x))
    .map((x) => Math.abs(x!));
  const largest = Math.max(0, ...sizes);
  return steps.find((step) => step >= largest) ?? steps.at(-1)!;
}

// 0 .. WIDTH
// Nothing falls by more than 100 %: the left side needs no more.
export function whiskerPlace(change: number, range: number): number {
  const left = Math.log1p(Math.min(range, 1) / FLAT);
  const right = Math.log1p(range / FLAT);
  const size = Math.log1p(Math.abs(change) / FLAT) * Math.sign(change);
  const at = Math.min(Math.max(size, -left), right);
  return PAD + ((WIDTH - 2 * PAD) * (left + at)) / (left + right);
}

export function whiskers(variant: Change, range: number): SVGElement {
  const at = (change: number) => whiskerPlace(change, range);
  const middle = HEIGHT / 2;
  const picture = svg(
    "svg",
    { width: WIDTH, height: HEIGHT, "aria-hidden": "true" },
    svg("line", { x1: at(0), x2: at(0), y1: 0, y2: HEIGHT, class: "zero" }),
  );
  const { change, change_low: low, change_high: high } = variant;
  if (low !== null && high !== null) {
    picture.append(svg("line", { x1: at(low), x2: at(high), y1: middle, y2: middle, class: "whisker" }));
    for (const end of [low, high])
      picture.append(whiskerEnd(at(end), middle, Math.abs(end) > range, Math.sign(end)));
  }
  if (change !== null)
    picture.append(
      Math.abs(change) > range
        ? whiskerEnd(at(change), middle, true, Math.sign(change))
        : svg("circle", { cx: at(change), cy: middle, r: 3.5, class: "point" }),
    );
  return picture;
}

// A bar; an arrow where the axis ends before the interval does.
function whiskerEnd(x: number, y: number, isCut: boolean, side: number): SVGElement {
  return isCut
    ? svg("path", { d: `M${x} ${y - 4}L${x + side * 6} ${y}L${x} ${y + 4}`, class: "cut" })
    : svg("line", { x1: x, x2: x, y1: y - 4, y2: y + 4, class: "whisker" });
}

export function whiskerMarkText(share: number): string {
  return `${share > 0 ? "+" : share < 0 ? "−" : ""}${Number((Math.abs(share) * 100).toPrecision(3))}`;
}

// Where the text of a mark begins and ends.
export function whiskerMarkSpan(share: number, range: number): [number, number] {
  const half = (whiskerMarkText(share).length * DIGIT) / 2;
  const at = whiskerPlace(share, range);
  return [at - half, at + half];
}

// The range, and what is left of the steps with room between them.
export function whiskerMarks(range: number): number[] {
  const marks: number[] = [];
  const zero = whiskerMarkSpan(0, range)[1];
  let outer = Infinity;
  for (const step of [...steps].reverse()) {
    if (step > range) continue;
    const [from, to] = whiskerMarkSpan(step, range);
    if (outer - to < GAP || from - zero < GAP) continue;
    marks.push(step);
    outer = from;
  }
  return marks;
}

export function whiskerAxis(range: number): SVGElement {
  const right = whiskerMarks(range);
  const left = right.filter((mark) => mark <= 1).map((mark) => -mark);
  return svg(
    "svg",
    {
      width: WIDTH,
      height: 2 * HEIGHT - 6,
      role: "img",
      "aria-label": `change in percent, up to ${range * 100} %, logarithmic`,
    },
    svg("text", { x: WIDTH / 2, y: 10, "text-anchor": "middle" }, "change, % (logarithmic)"),
    ...[...left, 0, ...right].map((share) =>
      svg("text", { x: whiskerPlace(share, range), y: 26, "text-anchor": "middle" }, whiskerMarkText(share)),
    ),
  );
}
