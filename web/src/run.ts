// The page of one run.
import type { Page } from "./data";
import { figuresSection } from "./sections/figures";
import { answerCard, answerOf, topLine } from "./sections/answer";
import { foldsOfRun, footer, partial, setupSection } from "./sections/setup";
import { linkSection } from "./sections/links";
import { timesOfRun } from "./sections/slowdown";
import { timeGroup, timeSection } from "./sections/time";
import { tuningSection } from "./sections/tuning";

export function runPage(page: Page): HTMLElement[] {
  const run = page.runs[0]!;
  const group = timeGroup([run]);
  const parts = [
    answerCard(answerOf(page)),
    partial([run]),
    figuresSection(run),
    timesOfRun(run),
    timeSection([run], new Map([[run.name, 0]]), group),
    tuningSection(run, group),
    linkSection([run], run.name, group),
    setupSection(page, ["One seed: other seeds give other numbers. Compare settings over several."], ...foldsOfRun(run, group)),
    footer(page, run.files),
  ];
  return [topLine("run", page.title), ...parts.filter((part) => part !== null)];
}
