// Definitions of metrics and knobs: one sentence each, from the tables of the program.
import type { Metric, Page } from "./data";
import { h } from "./dom";
import { formatSetting, typeset } from "./format";

let sentences: Record<string, string> = {};
let units: Record<string, string> = {};

export function setHelp(page: Page): void {
  sentences = page.help ?? {};
  units = page.units ?? {};
}

export const unitOf = (knob: string): string => units[knob] ?? "";

// Formats the value of a knob with its unit. 0 becomes the knob's word for it, if it has one.
export function knobValue(knob: string, value: number): string {
  const word = value === 0 ? sentences[knob]?.match(/\b0: (automatic|off)\b/)?.[1] : undefined;
  return word ?? formatSetting(value, unitOf(knob));
}

// "background.fct_us_p99" is explained by "fct_us".
export function helpOf(name: string): string {
  const own = name.slice(name.lastIndexOf(".") + 1);
  const text = sentences[own] ?? sentences[own.replace(/_(mean|p50|p99|p999)$/, "")] ?? "";
  return text && `${text.charAt(0).toUpperCase()}${text.slice(1)}${text.endsWith(".") ? "" : "."}`;
}

// The name of a metric or knob. A click opens its definition; this works without scripts, by touch and by
// keyboard.
export function term(name: string, ...label: (string | Node)[]): HTMLElement {
  const text = helpOf(name);
  return text
    ? h("details", { class: "term", title: text }, h("summary", {}, ...label), h("span", { class: "muted" }, text))
    : h("span", {}, ...label);
}

// "p99 slowdown, flows <120KB" has two lines: the metric and its subject. The name opens the definition.
export function figureName({ name, label, better }: Pick<Metric, "name" | "label" | "better">): HTMLElement {
  const [what, ...of] = label.split(", ");
  return h(
    "span",
    { class: "figure" },
    term(name, h("b", {}, /^p\d/.test(what!) ? what! : what!.charAt(0).toUpperCase() + what!.slice(1))),
    h("span", { class: "muted direction" }, [typeset(of.join(", ")), better === "neither" ? "" : `${better} is better`].filter(Boolean).join("; ")),
  );
}
