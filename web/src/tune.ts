// The page of `anole tune`: what was found, what the check says of it, and how the search went.
import type { Page, Search } from "./data";
import { h, nothing, section } from "./dom";
import { countOf } from "./format";
import { answerOf, comparisonParts, footer } from "./compare";
import { answerCard, topLine } from "./sections/answer";
import { partial } from "./sections/head";
import { searchSection } from "./sections/tuning";
import { timeGroupUntil } from "./sections/time";
import { table } from "./table";

function changed(search: Search): HTMLElement {
  if (search.changes.length === 0) return nothing("No knob was changed.");
  return table(
    [{ head: "Knob" }, { head: "Before", isNumber: true }, { head: "Found", isNumber: true }, { head: "Change", isNumber: true }],
    search.changes.map(({ name, from, to, change }) => [h("code", {}, name), from, to, change]),
    "Knobs that the search changed",
  );
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function foundSection(page: Page, search: Search): HTMLElement {
  const checked = page.comparison ? `Checked on ${countOf(page.comparison.seeds, "seed")} that the search did not use. ` : "";
  return section(
    "found",
    "The setting found",
    h(
      "p",
      { class: "hint" },
      `${checked}The search took ${countOf(search.tuning.totals.steps, "interval")} in ${countOf(search.rounds, "round")} (${search.seeds})` +
        `${search.is_over ? "" : " and was not over"}. ` +
        (search.is_kept ? "" : "The previous setting was kept. The new one was not saved."),
    ),
    changed(search),
  );
}

export function tunePage(page: Page): HTMLElement[] {
  const search = page.search!;
  const run = page.runs[0];
  const end = search.tuning.steps.end_us.at(-1) ?? 0;
  const parts = [
    answerCard(answerOf({ ...page, answer: page.answer ?? { ...answerOf(page), finding: `${capital(search.verdict)}.` } })),
    partial(page.runs),
    foundSection(page, search),
    ...(run ? comparisonParts(page) : []),
    searchSection(search.tuning, timeGroupUntil(end)),
    footer(page, []),
  ];
  return [topLine("search for a setting", page.title), ...parts.filter((part) => part !== null)];
}
