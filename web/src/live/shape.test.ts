import { expect, test } from "vitest";
import { linksOf, nodesOf, shortNames, tiersOf } from "./shape";

test("what all names begin with is left out, and nothing else", () => {
  expect(shortNames(["twin/h0", "twin/tor0"])).toEqual(["h0", "tor0"]);
  expect(shortNames(["h1/mlx5_0", "h2/mlx5_0"])).toEqual(["h1/mlx5_0", "h2/mlx5_0"]);
  expect(shortNames(["h1", "h2"])).toEqual(["h1", "h2"]);
  expect(shortNames([])).toEqual([]);
});

test("hosts are below, and switches as high as they are far from one", () => {
  // Two hosts, of which one has not reported; a ToR each; an aggregation switch; a core switch that reports nothing.
  const nodes: [string, string][] = [["h1", "NIC"], ["h2", ""], ["t1", "switch"], ["t2", "switch"], ["agg", "switch"], ["core", ""], ["t3", ""]];
  const links: [number, number][] = [[0, 2], [1, 3], [2, 4], [3, 4], [4, 5], [5, 6], [6, 4]];
  expect(tiersOf({ nodes, links })).toEqual([0, 0, 1, 1, 2, 3, 3]);
  expect(nodesOf({ version: 1, total: 7, nodes, links }).map(({ kind }) => kind)).toEqual(["host", "host", "switch", "switch", "switch", "switch", "switch"]);
});

test("the path of an unreported link is unknown", () => {
  const names = { version: 1, total: 2, nodes: [["h", "NIC"], ["t", "switch"]] as [string, string][], links: [[0, 1], [0, 1]] as [number, number][] };
  expect(linksOf(names, new Map([[0, [0, 250, null, 5, null, null, 4000]]]))).toEqual([
    { a: 0, b: 1, use: [0.25, null], paused: [0.005, null], queue: [null, 4000] },
    { a: 0, b: 1, use: [null, null], paused: [null, null], queue: [null, null] },
  ]);
});
