// Colors come from the style sheet, which alone distinguishes light, dark and print.

const media = {
  dark: matchMedia("(prefers-color-scheme: dark)"),
  print: matchMedia("print"),
};
const listeners = new Set<() => void>();
let cache = new Map<string, string>();
let heatColours: string[] = []; // cached, because a heat map needs thousands
let beforePrint = false;

export function colour(name: string): string {
  let value = cache.get(name);
  if (value === undefined) {
    value = getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
    cache.set(name, value);
  }
  return value;
}

export const CURVE_COLOURS = 8;

export function curveColour(i: number): string {
  return colour(`curve-${i % CURVE_COLOURS}`);
}

// Variants of a comparison: the baseline is gray, the recommended one has the accent color.
export const BASELINE_HUE = 6;

// Lines can be distinguished without color too. The first and the baseline are solid.
const dashes = [[], [7, 3], [2, 2.5], [9, 3, 2, 3], [4, 2], [12, 4], [2, 5], [9, 3, 2, 3, 2, 3]];

export function curveDash(i: number): number[] {
  if (i === BASELINE_HUE && !isPrinting()) return [];
  return dashes[i % dashes.length]!;
}

export function isPrinting(): boolean {
  return beforePrint || media.print.matches;
}

const HEAT_STEPS = 200;

// Maps 0..1 to a color between those of the style sheet: --heat-0 (idle) to --heat-4 (full).
export function heatColour(share: number): string {
  const step = Math.round(Math.min(Math.max(share, 0), 1) * HEAT_STEPS);
  return (heatColours[step] ??= mixHeat(step / HEAT_STEPS));
}

function mixHeat(share: number): string {
  const at = share * 4;
  const low = Math.min(Math.floor(at), 3);
  const from = rgbOf(colour(`heat-${low}`));
  const to = rgbOf(colour(`heat-${low + 1}`));
  const mixed = from.map((x, i) => Math.round(x + (to[i]! - x) * (at - low)));
  return `rgb(${mixed.join(",")})`;
}

function rgbOf(hex: string): number[] {
  return [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16));
}

export function onThemeChange(listener: () => void): void {
  listeners.add(listener);
}

function changed(): void {
  document.documentElement.classList.toggle("printing", isPrinting());
  cache = new Map();
  heatColours = [];
  for (const listener of listeners) listener();
}

media.dark.addEventListener("change", changed);
media.print.addEventListener("change", changed);
// The style sheet switches to print slightly later; drawing must happen before.
addEventListener("beforeprint", () => {
  beforePrint = true;
  changed();
});
addEventListener("afterprint", () => {
  beforePrint = false;
  changed();
});
