// The controller's history, reduced to few points: the whole page never has more than 5,000 marks.
import type { Num } from "../data";
import { countOf } from "../format";
import type { Decision, KnobChange } from "./state";

const POINTS_MAX = 140; // per curve
const STEPS_MAX = 40;

interface Series {
  mean: Num[];
  least: Num[];
  most: Num[];
}

export interface Past {
  from_ms: number;
  until_ms: number;
  oldest_ms: number;
  step_ms: number;
  source: string;
  t_ms: number[];
  series: Record<string, Series>;
  knobs: KnobChange[];
  decisions: Decision[];
}

// Reduces the points so that the page stays below 5,000 marks. Merged points have the mean of means, the
// least and the most.
export function coarser(past: Past, most = POINTS_MAX): Past {
  const each = Math.ceil(past.t_ms.length / most);
  if (each <= 1) return past;
  const groups = Array.from({ length: Math.ceil(past.t_ms.length / each) }, (_g, i) => i * each);
  const fold = (values: Num[], of: (known: number[]) => number) =>
    groups.map((from) => {
      const known = values.slice(from, from + each).filter((value) => value !== null);
      return known.length > 0 ? of(known) : null;
    });
  const mean = (known: number[]) => known.reduce((a, b) => a + b, 0) / known.length;
  return {
    ...past,
    step_ms: past.step_ms * each,
    t_ms: groups.map((i) => past.t_ms[i]!),
    series: Object.fromEntries(
      Object.entries(past.series).map(([name, s]) => [
        name,
        { mean: fold(s.mean, mean), least: fold(s.least, (known) => Math.min(...known)), most: fold(s.most, (known) => Math.max(...known)) },
      ]),
    ),
  };
}

// "5 s", "2 minutes", "3 hours"
export function stepText(ms: number): string {
  const [unit, size] = ([["day", 86400e3], ["hour", 3600e3], ["minute", 60e3]] as const).find(([, size]) => ms >= size && ms % size === 0) ?? ["", 0];
  return size ? countOf(ms / size, unit) : `${ms / 1000} s`;
}

// Returns at most 'most' changes of a step curve. Of changes too close to distinguish, the last counts.
export function stepsOf(xs: number[], curves: Num[][], most = STEPS_MAX): { xs: number[]; curves: Num[][] } {
  const moves = xs.map((_x, i) => i).filter((i) => i === 0 || i === xs.length - 1 || curves.some((values) => values[i] !== values[i - 1]));
  const width = (xs.at(-1)! - xs[0]!) / (most - 2) || 1;
  const place = (i: number) => (i === xs.length - 1 ? Infinity : Math.floor((xs[i]! - xs[0]!) / width));
  const kept = moves.length <= most ? moves : moves.filter((i, k) => place(i) !== place(moves[k + 1] ?? -1));
  return { xs: kept.map((i) => xs[i]!), curves: curves.map((values) => kept.map((i) => values[i]!)) };
}
