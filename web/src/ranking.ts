// Selects and orders the listed settings of a sweep.
import type { Num, Sweep } from "./data";

const RANKED = 8;

export interface Ranked {
  rank: number; // 0: the scenario's own setting, which is not one of the points
  isOwn: boolean;
  isAdvised: boolean;
  values: (number | string | null)[];
  figures: Num[];
}

// The best settings, and the scenario's own at the rank of its value. One row if it is among the settings.
export function ranking(sweep: Sweep): Ranked[] {
  const { own, points, advised } = sweep;
  const best = Math.max(0, sweep.figures.findIndex(({ name }) => name === sweep.best));
  const sign = sweep.figures[best]?.better === "higher" ? -1 : 1;
  const same = own ? points.findIndex(({ values }) => values.every((value, i) => value === own.values[i])) : -1;
  const rows = points.map((point, i) => ({
    ...point,
    rank: i + 1,
    isOwn: i === same,
    isAdvised: point.name === advised || (i === same && own?.name === advised),
  }));
  const top: Ranked[] = rows.filter((row, i) => i < RANKED || row.isOwn || row.isAdvised);
  if (!own || same >= 0) return top;
  const badness = (figures: Num[]) => sign * (figures[best] ?? sign * Infinity);
  const at = top.findIndex(({ figures }) => badness(figures) > badness(own.figures));
  top.splice(at < 0 ? top.length : at, 0, { ...own, rank: 0, isOwn: true, isAdvised: own.name === advised });
  return top;
}
