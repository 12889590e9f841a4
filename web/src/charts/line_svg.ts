// Exports a line chart as vectors, with the data of the uPlot chart on the canvas.
import type uPlot from "uplot";
import { svg } from "../dom";
import { colour, curveColour, curveDash } from "../theme";
import type { ChartSpec } from "./chart";
import type { Drawn } from "./save";

type Marks = { _splits?: number[] | null; _values?: (string | null)[] | null; label?: unknown };

export function drawnLines(u: uPlot, spec: ChartSpec): Drawn {
  const [left, top] = [u.over.offsetLeft, u.over.offsetTop];
  const [width, height] = [u.over.offsetWidth, u.over.offsetHeight];
  const x = (value: number) => left + u.valToPos(value, "x");
  const y = (value: number) => top + u.valToPos(value, "y");
  const text = (at: [number, number], content: string, anchor: string) =>
    svg("text", { x: at[0], y: at[1], "font-size": 11, fill: colour("muted"), "text-anchor": anchor }, content);
  const marksOf = (axis: number): [number, string][] => {
    const { _splits, _values } = u.axes[axis] as unknown as Marks;
    return (_splits ?? []).flatMap((at, i) => (_values?.[i] ? [[at, _values[i]!] as [number, string]] : []));
  };
  const bands = (spec.windows ?? []).map((band) => {
    const from = Math.max(left, x(band.start_us));
    const to = Math.min(left + width, x(band.stop_us));
    return svg("rect", { x: from, y: top, width: Math.max(0, to - from), height, fill: colour(band.colour ?? "shade") });
  });
  const grid = [
    ...marksOf(0).flatMap(([at, label]) => [
      svg("line", { x1: x(at), x2: x(at), y1: top, y2: top + height, stroke: colour("grid") }),
      text([x(at), top + height + 14], label, "middle"),
    ]),
    ...marksOf(1).flatMap(([at, label]) => [
      svg("line", { x1: left, x2: left + width, y1: y(at), y2: y(at), stroke: colour("grid") }),
      text([left - 6, y(at) + 4], label, "end"),
    ]),
  ];
  const curves = spec.curves.flatMap((curve, i) => {
    if (u.series[i + 1]?.show === false) return [];
    const stroke = curveColour(curve.hue ?? i);
    const points = spec.x.values.map((at, k) => [x(at), curve.values[k]] as const);
    const parts: string[] = [];
    let isOpen = false;
    let last: number | null = null;
    for (const [px, value] of points) {
      if (value === undefined) continue;
      if (value === null || (spec.y.isLog && value <= 0)) {
        isOpen = false;
        continue;
      }
      const py = y(value);
      if (isOpen && spec.isStepped && last !== null) parts.push(`L${px.toFixed(2)} ${last.toFixed(2)}`);
      parts.push(`${isOpen ? "L" : "M"}${px.toFixed(2)} ${py.toFixed(2)}`);
      [isOpen, last] = [true, py];
    }
    const dots = spec.hasPoints
      ? points.flatMap(([px, value]) => (value === null || value === undefined ? [] : [svg("circle", { cx: px.toFixed(2), cy: y(value).toFixed(2), r: 2.5, fill: stroke })]))
      : [];
    const dash = curveDash(curve.hue ?? i).join(" ");
    return [svg("path", { d: parts.join(""), fill: "none", stroke, "stroke-width": curve.width ?? 1.5, "stroke-dasharray": dash || null }), ...dots];
  });
  const clip = `clip-${Math.round(left)}-${Math.round(width)}-${Math.round(height)}`;
  const label = (u.axes[0] as unknown as Marks).label;
  return {
    body: svg(
      "g",
      {},
      svg("defs", {}, svg("clipPath", { id: clip }, svg("rect", { x: left, y: top - 3, width, height: height + 6 }))),
      ...bands,
      ...grid,
      svg("g", { "clip-path": `url(#${clip})` }, ...curves),
      text([left + width / 2, top + height + 30], typeof label === "string" ? label : "", "middle"),
    ),
    width: u.width,
    height: u.height + 6,
  };
}
