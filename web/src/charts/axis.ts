// Positions of the marks on a logarithmic axis.

// Returns 1, 2, 5, 10, ... between 'min' and 'max'. If these exceed 'most', returns only decades, then every
// second, third decade. A range too short for them gets even steps.
export function logMarks(min: number, max: number, most: number): number[] {
  const enough = Math.max(Math.floor(most), 2);
  if (marksOf(min, max, [1, 2, 5], 1).length < 3) return evenMarks(min, max, enough);
  for (const steps of [[1, 2, 5], [1, 3], [1]]) {
    const marks = marksOf(min, max, steps, 1);
    if (marks.length <= enough) return marks;
  }
  for (let every = 2; ; every++) {
    const marks = marksOf(min, max, [1], every);
    if (marks.length <= enough) return marks;
  }
}

function evenMarks(min: number, max: number, most: number): number[] {
  const least = (max - min) / most;
  const decade = Math.pow(10, Math.floor(Math.log10(least)));
  const step = [1, 2, 5, 10].map((times) => times * decade).find((size) => size >= least)!;
  const marks: number[] = [];
  for (let i = Math.ceil(min / step); i * step <= max; i++) marks.push(Number((i * step).toPrecision(12)));
  return marks;
}

function marksOf(min: number, max: number, steps: number[], every: number): number[] {
  const marks: number[] = [];
  for (let decade = Math.floor(Math.log10(min)); decade <= Math.ceil(Math.log10(max)); decade++) {
    if (decade % every !== 0) continue;
    for (const step of steps) {
      const mark = Number(`${step}e${decade}`);
      if (mark >= min * 0.9999 && mark <= max * 1.0001) marks.push(mark);
    }
  }
  return marks;
}

// A small margin at both ends of a logarithmic axis.
export function logRange(min: number, max: number): [number, number] {
  const room = Math.max(Math.pow(max / min, 0.03), 1.02);
  return [min / room, max * room];
}

// Returns 'range' scaled by 'times' around 'at' and limited to 'full'; null if it covers all of 'full'.
export function zoomRange(
  range: [number, number],
  full: [number, number],
  at: number,
  times: number,
  isLog: boolean,
): [number, number] | null {
  const to = isLog ? Math.log : (x: number) => x;
  const from = isLog ? Math.exp : (x: number) => x;
  const centre = to(Math.min(Math.max(at, range[0]), range[1]));
  const low = Math.max(centre - (centre - to(range[0])) * times, to(full[0]));
  const high = Math.min(centre + (to(range[1]) - centre) * times, to(full[1]));
  if (low <= to(full[0]) && high >= to(full[1])) return null;
  return [from(low), from(high)];
}

const two = (n: number) => String(n).padStart(2, "0");
const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const dayOf = (d: Date) => `${d.getDate()} ${months[d.getMonth()]}`;

// Marks 'step' seconds apart: the date at the start of a day, otherwise the time.
export function clockMarks(at: number[], step: number): string[] {
  return at.map((s, i) => {
    const d = new Date(s * 1000);
    const before = i > 0 ? new Date(at[i - 1]! * 1000) : null;
    if (step >= 86400 * 25) return `${months[d.getMonth()]} ${d.getFullYear()}`;
    if (step >= 86400 || (before && before.getDate() !== d.getDate())) return dayOf(d);
    return `${two(d.getHours())}:${two(d.getMinutes())}${step < 60 ? `:${two(d.getSeconds())}` : ""}`;
  });
}

export function whenText(s: number): string {
  const d = new Date(s * 1000);
  return `${dayOf(d)} ${d.getFullYear()} ${two(d.getHours())}:${two(d.getMinutes())}:${two(d.getSeconds())}`;
}
