// The trials: each with its reason, its evidence, and the time of its steps.
import { h } from "../dom";
import { format } from "../format";
import { table } from "../table";
import { codes } from "./map";
import { knobTexts, type Decision } from "./state";

const SHOWN_MAX = 50;
const signs: Record<string, string> = { kept: "✓ kept", dropped: "✕ taken back", open: "… running", "would try": "· proposed" };
const CHANGES_SHOWN = 3;
const DAY_MS = 86400e3;

function when(time: string): string {
  const d = new Date(time);
  return Date.now() - d.getTime() > DAY_MS ? d.toLocaleString([], { hour12: false }) : d.toLocaleTimeString([], { hour12: false });
}

function lasted(d: Decision): string {
  return d.ended ? `, ${format((Date.parse(d.ended) - Date.parse(d.began)) * 1000, "us")}` : "";
}

// The durations of the steps, as shares of the whole.
function strip(d: Decision): HTMLElement | null {
  const at = d.steps.map((step) => Date.parse(step.time));
  const whole = at.at(-1)! - at[0]!;
  if (!(whole > 0)) return null;
  const parts = at.slice(1).map((t, i) => ({ what: d.steps[i]!.what, ms: t - at[i]! }));
  return h(
    "div",
    { class: "strip", role: "img", "aria-label": `It took ${format(whole * 1000, "us")}: ${parts.map((p) => `${p.what} ${format(p.ms * 1000, "us")}`).join(", ")}` },
    ...parts.map((p, i) => h("span", { style: `flex-grow: ${p.ms / whole}; background: var(--curve-${i % 8})`, title: `${p.what}: ${format(p.ms * 1000, "us")}` })),
  );
}

function decision(d: Decision): HTMLElement {
  const at = d.steps.map((step) => Date.parse(step.time));
  return h(
    "details",
    { class: "decision", "data-trial": d.trial },
    h(
      "summary",
      {},
      h("b", { class: "no" }, d.trial > 0 ? String(d.trial) : ""),
      h("span", { class: `tag ${d.outcome === "kept" ? "better" : d.outcome === "dropped" ? "worse" : ""}` }, signs[d.outcome] ?? d.outcome),
      h("span", { class: "change" }, codes(knobTexts(d.set, d.was).slice(0, CHANGES_SHOWN)), Object.keys(d.set).length > CHANGES_SHOWN ? ` and ${Object.keys(d.set).length - CHANGES_SHOWN} more` : ""),
      h("span", { class: "why" }, d.end || d.why),
      h("span", { class: "muted when" }, `${when(d.began)}${lasted(d)}`),
    ),
    h("p", {}, codes(knobTexts(d.set, d.was))),
    d.evidence ? h("p", { class: "hint" }, `Evidence: ${d.evidence}.`) : null,
    strip(d),
    table(
      [{ head: "Time" }, { head: "What" }, { head: "Duration", isNumber: true }, { head: "Why" }, { head: "Evidence" }],
      d.steps.map((step, i) => [when(step.time), step.what, i + 1 < at.length ? format((at[i + 1]! - at[i]!) * 1000, "us") : "", step.why, step.evidence]),
      `Steps of trial ${d.trial}`,
    ),
  );
}

export function decisionList(decisions: Decision[]): HTMLElement[] {
  return [...decisions].reverse().slice(0, SHOWN_MAX).map(decision);
}
