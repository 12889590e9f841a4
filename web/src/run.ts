// The page of one run.
import type { Page, Run } from "./data";
import { h, section } from "./dom";
import { allFigures, phaseSection, tiles, trafficSection } from "./sections/figures";
import { answerCard, topLine } from "./sections/answer";
import { facts, partial } from "./sections/head";
import { knobSection } from "./sections/knobs";
import { linkSection } from "./sections/links";
import { filesSection, scenarioSection } from "./sections/scenario";
import { cdfsOfRun, sizesOfRun, slowdownSection } from "./sections/slowdown";
import { timeGroup, timeOfRun } from "./sections/time";
import { tuningSection } from "./sections/tuning";
import type { ZoomGroup } from "./charts/zoom";

// What a comparison shows of the variant that was chosen, too.
export function detailsOfRun(run: Run, group: ZoomGroup): (HTMLElement | null)[] {
  return [
    tuningSection(run, group),
    phaseSection(run.phases),
    knobSection(run, group),
    trafficSection(run.traffic),
    linkSection(run, group),
  ];
}

export function runPage(page: Page): HTMLElement[] {
  const run = page.runs[0]!;
  const group = timeGroup([run]);
  const figures = tiles(run);
  figures.append(allFigures(run) ?? "");
  const parts = [
    page.answer ? answerCard(page.answer) : h("h1", {}, page.title),
    partial([run]),
    figures,
    slowdownSection(sizesOfRun(run), cdfsOfRun(run)),
    timeOfRun(run, group),
    ...detailsOfRun(run, group),
    setupSection(run),
    scenarioSection(run),
    filesSection(run.files),
    h("footer", {}, `Made by Anole ${page.version}. The same scenario and seed give the same bytes on every machine.`),
  ];
  return [topLine("run", page.title), ...parts.filter((part) => part !== null)];
}

function setupSection(run: Run): HTMLElement {
  return section("setup", "What was run", facts(run));
}
