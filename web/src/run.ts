// The page of one run.
import type { Page, Run } from "./data";
import { h } from "./dom";
import { allFigures, phaseSection, tiles, trafficSection } from "./sections/figures";
import { facts, head, partial } from "./sections/head";
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
  const top = head(page);
  top.append(facts(run), partial([run]) ?? "");
  const figures = tiles(run);
  figures.append(allFigures(run) ?? "");
  const parts = [
    figures,
    slowdownSection(sizesOfRun(run), cdfsOfRun(run)),
    timeOfRun(run, group),
    ...detailsOfRun(run, group),
    scenarioSection(run),
    filesSection(run.files),
  ];
  return [top, ...parts.filter((part) => part !== null), h("footer", {}, `Made by anole ${page.version}.`)];
}
