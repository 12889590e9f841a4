// The layout of a network: tiers from top to bottom, hosts last. Links are lines while they can be
// distinguished. Otherwise they are small cells, one per link: links to hosts below their switch, links
// between switches above the lower one.

// The properties of a network that determine its layout.
export interface Shape {
  nodes: { tier: number }[];
  links: { a: number; b: number }[];
}

export interface Place {
  x: number;
  y: number;
}
export interface Line {
  link: number;
  a: Place;
  b: Place;
  isArc: boolean;
} // an arc joins nodes of one tier
export interface Cell {
  link: number;
  x: number;
  y: number;
  size: number;
}

export interface Layout {
  height: number;
  nodes: (Place | null)[]; // null: not drawn, its links are cells
  lines: Line[];
  cells: Cell[];
  tiers: { y: number; count: number; tier: number; slot: number }[]; // slot: the width of one
}

const LEFT = 84; // for the names of the tiers
const RIGHT = 12;
const TIER_GAP = 120;
const TOP = 22;
const ARC_HEIGHT = 30;
const HOST_ROOM = 15; // least width of a host that is drawn
const CELL_MAX = 12;
const CELL_MIN = 3;
const CELLS_HEIGHT = 64;
const CELLS_GAP = 14; // to their switch
const LINES_MAX = 600; // between switches

type Link = Shape["links"][number];

// Returns the switch of a link to a host; null if there is no host, or if the link joins two hosts.
function switchOf(topology: Shape, link: Link): number | null {
  const a = topology.nodes[link.a]!.tier;
  const b = topology.nodes[link.b]!.tier;
  if ((a === 0) === (b === 0)) return null;
  return a === 0 ? link.b : link.a;
}

function hostLinks(topology: Shape): Map<number, number[]> {
  const of = new Map<number, number[]>();
  topology.links.forEach((link, i) => {
    const owner = switchOf(topology, link);
    if (owner !== null) of.set(owner, [...(of.get(owner) ?? []), i]);
  });
  return of;
}

// Returns the largest cell size with which 'count' cells fit 'width' and a fixed height.
export function cellSize(count: number, width: number): number {
  for (let size = CELL_MAX; size > CELL_MIN; size--)
    if (Math.ceil(count / Math.max(1, Math.floor(width / size))) * size <= CELLS_HEIGHT) return size;
  return CELL_MIN;
}

function spread(members: number[], y: number, width: number, nodes: (Place | null)[]): number {
  const slot = (width - LEFT - RIGHT) / members.length;
  members.forEach((node, i) => {
    nodes[node] = { x: LEFT + slot * (i + 0.5), y };
  });
  return slot;
}

export function layoutOf(topology: Shape, width: number): Layout {
  const nodes: (Place | null)[] = topology.nodes.map(() => null);
  const layout: Layout = { height: TOP, nodes, lines: [], cells: [], tiers: [] };
  const tiers = new Map<number, number[]>();
  topology.nodes.forEach((node, i) => tiers.set(node.tier, [...(tiers.get(node.tier) ?? []), i]));

  let y = TOP;
  let slot = width;
  for (const tier of [...tiers.keys()].filter((t) => t > 0).sort((a, b) => b - a)) {
    const members = tiers.get(tier)!;
    slot = spread(members, y, width, nodes);
    layout.tiers.push({ y, count: members.length, tier, slot });
    layout.height = y + TOP;
    y += TIER_GAP;
  }
  placeHosts(topology, layout, tiers.get(0) ?? [], slot, width);
  placeLinks(topology, layout, width);
  return layout;
}

function placeHosts(topology: Shape, layout: Layout, hosts: number[], slot: number, width: number): void {
  if (hosts.length === 0) return;
  const links = hostLinks(topology);
  if (hosts.length * HOST_ROOM <= width - LEFT - RIGHT || links.size === 0) {
    const y = layout.tiers.length > 0 ? layout.tiers.at(-1)!.y + 90 : TOP + 60;
    const room = spread(inOrderOfSwitches(hosts, topology, layout), y, width, layout.nodes);
    layout.tiers.push({ y, count: hosts.length, tier: 0, slot: room });
    layout.height = y + TOP;
    return;
  }
  for (const [owner, own] of links) placeCells(layout, owner, own, slot, false);
  layout.tiers.push({ y: layout.tiers.at(-1)!.y + 22, count: hosts.length, tier: 0, slot: 0 });
}

// Places hosts below their switch; otherwise lines would cross.
function inOrderOfSwitches(hosts: number[], topology: Shape, layout: Layout): number[] {
  const at = new Map<number, number>();
  for (const link of topology.links) {
    const owner = switchOf(topology, link);
    if (owner === null) continue;
    const host = owner === link.a ? link.b : link.a;
    if (!at.has(host)) at.set(host, layout.nodes[owner]!.x);
  }
  return [...hosts].sort((a, b) => (at.get(a) ?? 0) - (at.get(b) ?? 0) || a - b);
}

function placeCells(layout: Layout, owner: number, links: number[], slot: number, isAbove: boolean): void {
  const centre = layout.nodes[owner]!;
  const inner = Math.max(slot - 4, CELL_MIN);
  const size = cellSize(links.length, inner);
  const rows = Math.ceil(links.length / Math.max(1, Math.floor(inner / size)));
  const columns = Math.ceil(links.length / rows); // rows of equal length
  links.forEach((link, i) => {
    const x = centre.x - (columns * size) / 2 + (i % columns) * size;
    const row = Math.floor(i / columns);
    const y = isAbove ? centre.y - CELLS_GAP - (rows - row) * size : centre.y + CELLS_GAP + row * size;
    layout.cells.push({ link, x, y, size });
    layout.height = Math.max(layout.height, y + size + 12);
  });
}

// Links from a switch up to the next tiers, by switch.
function uplinks(topology: Shape): Map<number, number[]> {
  const of = new Map<number, number[]>();
  topology.links.forEach((link, i) => {
    const a = topology.nodes[link.a]!.tier;
    const b = topology.nodes[link.b]!.tier;
    if (a === 0 || b === 0 || a === b) return;
    const lower = a < b ? link.a : link.b;
    of.set(lower, [...(of.get(lower) ?? []), i]);
  });
  return of;
}

// Returns the width of a switch's part of its tier.
function slotOf(topology: Shape, layout: Layout, node: number, width: number): number {
  const tier = layout.tiers.find((one) => one.tier === topology.nodes[node]!.tier)!;
  return (width - LEFT - RIGHT) / tier.count;
}

function placeLinks(topology: Shape, layout: Layout, width: number): void {
  const up = uplinks(topology);
  const count = [...up.values()].reduce((sum, links) => sum + links.length, 0);
  const inCells = new Set(layout.cells.map((cell) => cell.link));
  if (count > LINES_MAX) {
    for (const [lower, links] of up) {
      placeCells(layout, lower, links, slotOf(topology, layout, lower, width), true);
      for (const link of links) inCells.add(link);
    }
  }
  topology.links.forEach((link, i) => {
    const a = layout.nodes[link.a];
    const b = layout.nodes[link.b];
    if (a && b && !inCells.has(i)) layout.lines.push({ link: i, a, b, isArc: a.y === b.y });
  });
  if (layout.lines.some((line) => line.isArc)) layout.height += ARC_HEIGHT;
}

// Returns the distance from a point to a line. Arcs count as two straight parts through their middle.
export function distanceTo(line: Line, x: number, y: number): number {
  if (!line.isArc) return toSegment(line.a, line.b, x, y);
  const middle = arcMiddle(line);
  return Math.min(toSegment(line.a, middle, x, y), toSegment(middle, line.b, x, y));
}

export function arcMiddle(line: Line): Place {
  return {
    x: (line.a.x + line.b.x) / 2,
    y: line.a.y + Math.min(ARC_HEIGHT, Math.abs(line.a.x - line.b.x) / 4),
  };
}

function toSegment(a: Place, b: Place, x: number, y: number): number {
  const dx = b.x - a.x;
  const dy = b.y - a.y;
  const length2 = dx * dx + dy * dy;
  const t = length2 === 0 ? 0 : Math.min(Math.max(((x - a.x) * dx + (y - a.y) * dy) / length2, 0), 1);
  return Math.hypot(x - a.x - t * dx, y - a.y - t * dy);
}
