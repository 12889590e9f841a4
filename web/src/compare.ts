// The page of a comparison: the answer, the main metrics, and charts that explain it.
import type { ComparedMetric, Comparison, Page, Run, Sweep } from "./data";
import { choice, fold, h, nothing, scrollBox, section } from "./dom";
import { axisFor, axisHead, changeText, effect, intervalText, valuesText, type Axis, type Compared } from "./effects";
import { countOf, format } from "./format";
import { figureName } from "./help";
import { answerCard, answerOf, topLine } from "./sections/answer";
import { figuresSection } from "./sections/figures";
import { codes } from "./sections/head";
import { linkSection } from "./sections/links";
import { foldsOfRun, footer, partial, setupSection } from "./sections/setup";
import { timesOfVariants } from "./sections/slowdown";
import { sweepSection } from "./sections/sweep";
import { timeGroup, timeSection } from "./sections/time";
import { tuningSection } from "./sections/tuning";
import { table } from "./table";
import { BASELINE_HUE } from "./theme";

const LONG_NAME = 12; // on a phone, longer names get their own line
const SHOWN_VARIANTS = 3; // in the table of the main metrics, in addition to the baseline
const SHOWN_SETTINGS = 1; // the same for a sweep, whose ranking has the others

// A verdict in words and with a sign, so that it does not depend on color.
export function verdict(
  metric: ComparedMetric,
  variant: Compared,
): { sign: string; text: string; kind: string } {
  if (!variant.is_significant) return { sign: "", text: "not clear", kind: "same" };
  if (variant.is_better) return { sign: "✓ ", text: "better", kind: "better" };
  if (metric.better === "neither") return { sign: "≠ ", text: "different", kind: "other" };
  return { sign: "✕ ", text: "worse", kind: "worse" };
}

// ---- variants and their colors ----

// The recommended variant is the one that the finding names first.
export function recommended({ answer, baseline, metrics }: Comparison): string {
  const names = metrics[0]?.variants.map(({ name }) => name).filter((name) => name !== baseline) ?? [];
  const said = answer?.finding ?? "";
  return names.find((name) => said.startsWith(`Use ${name}`)) ?? names[0] ?? baseline;
}

// The baseline is gray, the recommended variant has the accent color, the others follow.
export function huesOf(runs: Run[], comparison?: Comparison): Map<string, number> {
  const first = comparison ? recommended(comparison) : "";
  const hues = new Map<string, number>();
  let next = 1;
  for (const { name } of runs)
    hues.set(name, name === comparison?.baseline ? BASELINE_HUE : name === first ? 0 : next++ === BASELINE_HUE ? next++ : next - 1);
  return hues;
}

// ---- the main metrics ----

function decidingRows(metric: ComparedMetric, shown: string[], base: Compared, axis: Axis, hues: Map<string, number>): HTMLElement[] {
  const variants = shown.flatMap((name) => metric.variants.filter((variant) => variant.name === name));
  return variants.map((variant, i) => {
    const { sign, text, kind } = variant.mean !== null && variant.mean === base.mean ? { sign: "", text: "same", kind: "same" } : verdict(metric, variant);
    const hue = hues.get(variant.name) ?? 0;
    return h(
      "tr",
      { class: i === variants.length - 1 ? "last" : null, "data-metric": metric.name, "data-variant": variant.name },
      i === 0 && h("th", { scope: "rowgroup", rowspan: variants.length, class: "fig" }, figureName(metric)),
      h("td", { class: `vn hue-${hue}${variant.name.length > LONG_NAME ? " long" : ""}` }, variant.name),
      h("td", { class: "number val" }, valuesText(metric, base, variant)),
      h("td", { class: "pl" }, effect(metric, variant, axis, hue)),
      h("td", { class: "number chg" }, h("b", {}, changeText(variant.change))),
      h("td", { class: "number iv muted" }, intervalText(variant)),
      h("td", { class: "vd" }, h("span", { class: kind }, sign + text)),
    );
  });
}

// The change of each metric, drawn with its interval. Each metric is a table body.
function effectTable({ baseline, confidence }: Comparison, short: string, metrics: ComparedMetric[], shown: string[], hues: Map<string, number>): HTMLElement {
  const axis = axisFor(metrics);
  const numbers = ["Change", `${Math.round(100 * confidence)}\u00a0% interval`];
  const head = h(
    "tr",
    {},
    ...["Figure", "Setting"].map((text) => h("th", { scope: "col" }, text)),
    h("th", { scope: "col", class: "number" }, `${short} → this setting`),
    h("th", { class: "pl", scope: "col" }, h("span", { class: "unseen" }, "Change, drawn: better is right"), axisHead(axis)),
    ...numbers.map((text) => h("th", { scope: "col", class: "number" }, text)),
    h("th", { scope: "col" }, "Verdict"),
  );
  const bodies = metrics.map((metric) => {
    const base = metric.variants.find(({ name }) => name === baseline)!;
    return h("tbody", {}, ...decidingRows(metric, shown, base, axis, hues));
  });
  return h("div", {}, h("div", { class: "ax-phone" }, axisHead(axis)), h("table", { class: "deciding" }, h("thead", {}, head), ...bodies));
}

// Variants with other flows are shown side by side: only means, without a verdict.
function sideBySide(metrics: ComparedMetric[]): HTMLElement {
  const names = metrics[0]?.variants.map(({ name }) => name) ?? [];
  const heads = names.map((name) => h("th", { scope: "col", class: "number" }, name));
  const bodies = metrics.map((metric) => {
    const means = metric.variants.map(({ mean }) => h("td", { class: "number" }, format(mean, metric.unit)));
    return h("tbody", {}, h("tr", {}, h("th", { scope: "row" }, figureName(metric)), ...means));
  });
  return scrollBox(h("table", { class: "side" }, h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Figure"), ...heads)), ...bodies));
}

function decidingMetrics({ deciding, metrics }: Comparison): ComparedMetric[] {
  const chosen = (deciding ?? []).flatMap((name) => metrics.filter((metric) => metric.name === name));
  return chosen.length > 0 ? chosen : metrics.filter((metric) => metric.is_shown).slice(0, 6);
}

const hasPairs = ({ verdicts, baseline }: Comparison) =>
  !verdicts || verdicts.some(({ name, has_same_flows }) => name !== baseline && has_same_flows !== false);

// In a sweep the baseline is the scenario's own setting, and the others are settings too.
function decidingSection({ sweep }: Page, comparison: Comparison, hues: Map<string, number>): HTMLElement {
  const { baseline, metrics } = comparison;
  const most = sweep ? SHOWN_SETTINGS : SHOWN_VARIANTS;
  if (metrics.length === 0) return section("differences", "The figures that decide", nothing("There is nothing to compare."));
  const others = metrics[0]!.variants.map(({ name }) => name).filter((name) => name !== baseline);
  const ordered = [recommended(comparison), ...others.filter((name) => name !== recommended(comparison))];
  const isJudged = hasPairs(comparison) && others.length > 0;
  const make = (chosen: ComparedMetric[], shown: string[]) => (isJudged ? effectTable(comparison, sweep ? "own" : baseline, chosen, shown, hues) : sideBySide(chosen));
  const all = make(metrics, ordered);
  return section(
    "differences",
    isJudged ? "The figures that decide" : "Side by side",
    h("p", { class: "hint" }, decidingNote(comparison, sweep, isJudged, others.length - most)),
    h(
      "div",
      { class: "card" },
      make(decidingMetrics(comparison), ordered.slice(0, most)),
      fold(
        `All ${metrics.length} figures`,
        h("p", { class: "hint" }, trustNote(comparison)),
        filter(metrics, [...all.querySelectorAll("tbody")]),
        all,
      ),
    ),
  );
}

function decidingNote(comparison: Comparison, sweep: Sweep | undefined, isJudged: boolean, hidden: number): string {
  const means = `Mean of ${countOf(comparison.seeds, "seed")}`;
  const isAlone = comparison.metrics[0]!.variants.length === 1;
  if (!isJudged) return isAlone ? `${means}. There is nothing to compare it with.` : `${means}. No verdict: the variants do not send the same messages.`;
  const isKept = sweep && sweep.advised === comparison.baseline;
  const against = sweep ? "the scenario's own" : comparison.baseline;
  return (
    `${isKept ? "Best other setting" : means}, against ${against}. ` +
    `The bar is the ${Math.round(100 * comparison.confidence)}\u00a0% interval; faint if the change is not clear.` +
    (hidden > 0 ? ` ${countOf(hidden, sweep ? "more setting" : "more variant")} below.` : "")
  );
}

// ---- all metrics, folded ----

// States how reliable the verdicts are.
function trustNote({ seeds, tested, false_discovery_rate: rate }: Comparison): string {
  if (seeds < 2) return "One seed gives no intervals: nothing here can be called a difference.";
  return (
    (seeds < 5 ? "Fewer than 5 seeds: intervals are unreliable. " : "") +
    (tested
      ? `Verdicts keep a false discovery rate of ${Math.round(100 * (rate ?? 0.05))} % over ${tested} comparisons (Benjamini-Hochberg); an interval is of its figure alone.`
      : "")
  );
}

// Selects the visible metrics: a comparison may have hundreds.
function filter(metrics: ComparedMetric[], bodies: HTMLElement[]): HTMLElement {
  const isClear = (metric: ComparedMetric) => metric.variants.some((variant) => variant.is_significant);
  const clear = metrics.filter(isClear).length;
  const main = metrics.filter((metric) => metric.is_shown).length;
  const kinds = [
    { text: `the main ${main}`, isShown: (metric: ComparedMetric) => metric.is_shown === true },
    { text: `all ${metrics.length}`, isShown: () => true },
    { text: `${clear} with a clear difference`, isShown: isClear },
  ].slice(main > 0 && main < metrics.length ? 0 : 1);
  const show = (which: number) =>
    metrics.forEach((metric, i) => {
      bodies[i]!.hidden = !kinds[which]!.isShown(metric);
    });
  show(0);
  return h("p", {}, choice("Figures", kinds.map((kind) => kind.text), show));
}

// ---- settings, folded ----

function variantTable(page: Page): HTMLElement {
  return table(
    [{ head: "Variant" }, { head: "Set" }, { head: "Congestion control" }, { head: "Model" }, { head: "Load balancing" }, { head: "Seeds", isNumber: true }],
    page.runs.map((run) => [
      run.name + (run.name === page.comparison?.baseline ? " (baseline)" : ""),
      run.set.length > 0 ? codes(run.set) : h("span", { class: "muted" }, "as in the scenario"),
      run.cc,
      run.model,
      run.lb,
      String(run.seeds.length),
    ]),
    "What the variants changed",
  );
}

// The charts that show one variant at a time.
function chosenVariant(page: Page): HTMLElement {
  const place = h("div", { class: "chosen" });
  const show = (which: number) => {
    const run = page.runs[which]!;
    const group = timeGroup([run]);
    const parts = [figuresSection(run), tuningSection(run, group), h("div", { class: "folds" }, ...foldsOfRun(run, group))];
    place.replaceChildren(...parts.filter((part) => part !== null));
  };
  show(0);
  return h("div", {}, h("p", {}, choice("Variant", page.runs.map((run) => run.name), show)), place);
}

function limitsOf({ sweep, search }: Page): string[] {
  return [
    "Curves over time and link loads are those of the first seed.",
    ...(sweep ? [`Only ${countOf(sweep.settings, "setting")} were tried. The best of many looks better than it is: the same seeds chose it.`] : []),
    ...(search ? ["The search tried one setting at a time. A better one may exist."] : []),
  ];
}

// The baseline, the recommended variant and the next ones: more curves could not be distinguished.
function drawnRuns({ runs, comparison, sweep }: Page): Run[] {
  const most = sweep ? SHOWN_SETTINGS + 1 : SHOWN_VARIANTS;
  if (!comparison || runs.length <= most + 1) return runs;
  const first = recommended(comparison);
  const others = runs.filter(({ name }) => name !== comparison.baseline && name !== first).slice(0, most - 1);
  return runs.filter((run) => run.name === comparison.baseline || run.name === first || others.includes(run));
}

// The whole comparison without its first line, its card and its limits. 'middle' follows the main metrics.
export function comparisonParts(page: Page, ...middle: (HTMLElement | null)[]): (HTMLElement | null)[] {
  const { comparison } = page;
  const runs = drawnRuns(page);
  const hues = huesOf(runs, comparison);
  const group = timeGroup(runs);
  return [
    comparison ? decidingSection(page, comparison, hues) : section("differences", "Figures", nothing("There is nothing to compare.")),
    ...middle,
    timesOfVariants(runs, hues),
    timeSection(runs, hues, group),
    linkSection(page.runs, comparison ? recommended(comparison) : "", group),
  ];
}

export function comparisonSetup(page: Page): HTMLElement {
  if (page.runs.length === 0) return setupSection(page, limitsOf(page));
  return setupSection(
    page,
    limitsOf(page),
    fold("Settings in full", variantTable(page)),
    fold("One variant in detail, and the scenario file", chosenVariant(page)),
  );
}

export function comparePage(page: Page): HTMLElement[] {
  const { runs } = page;
  const files = [...new Set(runs.flatMap((run) => run.files))];
  const hasSweep = page.sweep && page.sweep.points.length > 0;
  const parts = [
    answerCard(answerOf(page), page.comparison && recommended(page.comparison)),
    partial(runs),
    hasSweep ? sweepSection(page.sweep!) : null,
    ...comparisonParts(page),
    comparisonSetup(page),
    footer(page, files),
  ];
  return [topLine(hasSweep ? "sweep" : "comparison", page.title), ...parts.filter((part) => part !== null)];
}
