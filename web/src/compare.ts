// The page of a comparison.
import type { ComparedMetric, Comparison, Page, Run } from "./data";
import { choice, h, nothing, scrollBox, section } from "./dom";
import { countOf, format, formatChange } from "./format";
import { detailsOfRun } from "./run";
import { codes, facts, head, partial } from "./sections/head";
import { sweepSection } from "./sections/sweep";
import { filesSection, scenarioSection } from "./sections/scenario";
import { cdfsOfVariants, sizesOfVariants, slowdownSection } from "./sections/slowdown";
import { timeGroup, timeOfVariants } from "./sections/time";
import { table } from "./table";
import { whiskerAxis, whiskerRange, whiskers } from "./whiskers";

type Compared = ComparedMetric["variants"][number];

const LONG_NAME = 12; // on a phone such a name has a line of its own

// Said in words and a sign, so that it does not depend on colour.
export function verdict(
  metric: ComparedMetric,
  variant: Compared,
): { sign: string; text: string; kind: string } {
  if (!variant.is_significant) return { sign: "·", text: "no clear difference", kind: "same" };
  if (variant.is_better) return { sign: "✓", text: "better", kind: "better" };
  if (metric.better === "neither") return { sign: "≠", text: "different", kind: "other" };
  return { sign: "✗", text: "worse", kind: "worse" };
}

function intervalText(metric: ComparedMetric, variant: Compared): HTMLElement {
  const { low, high } = variant;
  return h(
    "span",
    { class: "interval" },
    low === null || high === null ? "" : `${format(low, metric.unit)} … ${format(high, metric.unit)}`,
  );
}

function metricRows(metric: ComparedMetric, baseline: string, range: number): HTMLElement[] {
  return metric.variants.map((variant, i) => {
    const isBaseline = variant.name === baseline;
    const { sign, text, kind } = verdict(metric, variant);
    return h(
      "tr",
      { class: isBaseline ? "baseline" : kind, "data-metric": metric.name, "data-variant": variant.name },
      i === 0 &&
        h(
          "th",
          { scope: "rowgroup", rowspan: metric.variants.length },
          metric.label,
          h(
            "span",
            { class: "muted direction" },
            metric.better === "neither" ? "" : `${metric.better} is better`,
          ),
        ),
      h("td", variant.name.length > LONG_NAME ? { class: "long" } : {}, variant.name),
      h("td", { class: "number mean" }, format(variant.mean, metric.unit)),
      h("td", { class: "number" }, intervalText(metric, variant)),
      h(
        "td",
        { class: "number change" },
        isBaseline ? h("span", { class: "muted" }, "baseline") : formatChange(variant.change),
      ),
      h("td", { class: "whiskers" }, isBaseline ? "" : whiskers(variant, range)),
      h("td", { class: "verdict" }, isBaseline ? "" : h("span", { class: kind }, `${sign} ${text}`)),
    );
  });
}

// One sentence a variant, before all numbers.
function verdicts({ verdicts: told, baseline }: Comparison): HTMLElement | null {
  const others = (told ?? []).filter(({ name }) => name !== baseline);
  if (others.length === 0) return null;
  return h("ul", { class: "verdicts" }, ...others.map(({ text }) => h("li", {}, text)));
}

// How far the verdicts can be trusted.
function trustNote({ seeds, confidence, metrics }: Comparison): string {
  if (seeds < 2) return "One seed gives no intervals: nothing here can be called a difference.";
  const judged = metrics.reduce((sum, metric) => sum + Math.max(0, metric.variants.length - 1), 0);
  const byChance = Math.round(judged * (1 - confidence));
  return (
    (seeds < 5 ? "Fewer than 5 seeds: do not trust the intervals. " : "") +
    `Each is judged alone; of ${judged} without any difference about ${byChance} would be marked.`
  );
}

function differences(comparison: Comparison): HTMLElement {
  if (comparison.metrics.length === 0)
    return section("differences", "Differences", nothing("There is nothing to compare."));
  const range = whiskerRange(comparison.metrics);
  const percent = format(comparison.confidence, "share").replace(/\.0+(?=\D)/, "");
  const heads = ["Figure", "Variant", "Mean", `${percent} interval`, "Change"].map((text, i) =>
    h("th", { scope: "col", class: i > 1 ? "number" : null }, text),
  );
  const note =
    `Means over ${countOf(comparison.seeds, "seed")} with ${percent} confidence intervals; changes are to ` +
    `“${comparison.baseline}”, drawn with their intervals. ` +
    trustNote(comparison) +
    (comparison.metrics.some(({ name }) => name.includes("slowdown"))
      ? " Slowdown: FCT ÷ FCT of the same flow alone in the network."
      : "");
  const bodies = comparison.metrics.map((metric) =>
    h("tbody", {}, ...metricRows(metric, comparison.baseline, range)),
  );
  return section(
    "differences",
    "Differences",
    verdicts(comparison),
    h("p", { class: "hint" }, note),
    filter(comparison.metrics, bodies),
    scrollBox(
      h(
        "table",
        { class: "compare" },
        h(
          "thead",
          {},
          h(
            "tr",
            {},
            ...heads,
            h("th", { class: "whiskers", scope: "col" }, whiskerAxis(range)),
            h("th", { scope: "col" }, "Verdict"),
          ),
        ),
        ...bodies,
      ),
    ),
  );
}

// A comparison may have hundreds of figures: which of them are shown.
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
  return h(
    "p",
    {},
    choice(
      "Figures",
      kinds.map((kind) => kind.text),
      show,
    ),
  );
}

function variantTable(page: Page): HTMLElement {
  return section(
    "variants",
    "Variants",
    table(
      [
        { head: "Variant" },
        { head: "Set" },
        { head: "Congestion control" },
        { head: "Model" },
        { head: "Load balancing" },
        { head: "Seeds", isNumber: true },
      ],
      page.runs.map((run) => [
        run.name + (run.name === page.comparison?.baseline ? " (baseline)" : ""),
        run.set.length > 0 ? codes(run.set) : h("span", { class: "muted" }, "as in the scenario"),
        run.cc,
        run.model,
        run.lb,
        String(run.seeds.length),
      ]),
      "What the variants changed",
    ),
  );
}

// Everything that is shown of one variant at a time.
function chosenVariant(page: Page): HTMLElement {
  const place = h("div", { class: "chosen" });
  const show = (which: number) => {
    const run = page.runs[which]!;
    const parts = [...detailsOfRun(run, timeGroup([run])), scenarioSection(run)];
    place.replaceChildren(...parts.filter((part) => part !== null));
  };
  show(0);
  return section(
    "variant",
    "One variant",
    h(
      "p",
      {},
      choice(
        "Variant",
        page.runs.map((run) => run.name),
        show,
      ),
    ),
    place,
  );
}

// What is said of all variants; where they differ, the table of variants says how.
function inCommon(runs: Run[]): Run {
  const same = (key: "cc" | "lb" | "model" | "fidelity") => runs.every((run) => run[key] === runs[0]![key]);
  const isSameCc = same("cc") && same("model");
  return {
    ...runs[0]!,
    tuning: null,
    set: [],
    cc: isSameCc ? runs[0]!.cc : "",
    fidelity: same("fidelity") ? runs[0]!.fidelity : undefined,
    lb: same("lb") ? runs[0]!.lb : "",
    model: isSameCc ? runs[0]!.model : "",
  };
}

// Everything of a comparison but its head.
export function comparisonParts(page: Page): (HTMLElement | null)[] {
  const { runs, comparison } = page;
  return [
    comparison
      ? differences(comparison)
      : section("differences", "Differences", nothing("There is nothing to compare.")),
    variantTable(page),
    slowdownSection(sizesOfVariants(runs), cdfsOfVariants(runs)),
    timeOfVariants(runs, timeGroup(runs)),
    chosenVariant(page),
  ];
}

export function comparePage(page: Page): HTMLElement[] {
  const { runs } = page;
  const top = head(page);
  top.append(facts(inCommon(runs)), partial(runs) ?? "");
  const files = [...new Set(runs.flatMap((run) => run.files))];
  const parts = [
    page.sweep && page.sweep.points.length > 0 ? sweepSection(page.sweep) : null,
    ...comparisonParts(page),
    filesSection(files),
  ];
  return [top, ...parts.filter((part) => part !== null), h("footer", {}, `Made by anole ${page.version}.`)];
}
