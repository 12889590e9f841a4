// A tuner's history in words and in periods.
import type { Num, Tuning } from "./data";
import { digits, formatSetting, NONE, plain } from "./format";

export const verdicts = ["", "accepted", "rejected", "best"];
export const marks = ["", "●", "×", "◆"]; // as in the chart

export interface PhaseBand {
  name: string;
  start_us: number;
  stop_us: number;
}

export function phaseOf(tuning: Tuning, i: number): string {
  const phase = tuning.steps.phase[i] ?? null;
  return phase === null ? "" : (tuning.phases[phase] ?? "");
}

// Periods of one phase. A period lasts until the next begins, also over omitted steps.
export function phaseBands(tuning: Tuning): PhaseBand[] {
  const { start_us, end_us } = tuning.steps;
  const bands: PhaseBand[] = [];
  start_us.forEach((start, i) => {
    const name = phaseOf(tuning, i);
    const last = bands.at(-1);
    if (last) last.stop_us = last.name === name ? end_us[i]! : start;
    if (last?.name !== name) bands.push({ name, start_us: start, stop_us: end_us[i]! });
  });
  return bands.filter((band) => band.name !== "");
}

export const shows = ["changes only", "turning points", "all steps"] as const;
export type Show = (typeof shows)[number];

// The steps in a table: those with a change; those in which a phase began or the best was found; or all.
export function stepsOf(tuning: Tuning, show: Show): number[] {
  const { steps } = tuning;
  const isShown = (i: number) => {
    if (show === "all steps") return true;
    if (show === "changes only") return steps.set[i]!.length > 0;
    return i === 0 || steps.verdict[i] === 3 || phaseOf(tuning, i) !== phaseOf(tuning, i - 1);
  };
  return steps.end_us.map((_end, i) => i).filter(isShown);
}

// "kmin 400 → 120 KB"
export function setTexts(tuning: Tuning, i: number): string[] {
  return tuning.steps.set[i]!.map(([knob, to, from]) => {
    const { name, unit } = tuning.knobs[knob]!;
    return `${name} ${plain(from)} → ${formatSetting(to, unit)}`;
  });
}

export function writeUtility(value: Num): string {
  return value === null ? NONE : digits(value);
}

// "utility 0.713 (throughput 0.8, RTT 0.4, PFC 1), temperature 90": the measurements of a step.
export function measuredText(tuning: Tuning, i: number): string {
  const { steps } = tuning;
  const written = (pairs: [string, Num | undefined][]) =>
    pairs.filter(([, value]) => value != null).map(([name, value]) => `${name} ${digits(value!)}`);
  const terms = written([
    ["throughput", steps.utility_throughput[i]],
    ["RTT", steps.utility_rtt[i]],
    ["PFC", steps.utility_pfc[i]],
  ]);
  const [utility] = written([["utility", steps.utility[i]]]);
  const whole = utility && terms.length > 0 ? `${utility} (${terms.join(", ")})` : (utility ?? terms.join(", "));
  const temperature = written([["temperature", steps.temperature[i]]]);
  return [whole, ...temperature].filter((text) => text !== "").join(", ");
}

// The divergence at which a search begins; null if the tuner does not wait for one.
export function thetaOf(tuning: Tuning): number | null {
  const valueOf = (name: string) => tuning.options.find((option) => option.name === name)?.value;
  const theta = valueOf("theta");
  const trigger = valueOf("trigger");
  return typeof theta === "number" && (trigger === undefined || trigger === "change") ? theta : null;
}
