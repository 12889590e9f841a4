// The page of a comparison: the answer, the figures that decide, and pictures that explain why.
import type { Answer, ComparedMetric, Comparison, Page, Run } from "./data";
import { choice, h, nothing, scrollBox, section } from "./dom";
import { axisFor, axisHead, changeText, effect, intervalText, valuesText, type Compared } from "./effects";
import { countOf, format, formatChange } from "./format";
import { detailsOfRun } from "./run";
import { answerCard, topLine } from "./sections/answer";
import { codes, facts, partial } from "./sections/head";
import { busiestLinks, topologyOnly } from "./sections/links";
import { sweepSection } from "./sections/sweep";
import { scenarioSection } from "./sections/scenario";
import { cdfsOfVariants, mainCdfs, sizesOfVariants } from "./sections/slowdown";
import { mainTimes, timeGroup, timeOfVariants } from "./sections/time";
import { table } from "./table";
import { BASELINE_HUE, curveColour } from "./theme";
import { whiskerAxis, whiskerRange, whiskers } from "./whiskers";

const LONG_NAME = 12; // on a phone such a name has a line of its own
const SHOWN_VARIANTS = 3; // in the table of the figures that decide, besides the baseline

// Said in words and a sign, so that it does not depend on colour.
export function verdict(
  metric: ComparedMetric,
  variant: Compared,
): { sign: string; text: string; kind: string } {
  if (!variant.is_significant) return { sign: "", text: "not clear", kind: "same" };
  if (variant.is_better) return { sign: "✓ ", text: "better", kind: "better" };
  if (metric.better === "neither") return { sign: "≠ ", text: "different", kind: "other" };
  return { sign: "✕ ", text: "worse", kind: "worse" };
}

// ---- variants and their colours ----

// The variant that the finding names first is the recommended one.
export function recommended({ answer, baseline, metrics }: Comparison): string {
  const names = metrics[0]?.variants.map(({ name }) => name).filter((name) => name !== baseline) ?? [];
  const said = answer?.finding ?? "";
  return names.find((name) => said.startsWith(`Use ${name}`)) ?? names[0] ?? baseline;
}

// The baseline is grey, the recommended variant has the accent, the others come after it.
export function huesOf(runs: Run[], comparison?: Comparison): Map<string, number> {
  const first = comparison ? recommended(comparison) : "";
  const hues = new Map<string, number>();
  let next = 1;
  for (const { name } of runs)
    hues.set(name, name === comparison?.baseline ? BASELINE_HUE : name === first ? 0 : next++ === BASELINE_HUE ? next++ : next - 1);
  return hues;
}

function variantKey(runs: Run[], hues: Map<string, number>): HTMLElement {
  return h(
    "p",
    { class: "variant-key" },
    ...runs.map(({ name }) =>
      h("span", {}, h("i", { style: `background:${curveColour(hues.get(name)!)}` }), name),
    ),
  );
}

// ---- the figures that decide ----

// "p99 slowdown, flows <120KB" has two lines.
function figureHead(metric: ComparedMetric, rows: number): HTMLElement {
  const [name, ...of] = metric.label.split(", ");
  return h(
    "th",
    { scope: "rowgroup", rowspan: rows, class: "fig" },
    h("b", {}, name!.replace(/^[a-oq-z]/, (letter) => letter.toUpperCase())),
    h("span", { class: "muted" }, [of.join(", "), metric.better === "neither" ? "" : `${metric.better} is better`].filter(Boolean).join("; ")),
  );
}

function decidingRows(metric: ComparedMetric, shown: string[], base: Compared, axis: ReturnType<typeof axisFor>, hues: Map<string, number>): HTMLElement[] {
  const variants = shown.flatMap((name) => metric.variants.filter((variant) => variant.name === name));
  return variants.map((variant, i) => {
    const { sign, text, kind } = verdict(metric, variant);
    const hue = hues.get(variant.name) ?? 0;
    return h(
      "tr",
      { class: i === variants.length - 1 ? "last" : null, "data-metric": metric.name, "data-variant": variant.name },
      i === 0 && figureHead(metric, variants.length),
      h("td", { class: `vn hue-${hue}` }, variant.name),
      h("td", { class: "number val" }, valuesText(metric, base, variant)),
      h("td", { class: "pl" }, effect(metric, variant, axis, hue)),
      h("td", { class: "number chg" }, h("b", {}, changeText(variant.change))),
      h("td", { class: "number iv muted" }, intervalText(variant)),
      h("td", { class: "vd" }, h("span", { class: kind }, sign + text)),
    );
  });
}

// Variants with other flows are shown side by side: means alone, and no word about better or worse.
function sideBySide(metrics: ComparedMetric[]): HTMLElement {
  const names = metrics[0]?.variants.map(({ name }) => name) ?? [];
  return scrollBox(
    h(
      "table",
      { class: "side" },
      h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Figure"), ...names.map((name) => h("th", { scope: "col", class: "number" }, name)))),
      h(
        "tbody",
        {},
        ...metrics.map((metric) =>
          h("tr", {}, h("th", { scope: "row" }, metric.label), ...metric.variants.map(({ mean }) => h("td", { class: "number" }, format(mean, metric.unit)))),
        ),
      ),
    ),
  );
}

function decidingMetrics({ deciding, metrics }: Comparison): ComparedMetric[] {
  const chosen = (deciding ?? []).flatMap((name) => metrics.filter((metric) => metric.name === name));
  return chosen.length > 0 ? chosen : metrics.filter((metric) => metric.is_shown).slice(0, 6);
}

const hasPairs = ({ verdicts, baseline }: Comparison) =>
  !verdicts || verdicts.some(({ name, has_same_flows }) => name !== baseline && has_same_flows !== false);

function decidingSection(comparison: Comparison, hues: Map<string, number>): HTMLElement {
  const { baseline, metrics } = comparison;
  if (metrics.length === 0) return section("differences", "The figures that decide", nothing("There is nothing to compare."));
  const chosen = decidingMetrics(comparison);
  const others = metrics[0]!.variants.map(({ name }) => name).filter((name) => name !== baseline);
  const shown = [recommended(comparison), ...others.filter((name) => name !== recommended(comparison))].slice(0, SHOWN_VARIANTS);
  const axis = axisFor(chosen);
  const isJudged = hasPairs(comparison) && others.length > 0;
  const heads = ["Figure", "Setting", `${baseline} → this setting`];
  const body = isJudged
    ? h(
        "table",
        { class: "deciding" },
        h(
          "thead",
          {},
          h(
            "tr",
            {},
            ...heads.map((text, i) => h("th", { scope: "col", class: i === 2 ? "number" : null }, text)),
            h("th", { class: "pl", scope: "col" }, h("span", { class: "unseen" }, "Change, drawn: better is right"), axisHead(axis)),
            ...["Change", `${Math.round(100 * comparison.confidence)} % interval`].map((text) => h("th", { scope: "col", class: "number" }, text)),
            h("th", { scope: "col" }, "Verdict"),
          ),
        ),
        ...chosen.map((metric) => {
          const base = metric.variants.find(({ name }) => name === baseline)!;
          return h("tbody", {}, ...decidingRows(metric, shown, base, axis, hues));
        }),
      )
    : sideBySide(chosen);
  return section(
    "differences",
    isJudged ? "The figures that decide" : "Side by side",
    h("p", { class: "hint" }, decidingNote(comparison, isJudged, others.length - shown.length)),
    h("div", { class: "card" }, isJudged && h("div", { class: "ax-phone" }, axisHead(axis)), body, allFigures(comparison)),
  );
}

function decidingNote(comparison: Comparison, isJudged: boolean, hidden: number): string {
  const means = `Mean of ${countOf(comparison.seeds, "seed")}`;
  if (!isJudged) return `${means}. No verdict: the variants do not send the same messages.`;
  return (
    `${means}, against ${comparison.baseline}. The bar is the ${Math.round(100 * comparison.confidence)} % interval; faint if the change is not clear.` +
    (hidden > 0 ? ` ${countOf(hidden, "more variant")} below.` : "")
  );
}

// ---- all figures, folded ----

function meanInterval(metric: ComparedMetric, variant: Compared): HTMLElement {
  const { low, high } = variant;
  return h("span", { class: "interval" }, low === null || high === null ? "" : `${format(low, metric.unit)} … ${format(high, metric.unit)}`);
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
          h("span", { class: "muted direction" }, metric.better === "neither" ? "" : `${metric.better} is better`),
        ),
      h("td", variant.name.length > LONG_NAME ? { class: "long" } : {}, variant.name),
      h("td", { class: "number mean" }, format(variant.mean, metric.unit)),
      h("td", { class: "number" }, meanInterval(metric, variant)),
      h("td", { class: "number change" }, isBaseline ? h("span", { class: "muted" }, "baseline") : formatChange(variant.change)),
      h("td", { class: "whiskers" }, isBaseline ? "" : whiskers(variant, range)),
      h("td", { class: "verdict" }, isBaseline || variant.change === null ? "" : h("span", { class: kind }, sign + text)),
    );
  });
}

// How far the verdicts can be trusted.
function trustNote({ seeds, tested, false_discovery_rate: rate }: Comparison): string {
  if (seeds < 2) return "One seed gives no intervals: nothing here can be called a difference.";
  return (
    (seeds < 5 ? "Fewer than 5 seeds: intervals are unreliable. " : "") +
    (tested
      ? `Verdicts keep a false discovery rate of ${Math.round(100 * (rate ?? 0.05))} % over ${tested} comparisons (Benjamini-Hochberg); an interval is of its figure alone.`
      : "")
  );
}

function allFigures(comparison: Comparison): HTMLElement {
  const range = whiskerRange(comparison.metrics);
  const percent = `${Math.round(100 * comparison.confidence)} %`;
  const heads = ["Figure", "Variant", "Mean", `${percent} interval`, "Change"].map((text, i) =>
    h("th", { scope: "col", class: i > 1 ? "number" : null }, text),
  );
  const bodies = comparison.metrics.map((metric) => h("tbody", {}, ...metricRows(metric, comparison.baseline, range)));
  return h(
    "details",
    { class: "more" },
    h("summary", {}, `All ${comparison.metrics.length} figures`),
    h(
      "p",
      { class: "hint" },
      trustNote(comparison) +
        (comparison.metrics.some(({ name }) => name.includes("slowdown"))
          ? " Slowdown: FCT ÷ FCT of the same flow alone in the network."
          : ""),
    ),
    filter(comparison.metrics, bodies),
    scrollBox(
      h(
        "table",
        { class: "compare" },
        h("thead", {}, h("tr", {}, ...heads, h("th", { class: "whiskers", scope: "col" }, whiskerAxis(range)), h("th", { scope: "col" }, "Verdict"))),
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
  return h("p", {}, choice("Figures", kinds.map((kind) => kind.text), show));
}

// ---- pictures ----

function timesSection(runs: Run[], hues: Map<string, number>): HTMLElement {
  const main = mainCdfs(runs, hues);
  if (main.length === 0 && runs.every((run) => run.cdfs.length === 0))
    return section("completion", "How long messages take", nothing("There are no distributions: nothing finished that could be counted."));
  return section(
    "completion",
    "How long messages take",
    h("p", { class: "hint" }, "Further left is better. All seeds together."),
    variantKey(runs, hues),
    h("div", { class: "charts three" }, ...main),
    h(
      "details",
      { class: "more" },
      h("summary", {}, "Slowdown by message size, and all distributions"),
      h("p", { class: "hint" }, "Quantiles by size are means over seeds."),
      h("div", { class: "charts" }, sizesOfVariants(runs), ...cdfsOfVariants(runs)),
    ),
  );
}

function overTimeSection(runs: Run[], hues: Map<string, number>): HTMLElement {
  const group = timeGroup(runs);
  const main = mainTimes(runs, group, hues);
  if (!main) return section("time", "Over time", nothing("Nothing was recorded over time."));
  return section(
    "time",
    "Over time",
    h("p", { class: "hint" }, main.note),
    variantKey(runs, hues),
    h("div", { class: "charts three" }, ...main.charts),
    main.quiet,
    h("details", { class: "more" }, h("summary", {}, "All curves over time"), timeOfVariants(runs, group)),
  );
}

function linkLoad(page: Page): HTMLElement | null {
  const runs = page.runs.filter((run) => run.topology && run.topology.links.length > 0);
  if (runs.length === 0) return null;
  const first = Math.max(0, runs.findIndex((run) => page.comparison && run.name === recommended(page.comparison)));
  const place = h("div", { class: "link-load" });
  const show = (which: number) => place.replaceChildren(topologyOnly(runs[which]!), busiestLinks(runs[which]!));
  show(first);
  return section(
    "load",
    "Link load",
    h("p", { class: "hint" }, "First seed. Each half of a line is one direction, drawn from its sender."),
    h("div", { class: "card" }, runs.length > 1 && h("p", {}, choice("Variant", runs.map((run) => run.name), show, first)), place),
  );
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

// Everything that is shown of one variant at a time.
function chosenVariant(page: Page): HTMLElement {
  const place = h("div", { class: "chosen" });
  const show = (which: number) => {
    const run = page.runs[which]!;
    const parts = [...detailsOfRun(run, timeGroup([run])), scenarioSection(run)];
    place.replaceChildren(...parts.filter((part) => part !== null));
  };
  show(0);
  return h("div", {}, h("p", {}, choice("Variant", page.runs.map((run) => run.name), show)), place);
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

function settingsSection(page: Page): HTMLElement {
  return section(
    "variants",
    "Settings, scenario and limits",
    h("details", { class: "more" }, h("summary", {}, "Settings in full"), facts(inCommon(page.runs)), variantTable(page)),
    h("details", { class: "more" }, h("summary", {}, "One variant in detail, and the scenario file"), chosenVariant(page)),
    h(
      "details",
      { class: "more" },
      h("summary", {}, "Limits of this comparison"),
      h(
        "ul",
        {},
        h("li", {}, "This is a simulation: no setting here has run on a real NIC or switch."),
        h("li", {}, "It holds for the network and the traffic above. Other loads, sizes and topologies were not tested."),
        h("li", {}, "Curves over time and link loads are those of the first seed."),
      ),
    ),
  );
}

// The baseline, the recommended variant and the next ones: more curves could not be told apart.
function drawnRuns({ runs, comparison }: Page): Run[] {
  if (!comparison || runs.length <= SHOWN_VARIANTS + 1) return runs;
  const first = recommended(comparison);
  const others = runs.filter(({ name }) => name !== comparison.baseline && name !== first).slice(0, SHOWN_VARIANTS - 1);
  return runs.filter((run) => run.name === comparison.baseline || run.name === first || others.includes(run));
}

// Everything of a comparison but its first line and its card.
export function comparisonParts(page: Page): (HTMLElement | null)[] {
  const { comparison } = page;
  const runs = drawnRuns(page);
  const hues = huesOf(runs, comparison);
  return [
    comparison ? decidingSection(comparison, hues) : section("differences", "Figures", nothing("There is nothing to compare.")),
    timesSection(runs, hues),
    overTimeSection(runs, hues),
    linkLoad(page),
    settingsSection(page),
  ];
}

// An answer of a page that an older program has made: the sentences about its variants.
export function answerOf(page: Page): Answer {
  const told = page.answer ?? page.comparison?.answer;
  if (told) return told;
  const sentences = (page.comparison?.verdicts ?? []).filter(({ name }) => name !== page.comparison?.baseline).map(({ text }) => text);
  return { finding: sentences[0] ?? page.title, detail: sentences.slice(1, 4).join(" ") || null, cost: null, certainty: null, network: null, traffic: null, settings: null, next: null, command: null };
}

export function footer(page: Page, files: string[]): HTMLElement {
  const row = (name: string, ...value: (string | Node)[]) => h("div", {}, h("dt", {}, name), h("dd", {}, ...value));
  const links = files.flatMap((name, i) => [i ? " · " : "", h("a", { href: encodeURI(name) }, name)]);
  return h(
    "footer",
    {},
    h("dl", {}, row("Made by", `Anole ${page.version}, packet-level simulation. The same scenario and seeds give the same bytes on every machine.`), files.length > 0 ? row("Data", ...links) : null),
  );
}

export function comparePage(page: Page): HTMLElement[] {
  const { runs } = page;
  const files = [...new Set(runs.flatMap((run) => run.files))];
  const hasSweep = page.sweep && page.sweep.points.length > 0;
  const parts = [
    answerCard(answerOf(page)),
    partial(runs),
    hasSweep ? sweepSection(page.sweep!) : null,
    ...comparisonParts(page),
    footer(page, files),
  ];
  return [topLine(hasSweep ? "sweep" : "comparison", page.title), ...parts.filter((part) => part !== null)];
}
