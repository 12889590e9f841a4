// Finds the settings that no other beats in both of two metrics.

export interface Point {
  x: number;
  y: number;
}

type Better = "lower" | "higher" | "neither";

// Returns the indices of the front in the order of x. A metric without a good direction has no front.
export function paretoFront(points: (Point | null)[], xBetter: Better, yBetter: Better): number[] {
  if (xBetter === "neither" || yBetter === "neither") return [];
  const xs = xBetter === "lower" ? 1 : -1;
  const ys = yBetter === "lower" ? 1 : -1;
  const order = points
    .flatMap((point, i) => (point ? [{ x: point.x * xs, y: point.y * ys, i }] : []))
    .sort((a, b) => a.x - b.x || a.y - b.y || a.i - b.i);
  const front: number[] = [];
  let best = Infinity;
  for (const { y, i } of order)
    if (y < best) {
      best = y;
      front.push(i);
    }
  return xs === 1 ? front : front.reverse();
}
