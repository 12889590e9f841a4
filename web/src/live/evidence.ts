// The evidence of a trial: e-values over pairs of blocks, with the bounds that end it. Drawn without a library, with axis text in
// HTML, so that it keeps its size at any width.
import type { Num } from "../data";
import { h, svg } from "../dom";
import { countOf, digits, plain } from "../format";
import type { Evidence, Trial } from "./state";

export interface Path {
  pairs: number[];
  gain: Num[];
  harm: Num[];
}

// From 1, where every bet starts, to the current values.
export function pathOf(e: Evidence, trial: Trial): Path {
  const path = { pairs: [0, ...e.pairs], gain: [1, ...e.gain] as Num[], harm: [1, ...e.harm] as Num[] };
  const isNow = trial.phase !== "none" && trial.number === e.trial && trial.pairs !== undefined;
  if (isNow && trial.pairs! > path.pairs.at(-1)!) {
    path.pairs.push(trial.pairs!);
    path.gain.push(trial.e_gain ?? null);
    path.harm.push(trial.e_harm ?? null);
  }
  return path;
}

const DECADES_MIN = -3; // smaller e-values are drawn at a thousandth

// Powers of ten, from the least value to above the larger bound.
export function rangeOf(path: Path, e: Evidence): [number, number] {
  const known = [...path.gain, ...path.harm].filter((v): v is number => v !== null && v > 0);
  const low = Math.floor(Math.log10(Math.min(1, ...known)));
  const high = Math.log10(Math.max(e.accept_e, e.reject_e, ...known)) + 0.4;
  return [Math.max(DECADES_MIN, Math.min(-1, low)), high];
}

function curve(path: Path, values: Num[], at: (pairs: number, value: number) => [number, number], hue: number): SVGElement {
  const points = path.pairs.flatMap((pairs, i) => {
    const value = values[i];
    return value === null || value === undefined ? [] : [at(pairs, value).map((x) => x.toFixed(2)).join(",")];
  });
  return svg(
    "svg",
    { class: `hue-${hue}`, viewBox: "0 0 100 100", preserveAspectRatio: "none", "aria-hidden": "true" },
    svg("polyline", { class: hue === 0 ? "line" : "line dashed", points: points.join(" ") }),
  );
}

const known = (value: Num | undefined) => (value === null || value === undefined ? "unknown" : digits(value));

// Large powers take no more room than small ones.
const powerText = (d: number) => (d < 5 ? [plain(10 ** d)] : ["10", h("sup", {}, String(d))]);

export function evidenceChart(e: Evidence, trial: Trial, title: string): HTMLElement {
  const path = pathOf(e, trial);
  const [low, high] = rangeOf(path, e);
  const last = path.pairs.at(-1)!;
  const right = Math.max(e.ends_at, last, 1) * 1.02;
  const up = (value: number) => (100 * (Math.max(low, Math.log10(Math.max(value, 1e-12))) - low)) / (high - low);
  const at = (pairs: number, value: number): [number, number] => [(100 * pairs) / right, 100 - up(value)];
  const isHalves = e.stage === "halves";
  const decades = Array.from({ length: Math.floor(high) - low + 1 }, (_x, i) => low + i).filter((d) => high - low < 5 || d % 2 === 0);
  const bound = (value: number, text: string, hue: number) =>
    h("span", { class: `bound hue-${hue}`, style: `bottom:${up(value).toFixed(1)}%` }, h("span", {}, text));
  const label = `Evidence after ${last} pairs: ${known(path.gain.at(-1))} for a gain, bound ${plain(e.accept_e)}; ${known(path.harm.at(-1))} for harm, bound ${plain(e.reject_e)}`;
  return h(
    "figure",
    { class: "evidence-chart" },
    h("figcaption", {}, h("h3", {}, title), " ", h("span", { class: "muted" }, "may be read at any moment")),
    h(
      "div",
      { class: "area", role: "img", "aria-label": label },
      ...decades.flatMap((d) => [
        h("span", { class: "grid", style: `bottom:${up(10 ** d).toFixed(1)}%` }),
        h("span", { class: "yt", style: `bottom:${up(10 ** d).toFixed(1)}%` }, ...powerText(d)),
      ]),
      isHalves ? bound(e.accept_e, `keep: evidence of a gain reaches ${plain(e.accept_e)}`, 0) : null,
      bound(e.reject_e, `take back: evidence of harm reaches ${plain(e.reject_e)}`, 1),
      h("span", { class: "end", style: `left:${((100 * e.ends_at) / right).toFixed(1)}%` }, h("span", {}, isHalves ? "ends without a difference" : "next stage")),
      curve(path, path.gain, at, 0),
      curve(path, path.harm, at, 1),
      ...[0, Math.round(e.ends_at / 2), e.ends_at].map((x) => h("span", { class: "xt", style: `left:${((100 * x) / right).toFixed(1)}%` }, String(x))),
    ),
    h(
      "p",
      { class: "key" },
      h("span", {}, h("i", { class: "hue-0" }), `for a gain: ${known(path.gain.at(-1))} of ${plain(e.accept_e)}`),
      h("span", {}, h("i", { class: "hue-1 dashed" }), `for harm: ${known(path.harm.at(-1))} of ${plain(e.reject_e)}`),
      h("span", { class: "muted" }, ` after ${countOf(last, "pair")} of blocks, with and without the change. ${plain(e.accept_e)} comes by chance in at most 1 of ${plain(e.accept_e)} trials.`),
    ),
  );
}
