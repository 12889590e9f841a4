import { expect, test } from "vitest";
import type { Topology } from "../data";
import { cellSize, distanceTo, layoutOf, type Cell } from "./topology_layout";

// tors * hosts hosts, tors and spines, all joined.
function clos(spines: number, tors: number, hosts: number): Topology {
  const nodes: Topology["nodes"] = [];
  const links: Topology["links"] = [];
  const add = (name: string, kind: "host" | "switch", tier: number) => nodes.push({ name, kind, tier }) - 1;
  const join = (a: number, b: number) =>
    links.push({ a, b, rate_bps: 1e11, ab: 0, ba: 0, ab_max: 0, ba_max: 0, ab_paused: 0, ba_paused: 0 });
  const tops = Array.from({ length: spines }, (_, i) => add(`spine${i}`, "switch", 2));
  for (let t = 0; t < tors; t++) {
    const tor = add(`tor${t}`, "switch", 1);
    for (const top of tops) join(tor, top);
    for (let i = 0; i < hosts; i++) join(add(`host${t}-${i}`, "host", 0), tor);
  }
  return { nodes, links, heat: null };
}

// Every link is drawn once, as a line or as a cell.
function linksDrawn(topology: Topology, width: number): number[] {
  const layout = layoutOf(topology, width);
  return [...layout.lines, ...layout.cells].map((drawn) => drawn.link).sort((a, b) => a - b);
}

test.each([
  [2, 4, 4],
  [4, 8, 16],
  [32, 64, 16],
  [0, 1, 3],
])("%i spines, %i tors, %i hosts: each link once", (s, t, n) => {
  const topology = clos(s, t, n);
  expect(linksDrawn(topology, 1200)).toEqual(topology.links.map((_link, i) => i));
});

test("tiers go from the top down", () => {
  const { nodes, tiers } = layoutOf(clos(2, 4, 4), 1200);
  expect(tiers.map((tier) => tier.tier)).toEqual([2, 1, 0]);
  expect(nodes[0]!.y).toBeLessThan(nodes[2]!.y);
  expect(nodes[2]!.y).toBeLessThan(nodes[3]!.y);
});

test("hosts stand below their own switch", () => {
  const topology = clos(2, 4, 4);
  const { nodes } = layoutOf(topology, 1200);
  for (const link of topology.links) {
    if (topology.nodes[link.a]!.tier !== 0) continue;
    expect(Math.abs(nodes[link.a]!.x - nodes[link.b]!.x)).toBeLessThan(1200 / 4 / 2);
  }
});

test("cells do not overlap and lie in the picture", () => {
  const { cells, height } = layoutOf(clos(32, 64, 16), 1200);
  const isApart = (a: Cell, b: Cell) =>
    Math.abs(a.x - b.x) >= a.size - 1e-6 || Math.abs(a.y - b.y) >= a.size - 1e-6;
  expect(cells.every((a, i) => cells.every((b, j) => i >= j || isApart(a, b)))).toBe(true);
  for (const cell of cells) {
    expect(cell.x).toBeGreaterThanOrEqual(0);
    expect(cell.x + cell.size).toBeLessThanOrEqual(1200);
    expect(cell.y).toBeGreaterThanOrEqual(0);
    expect(cell.y + cell.size).toBeLessThanOrEqual(height);
  }
});

test("hosts without a switch are joined by an arc", () => {
  const topology = clos(0, 0, 0);
  topology.nodes.push({ name: "a", kind: "host", tier: 0 }, { name: "b", kind: "host", tier: 0 });
  topology.links.push({
    a: 0,
    b: 1,
    rate_bps: 1,
    ab: 0,
    ba: 0,
    ab_max: 0,
    ba_max: 0,
    ab_paused: 0,
    ba_paused: 0,
  });
  const [line] = layoutOf(topology, 800).lines;
  expect(line!.isArc).toBe(true);
});

test("cellSize: large while there is room", () => {
  expect(cellSize(4, 100)).toBe(12);
  expect(cellSize(1000, 30)).toBe(3);
});

test("distanceTo a line", () => {
  const line = { link: 0, a: { x: 0, y: 0 }, b: { x: 10, y: 0 }, isArc: false };
  expect(distanceTo(line, 5, 3)).toBe(3);
  expect(distanceTo(line, 13, 4)).toBe(5);
});
