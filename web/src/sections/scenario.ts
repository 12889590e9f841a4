// The scenario's text, and the files beside the page.
import type { Run } from "../data";
import { h, section } from "../dom";

export function scenarioSection(run: Run): HTMLElement {
  return section(
    "scenario",
    "Scenario",
    h("details", {}, h("summary", {}, "Scenario as used"), h("pre", {}, run.scenario || "(empty)")),
  );
}

export function filesSection(files: string[]): HTMLElement | null {
  if (files.length === 0) return null;
  return section(
    "files",
    "Files",
    h("ul", { class: "files" }, ...files.map((name) => h("li", {}, h("a", { href: encodeURI(name) }, name)))),
  );
}
