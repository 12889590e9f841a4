// The axes of a sweep: the varied keys and the metrics.
import type { Num, Sweep } from "../data";
import { digits, format, NONE, plain, tickWithUnit } from "../format";
import { table } from "../table";
import { logMarks, logRange } from "./axis";

export interface SweepAxis {
  label: string;
  unit: string;
  better: "lower" | "higher" | "neither";
  isLog: boolean;
  values: Num[];
  own: Num; // of the scenario; null: not known
  write: (value: Num) => string;
}

const ROWS_MAX = 500;

const unitOf: Record<string, string> = { kb: "KB", mbps: "Mb/s", us: "µs", blocks: "blocks" };

export function axesOf(sweep: Sweep): SweepAxis[] {
  const isLog = (values: Num[]) => {
    const known = values.filter((value): value is number => value !== null);
    const [min, max] = [Math.min(...known), Math.max(...known)];
    return known.length > 0 && min > 0 && max / min > 20;
  };
  const keys = sweep.keys.flatMap((key, k): SweepAxis[] => {
    if (!key.is_number) return [];
    const values = sweep.points.map((point) => point.values[k] as number);
    const unit = unitOf[key.unit] ?? "";
    const write = (value: Num) =>
      value === null ? NONE : key.unit === "bps" || key.unit === "bytes" ? format(value, key.unit) : `${digits(value)} ${unit}`.trim();
    const own = sweep.own?.values[k] ?? null;
    return [{ label: key.name, unit, better: "neither", isLog: isLog([...values, own]), values, own, write }];
  });
  const figures = sweep.figures.map((figure, f): SweepAxis => {
    const values = sweep.points.map((point) => point.figures[f] ?? null);
    const own = sweep.own?.figures[f] ?? null;
    return { ...figure, isLog: isLog([...values, own]), values, own, write: (value) => format(value, figure.unit) };
  });
  return [...keys, ...figures];
}

// Maps the visible range to 0 .. 1.
export function scaleOf(axis: SweepAxis): { at: (value: number) => number; marks: number[] } {
  const known = [...axis.values, axis.own].filter((value): value is number => value !== null);
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

export function shortText(axis: SweepAxis, value: number): string {
  return axis.unit === "us" || axis.unit === "bytes" || axis.unit === "bps" ? tickWithUnit(value, axis.unit) : axis.unit === "share" ? `${plain(Number((value * 100).toPrecision(3)))} %` : plain(Number(value.toPrecision(3)));
}

export function axisText(axis: SweepAxis): string {
  const isScaled = ["us", "bytes", "bps", "share", "count", ""].includes(axis.unit);
  return `${axis.label}${isScaled ? "" : `, ${axis.unit}`}${axis.isLog ? " (logarithmic)" : ""}`;
}

export function settingsTable(sweep: Sweep): HTMLElement {
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
