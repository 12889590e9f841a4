// The first screen: is anything wrong, what is in effect and by whose word, what is being tried, what comes next.
import { h } from "../dom";
import { countOf, format } from "../format";
import { table } from "../table";
import { codes, knobTexts } from "./map";
import { trialPart } from "./sections";
import type { Fabric } from "./state";
import { count, isPaused, verdictOf, type Kind } from "./verdict";

const signs: Record<Kind, string> = { good: "✓", bad: "⚠", caution: "!" };

export function whenText(ms: number | null): string {
  if (ms === null) return "never";
  const d = new Date(ms);
  const isToday = new Date().toDateString() === d.toDateString();
  const time = d.toLocaleTimeString([], { hour12: false, hour: "2-digit", minute: "2-digit" });
  return isToday ? `today ${time}` : `${d.toLocaleDateString()} ${time}`;
}

function drillText({ drill }: Fabric): string {
  if (drill.last_ms !== null && !drill.is_passed) return `failed ${whenText(drill.last_ms)} at ${drill.device}`;
  if (drill.passed_ms === null) return "never proven here: anole ctl drill";
  return `proven ${whenText(drill.passed_ms)} at ${drill.device}, back after ${((drill.took_ms ?? 0) / 1000).toFixed(1)} s`;
}

function statusCard(f: Fabric): HTMLElement {
  const { kind, headline, advice } = verdictOf(f);
  const fact = (name: string, value: string) => h("div", {}, h("dt", {}, name), h("dd", {}, value));
  const reporting = f.devices_total - count(f, "left");
  return h(
    "div",
    { class: `card health ${kind}`, ...(kind === "bad" ? { role: "alert" } : {}) },
    h("p", { class: "headline" }, h("span", { "aria-hidden": "true" }, `${signs[kind]} `), headline),
    h("p", {}, `${sentence(f.next)}${advice ? " " : ""}`, advice ? h("strong", {}, sentence(advice)) : ""),
    h(
      "dl",
      { class: "facts" },
      fact("Controller", `${f.name}, ${f.role}, mode ${f.mode}`),
      fact("Devices", `${Math.round(f.coverage * reporting)} of ${reporting} report, ${count(f, "tuned")} tuned`),
      fact("Dead-man switch", drillText(f)),
    ),
  );
}

const sentence = (text: string) => (text ? `${text[0]!.toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? "" : "."}` : "");

function effectCard({ in_effect: e }: Fabric): HTMLElement {
  const knobs = knobTexts(e.set);
  const isOurs = knobs.length > 0;
  return h(
    "div",
    { class: "card" },
    h("h3", {}, "In effect"),
    h("p", { class: "lead" }, isOurs ? `Since ${whenText(e.since_ms)}` : e.since_ms === null ? "The baseline of each device: no setting was ever kept" : `The baseline, since ${whenText(e.since_ms)}`),
    isOurs ? codes(knobs) : null,
    e.by ? h("p", {}, h("strong", {}, isOurs ? "Approved by: " : "Rolled back by: "), `${e.by}${isOurs && e.trial ? `, trial ${e.trial}` : ""}`) : null,
    e.why ? h("p", { class: "muted" }, `Why: ${e.why}`) : null,
  );
}

function triedCard(f: Fabric): HTMLElement {
  return h("div", { class: "card trial" }, h("h3", {}, "Being tried"), ...trialPart(f.trial));
}

// Why the next trial may run, or not: each with its sign.
function nextCard(f: Fabric): HTMLElement {
  const check = (isFine: boolean, fine: string, not: string) =>
    h("li", { class: isFine ? "fine" : "not" }, h("span", { class: "unseen" }, isFine ? "yes: " : "no: "), isFine ? fine : not);
  const missing = f.tuner?.missing ?? "";
  return h(
    "div",
    { class: "card" },
    h("h3", {}, "What happens next"),
    h("p", { class: "lead" }, sentence(f.next)),
    h(
      "ul",
      { class: "checks" },
      check(f.role === "active" && !f.standby, "This controller acts", f.standby || `This controller is ${f.role}`),
      check(!f.frozen, "Not frozen, no person has stopped it", sentence(f.frozen)),
      check(!isPaused(f), "No pause after harm", sentence(f.obstacle)),
      check(f.coverage === 1, `All ${f.devices_total - count(f, "left")} devices report in time`, `Only ${format(f.coverage, "share")} of the devices report in time`),
      check(f.obstacle !== "a guardrail is broken", "No guardrail is broken", "A guardrail is broken"),
      check(f.unguarded.devices === 0, "Guardrails see everything", `Guardrails cannot see ${f.unguarded.what} at ${countOf(f.unguarded.devices, "device")}`),
      check(!missing, f.tuner?.name ? `Tuner ${f.tuner.name} has what it needs` : "No tuner is asked", sentence(missing)),
      check(f.drill.passed_ms !== null && f.drill.is_passed, `Dead-man switch ${drillText(f)}`, `Dead-man switch ${drillText(f)}`),
    ),
  );
}

function figures(f: Fabric): HTMLElement {
  const rows: [string, string][] = [
    ["Devices", format(f.devices_total, "count")],
    ["Report in time", format(f.coverage, "share")],
    ...Object.entries(f.states)
      .filter(([, n]) => n > 0)
      .map(([name, n]): [string, string] => [`State ${name}`, format(n, "count")]),
    ["Term", String(f.term)],
    ["E-value without a change (should stay below 20)", f.noise_e === null ? "not yet known" : f.noise_e.toPrecision(3)],
  ];
  return h("details", {}, h("summary", {}, "All figures"), table([{ head: "Figure" }, { head: "Value", isNumber: true }], rows, "Figures of the controller"));
}

export function topPart(f: Fabric): HTMLElement[] {
  return [statusCard(f), h("div", { class: "three" }, effectCard(f), triedCard(f), nextCard(f)), figures(f)];
}
