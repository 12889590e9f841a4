// The balance of links between switches: for sprayed packets, summary.json has it by tier and plane.
import type { Run } from "../data";
import { fold } from "../dom";
import { format } from "../format";
import { table } from "../table";

interface Tier {
  links: string; // "tor to spine", "plane 1: tor to spine"
  count: number;
  busiest: number; // shares of their capacity
  median: number;
  least: number;
}

export function pathFold(run: Run): HTMLElement | null {
  const tiers = (run.summary?.["paths"] ?? []) as Tier[];
  if (tiers.length === 0) return null;
  const number = (head: string) => ({ head, isNumber: true });
  return fold(
    "Load by tier",
    table(
      [{ head: "Links" }, number("count"), number("busiest"), number("median"), number("least")],
      tiers.map(({ links, count, busiest, median, least }) => [
        links,
        format(count, "count"),
        format(busiest, "share"),
        format(median, "share"),
        format(least, "share"),
      ]),
      "Load of the links between switches, by tier",
    ),
  );
}
