// Confidence intervals of changes, drawn as a point with whiskers over a line at 0. The axis is drawn out
// near 0 (by the square root), so that 2 % and 80 % can be told on one page.
import type { ComparedMetric } from "./data";
import { svg } from "./dom";

const WIDTH = 250;
const HEIGHT = 18;
const PAD = 8;
const steps = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1];

type Change = { change: number | null; change_low: number | null; change_high: number | null };

// The least step that holds all changes and their intervals; more than 100 % is cut off there.
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
export function whiskerPlace(change: number, range: number): number {
  const share = Math.min(Math.sqrt(Math.abs(change) / range), 1) * Math.sign(change);
  return WIDTH / 2 + share * (WIDTH / 2 - PAD);
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

export function whiskerAxis(range: number): SVGElement {
  const marks = [-range, -range / 4, 0, range / 4, range];
  const write = (share: number) =>
    `${share > 0 ? "+" : share < 0 ? "−" : ""}${Number((Math.abs(share) * 100).toPrecision(3))}`;
  const anchor = (share: number) => (share === -range ? "start" : share === range ? "end" : "middle");
  return svg(
    "svg",
    { width: WIDTH, height: HEIGHT, role: "img", "aria-label": `±${range * 100} %` },
    ...marks.map((share) =>
      svg(
        "text",
        {
          x: share === -range ? 0 : share === range ? WIDTH : whiskerPlace(share, range),
          y: 13,
          "text-anchor": anchor(share),
        },
        `${write(share)}${share === range ? " %" : ""}`,
      ),
    ),
  );
}
