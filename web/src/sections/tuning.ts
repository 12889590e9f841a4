// The measurements, decisions and settings of a tuner, on the time axis of all charts.
import type { KnobLine, Num, Run, Tuning } from "../data";
import { fold, h, nothing, section, svg } from "../dom";
import { countOf, digits, format, NONE, plain } from "../format";
import { shadesOf } from "../shades";
import { queuesText } from "../queues";
import { table } from "../table";
import { chart, type Curve } from "../charts/chart";
import { markColours, phaseColour, UtilityChart } from "../charts/utility";
import type { ZoomGroup } from "../charts/zoom";
import { marks, measuredText, phaseOf, setTexts, thetaOf, verdicts } from "../tuning";
import { DecisionTable } from "./decisions";
import { twinsPart } from "./twins";
import { codes } from "./head";
import { changedKnobs } from "./knobs";
import { queuesPart } from "./queues";

type Tuned = Pick<Run, "tuning" | "windows" | "outages" | "knobs">;

const THETA_HUE = 14; // grey and dashed
const POINTS_MAX = 40;

const hasValues = (values: Num[]) => values.some((value) => value !== null);

// ---- the tuner

function summaryText({ totals, steps, queues }: Tuning): string {
  const left = totals.steps - steps.end_us.length;
  const rest = left > 0 ? ` ${countOf(left, "interval is", "intervals are")} left out here; tuning.jsonl has all.` : "";
  if (queues) return `${countOf(totals.steps, "interval")}; thresholds: ${queuesText(queues)}${rest}`;
  return (
    `${countOf(totals.steps, "interval")}, ${countOf(totals.searches, "search", "searches")}, ` +
    `${countOf(totals.accepted, "setting")} accepted, ${totals.rejected.toLocaleString("en-US")} rejected.` +
    rest
  );
}

function optionText(value: string | Num): string {
  return typeof value === "string" ? value : plain(value);
}

function tunerText(tuning: Tuning): HTMLElement {
  const given = tuning.options.filter((option) => option.is_given);
  return h(
    "div",
    { class: "tuner" },
    h("p", {}, h("strong", {}, tuning.tuner), tuning.about && `: ${tuning.about}`),
    given.length > 0 && codes(given.map((option) => `${option.name}=${optionText(option.value)}`)),
    h("p", { class: "muted" }, summaryText(tuning)),
  );
}

function optionFold(tuning: Tuning): HTMLElement | null {
  if (tuning.options.length === 0) return null;
  return fold(
    `All options of ${tuning.tuner}`,
    table(
      [{ head: "Option" }, { head: "Value", isNumber: true }, { head: "Given" }, { head: "Meaning" }],
      tuning.options.map((option) => [
        option.name,
        optionText(option.value),
        option.is_given ? "yes" : "",
        h("span", { class: "about muted" }, option.about),
      ]),
      `Options of ${tuning.tuner}`,
      "stack",
    ),
  );
}

// ---- the step under the cursor

function stepText(tuning: Tuning, i: number): (Node | string)[] {
  const { steps } = tuning;
  const said = [phaseOf(tuning, i), verdicts[steps.verdict[i]!]!, measuredText(tuning, i)];
  const what = said.filter((text) => text !== "");
  const sets = setTexts(tuning, i);
  return [
    h(
      "p",
      {},
      h("strong", {}, `${format(steps.start_us[i]!, "us")} – ${format(steps.end_us[i]!, "us")}`),
      what.length > 0 && `: ${what.join("; ")}`,
    ),
    h("p", {}, steps.why[i]),
    sets.length > 0 ? codes(sets) : h("p", { class: "muted" }, "Nothing was set."),
  ];
}

// The legend of the signs in the chart.
function key(tuning: Tuning): HTMLElement {
  const used = [1, 2, 3].filter((verdict) => tuning.steps.verdict.includes(verdict));
  return h(
    "p",
    { class: "key" },
    ...used.map((verdict) =>
      h("span", {}, h("i", { class: `mark ${markColours[verdict]}` }, marks[verdict]), verdicts[verdict]),
    ),
    ...tuning.phases.map((name) =>
      h(
        "span",
        {},
        svg(
          "svg",
          { width: 14, height: 10, "aria-hidden": "true" },
          svg("rect", { width: 14, height: 10, stroke: "var(--line)", fill: `var(--${phaseColour(name)})` }),
        ),
        name,
      ),
    ),
  );
}

// The chart, the text and the table always show the same step.
function utilityAndTable(tuning: Tuning, group: ZoomGroup): { figure: HTMLElement; table: HTMLElement } {
  const hint = "Point at a step to see why; a click, or Enter, goes to its row in the table.";
  const readout = h("div", { class: "readout" }, hint);
  let picked: number | null = null;
  const tell = (i: number | null) =>
    readout.replaceChildren(...(i === null ? [hint] : stepText(tuning, i)));
  const rows = new DecisionTable(tuning, (i) => {
    picked = i;
    utility.show(i);
    tell(i);
  });
  const utility = new UtilityChart(
    tuning,
    {
      point: (i) => tell(i ?? picked),
      pick: (i, isKey) => {
        picked = i;
        rows.reveal(i, isKey);
        tell(i);
      },
    },
    group,
  );
  utility.figure.append(key(tuning), readout);
  return { figure: utility.figure, table: rows.element };
}

// ---- flow sizes

function elephantChart(run: Tuned, tuning: Tuning, group: ZoomGroup): HTMLElement | null {
  const { steps } = tuning;
  if (!hasValues(steps.elephants)) return null;
  return chart({
    title: "Elephants, of all flows",
    group,
    windows: shadesOf(run),
    hasPoints: steps.end_us.length <= POINTS_MAX,
    x: { label: "time", unit: "us", values: steps.end_us },
    y: { unit: "share" },
    curves: [{ label: "elephants", values: steps.elephants }],
  });
}

// A logarithmic axis has no 0: values far below theta are drawn at the bottom.
function divergenceChart(run: Tuned, tuning: Tuning, group: ZoomGroup): HTMLElement | null {
  const { steps } = tuning;
  if (!hasValues(steps.divergence)) return null;
  const theta = thetaOf(tuning);
  const floor = (theta ?? 0.01) / 1000;
  const write = (value: Num) =>
    value === null ? NONE : value <= floor ? `≤ ${plain(floor)}` : digits(value);
  const values = steps.divergence.map((value) => (value === null ? null : Math.max(value, floor)));
  const curves: Curve[] = [{ label: "divergence", values }];
  if (theta !== null)
    curves.push({ label: "theta", values: steps.end_us.map(() => theta), hue: THETA_HUE, width: 1 });
  return chart({
    title: "Divergence of flow sizes",
    note: theta === null ? undefined : `a search begins above theta = ${plain(theta)}`,
    group,
    windows: shadesOf(run),
    hasPoints: steps.end_us.length <= POINTS_MAX,
    x: { label: "time", unit: "us", values: steps.end_us },
    y: { unit: "", isLog: true, write },
    curves,
  });
}

// The knobs as a search set them, from its steps.
export function knobsOfSearch(tuning: Tuning): KnobLine[] {
  const lines = tuning.knobs.map(({ name, unit }): KnobLine => ({ name, unit, at_us: [], values: [] }));
  tuning.steps.set.forEach((sets, i) => {
    for (const [knob, to, from] of sets) {
      const line = lines[knob]!;
      if (line.at_us.length === 0) {
        line.at_us.push(0);
        line.values.push(from);
      }
      line.at_us.push(tuning.steps.end_us[i]!);
      line.values.push(to);
    }
  });
  return lines.filter((line) => line.at_us.length > 0);
}

// A search outside a displayed run: its rounds follow each other on its clock.
export function searchSection(tuning: Tuning, group: ZoomGroup): HTMLElement | null {
  return tuningSection({ tuning, windows: [], knobs: knobsOfSearch(tuning) }, group);
}

// The chart of the search is visible; flow sizes, knobs and the table of decisions are folded.
export function tuningSection(run: Tuned, group: ZoomGroup): HTMLElement | null {
  const { tuning } = run;
  if (!tuning) return null;
  const parts: (HTMLElement | null)[] = [tunerText(tuning)];
  if (tuning.steps.end_us.length === 0) parts.push(nothing("The run ended before its first interval did."));
  else {
    const { figure, table: decisions } = utilityAndTable(tuning, group);
    const sizes = [elephantChart(run, tuning, group), divergenceChart(run, tuning, group)].filter((made) => made !== null);
    parts.push(
      hasValues(tuning.steps.utility) ? figure : nothing("The tuner measured no utility."),
      twinsPart(tuning.twins ?? []),
      h(
        "div",
        { class: "folds" },
        fold("Decisions, step by step", decisions),
        fold(tuning.queues ? "Thresholds of queues" : "Knobs over time", queuesPart(run, tuning, group) ?? changedKnobs(run, group)),
        sizes.length > 0 && fold("Flow sizes over time", h("div", { class: "charts" }, ...sizes)),
        optionFold(tuning),
      ),
    );
  }
  return section("tuning", "What the tuner did", ...parts);
}
