// The page of `anole tune`: the check of the setting, the setting, and the search.
import type { Page, Search } from "./data";
import { h, nothing, section } from "./dom";
import { countOf, typeset } from "./format";
import { comparisonParts, comparisonSetup } from "./compare";
import { helpOf } from "./help";
import { answerCard, answerOf, topLine } from "./sections/answer";
import { footer, partial } from "./sections/setup";
import { searchSection } from "./sections/tuning";
import { timeGroupUntil } from "./sections/time";
import { table } from "./table";

function changed(search: Search): HTMLElement {
  if (search.changes.length === 0) return nothing("No knob was changed.");
  return table(
    [{ head: "Knob" }, { head: "Before", isNumber: true }, { head: "Found", isNumber: true }, { head: "Change", isNumber: true }, { head: "What it does" }],
    search.changes.map(({ name, from, to, change }) => [
      h("code", {}, name),
      h("s", { class: "muted" }, typeset(from)),
      h("b", {}, typeset(to)),
      typeset(change),
      h("span", { class: "about muted" }, helpOf(name)),
    ]),
    "Knobs that the search changed",
    "stack",
  );
}

function foundSection(search: Search): HTMLElement {
  return section(
    "found",
    "The setting found",
    h(
      "p",
      { class: "hint" },
      `Only what changes. The search took ${countOf(search.tuning.totals.steps, "interval")} in ${countOf(search.rounds, "round")} (${search.seeds})` +
        `${search.is_over ? "" : " and was not over"}. ` +
        (search.is_kept ? "" : "The previous setting was kept. The new one was not saved."),
    ),
    h("div", { class: "card" }, changed(search)),
  );
}

export function tunePage(page: Page): HTMLElement[] {
  const search = page.search!;
  const found = foundSection(search);
  const end = search.tuning.steps.end_us.at(-1) ?? 0;
  const parts = [
    answerCard(answerOf(page)),
    partial(page.runs),
    ...(page.runs.length > 0 ? comparisonParts(page, found) : [found]),
    searchSection(search.tuning, timeGroupUntil(end)),
    comparisonSetup(page),
    footer(page, []),
  ];
  return [topLine("search for a setting", page.title), ...parts.filter((part) => part !== null)];
}
