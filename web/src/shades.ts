// Shaded periods in charts over time: an influx, and links that were down.
import type { Outage, Run } from "./data";
import type { Band } from "./charts/chart";

export type Shaded = Pick<Run, "windows" | "outages">;

// Overlapping outages become one shade; otherwise names would overlap.
export function outageBands(outages: Outage[]): Band[] {
  const bands: { start_us: number; stop_us: number; links: string[] }[] = [];
  for (const { a, b, start_us, stop_us } of [...outages].sort((x, y) => x.start_us - y.start_us)) {
    const last = bands.at(-1);
    if (last && start_us <= last.stop_us) {
      last.stop_us = Math.max(last.stop_us, stop_us);
      last.links.push(`${a}–${b}`);
    } else bands.push({ start_us, stop_us, links: [`${a}–${b}`] });
  }
  return bands.map(({ start_us, stop_us, links }) => ({
    name: links.length === 1 ? `${links[0]} down` : `${links.length} links down`,
    start_us,
    stop_us,
    colour: "outage",
  }));
}

export function shadesOf(run: Shaded): Band[] {
  return [...run.windows, ...outageBands(run.outages ?? [])];
}

// " Shaded: influx; in red, tor0–spine1 down."
export function shadeNote(run: Shaded): string {
  const said: string[] = [];
  if (run.windows.length > 0) said.push("influx");
  const bands = outageBands(run.outages ?? []);
  if (bands.length > 0 && bands.length <= 3) said.push(...bands.map((band) => `${band.name} (red)`));
  else if (bands.length > 3) said.push("links down (red)");
  return said.length > 0 ? ` Shaded: ${said.join("; ")}.` : "";
}
