// The drawing of a fabric: names, tiers and the load of each link, from the controller's data.
import type { Num } from "../data";
import type { NetworkLink, NetworkNode } from "../charts/network";
import type { LinkNames, LinkRow } from "./state";

export interface LiveLink extends NetworkLink {
  use: [Num, Num]; // a to b, b to a; null: not known
  paused: [Num, Num];
  queue: [Num, Num]; // bytes
}

// Removes the common prefix of all names, up to a slash.
export function shortNames(names: string[]): string[] {
  const first = names[0]?.slice(0, names[0].indexOf("/") + 1) ?? "";
  return first !== "" && names.every((name) => name.startsWith(first) && name.length > first.length) ? names.map((name) => name.slice(first.length)) : names;
}

// Hosts are NICs, and unknown nodes with a single link. The tier of any other node is its distance from the
// nearest host.
export function tiersOf({ nodes, links }: Pick<LinkNames, "nodes" | "links">): number[] {
  const near: number[][] = nodes.map(() => []);
  for (const [a, b] of links) {
    near[a]!.push(b);
    near[b]!.push(a);
  }
  const tiers: number[] = nodes.map(([, kind], i) => (kind === "NIC" || (kind === "" && near[i]!.length === 1) ? 0 : -1));
  let edge = tiers.flatMap((tier, i) => (tier === 0 ? [i] : []));
  for (let tier = 1; edge.length > 0; tier++) {
    edge = [...new Set(edge.flatMap((i) => near[i]!))].filter((i) => tiers[i] === -1);
    for (const i of edge) tiers[i] = tier;
  }
  return tiers.map((tier) => (tier < 0 ? 1 : tier)); // no host within reach
}

export function nodesOf(names: LinkNames): NetworkNode[] {
  const tiers = tiersOf(names);
  return shortNames(names.nodes.map(([name]) => name)).map((name, i) => ({ name, kind: tiers[i] === 0 ? "host" : "switch", tier: tiers[i]! }));
}

const share = (value: Num | undefined) => (value === null || value === undefined ? null : value / 1000);

export function linksOf(names: LinkNames, rows: Map<number, LinkRow>): LiveLink[] {
  return names.links.map(([a, b], i) => {
    const row = rows.get(i);
    return { a, b, use: [share(row?.[1]), share(row?.[2])], paused: [share(row?.[3]), share(row?.[4])], queue: [row?.[5] ?? null, row?.[6] ?? null] };
  });
}
