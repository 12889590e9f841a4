// The first screen: problems, the current setting and who approved it, the current trial, the next step.
import { h, nothing, svg } from "../dom";
import { countOf, digits, format, known } from "../format";
import { term } from "../help";
import { table } from "../table";
import type { Actions } from "./actions";
import { evidenceChart } from "./evidence";
import { codes } from "./map";
import { trialWords } from "./sections";
import { changeOf, knobTexts, type Certificates, type Decision, type Fabric, type Knobs, type OldKnobs } from "./state";
import { count, isPaused, silent, verdictOf, type Kind } from "./verdict";

const modes: Record<string, string> = {
  observe: "changes nothing",
  approve: "asks before each trial",
  auto: "tries and keeps by itself",
  direct: "sets without trials",
};

export function whenText(ms: number | null): string {
  if (ms === null) return "never";
  const d = new Date(ms);
  const isToday = new Date().toDateString() === d.toDateString();
  const time = d.toLocaleTimeString([], { hour12: false });
  return isToday ? time : `${d.toLocaleDateString()} ${time.slice(0, 5)}`;
}

// A name such as h1 keeps its letters.
const sentence = (text: string) => `${/^[a-z'-]+\b(?![\d/])/.test(text) ? text[0]!.toUpperCase() + text.slice(1) : text}${text === "" || /[.!?]$/.test(text) ? "" : "."}`;

// ---- problems

const marks: Record<Kind, string> = {
  good: "M12 2a10 10 0 1 0 0 20 10 10 0 0 0 0-20Zm-1.2 14.2-4-4 1.5-1.4 2.5 2.5 5-5.1 1.5 1.4Z",
  bad: "M12 2 1 21h22Zm-1 7h2v6h-2Zm0 7.5h2v2h-2Z",
  caution: "M12 2a10 10 0 1 0 0 20 10 10 0 0 0 0-20Zm-1 5h2v7h-2Zm0 8.5h2v2h-2Z",
};

function drillText({ drill }: Fabric): string {
  if (drill.last_ms !== null && !drill.is_passed) return `failed ${whenText(drill.last_ms)} at ${drill.device}`;
  if (drill.passed_ms === null) return "never proven here: anole ctl drill";
  return `proven ${whenText(drill.passed_ms)} at ${drill.device}, back after ${drill.took_ms === null ? "an unknown time" : `${(drill.took_ms / 1000).toFixed(1)} s`}`;
}

function lastTakenBack(decisions: Decision[]): string {
  const last = decisions.findLast((d) => d.outcome === "dropped" && d.ended);
  return last ? `trial ${last.trial}, ${whenText(Date.parse(last.ended!))}` : "none";
}

const reportingOf = (f: Fabric) => f.devices_total - count(f, "left");

function calmText(f: Fabric): string {
  const all = reportingOf(f);
  const reporting = all - silent(f);
  const act = f.trial.phase === "none" ? "" : ` Trial ${f.trial.number} is under way; no person has to act.`;
  return `${reporting} of ${countOf(all, "device")} report in time, ${count(f, "tuned")} ${count(f, "tuned") === 1 ? "holds" : "hold"} a setting of Anole, no guardrail is broken.${act}`;
}

function certificatesText(c: Certificates): string {
  const days = (n: number | null) => (n === null ? "unknown" : countOf(Math.floor(n), "day"));
  return `this controller's ends in ${days(c.own_days)}${c.least_name ? `, that of ${c.least_name} in ${days(c.least_days)}` : ""}`;
}

export function statusCard(f: Fabric, actions: Actions): HTMLElement {
  const { kind, headline, advice, reason } = verdictOf(f);
  const said = reason ?? (kind === "good" ? calmText(f) : sentence(f.next));
  const fact = (name: string, value: string) => h("div", {}, h("dt", {}, name), h("dd", {}, value));
  actions.show(f, kind === "bad");
  return h(
    "div",
    { class: `card health ${kind}`, role: kind === "bad" ? "alert" : "status" },
    h(
      "div",
      {},
      h("h1", { class: "headline" }, svg("svg", { viewBox: "0 0 24 24", width: 26, height: 26, "aria-hidden": "true" }, svg("path", { d: marks[kind] })), headline),
      h("p", {}, said, advice ? " " : "", advice ? h("strong", {}, sentence(advice)) : ""),
    ),
    actions.buttons,
    h(
      "dl",
      { class: "facts" },
      fact("Controller", `${f.name}, ${f.role}`),
      fact("Mode", `${f.mode}: ${modes[f.mode] ?? ""}`),
      fact("Devices", `${reportingOf(f) - silent(f)} of ${reportingOf(f)} report${silent(f) ? `, ${silent(f)} not reporting` : ""}`),
      fact("Last taken back", lastTakenBack(f.decisions)),
      fact("Dead-man switch", drillText(f)),
      f.inventory?.unexpected ? fact("Not in the inventory", `${countOf(f.inventory.unexpected, "device")}, such as ${f.inventory.unexpected_example}`) : null,
      f.certificates ? fact("Certificates", certificatesText(f.certificates)) : null,
      f.refused && f.refused.total > 0 ? fact("Connections refused", `${f.refused.total}, the last ${whenText(f.refused.last_ms)}: ${f.refused.last}`) : null,
    ),
  );
}

// ---- the current setting

// A row for each knob: its value before Anole, and its current value.
function changeRows(set: Knobs, was: OldKnobs | undefined): HTMLElement {
  const rows = Object.entries(set).map(([name, value]) => {
    const { from, to } = changeOf(name, value, was);
    return h("div", {}, h("dt", {}, term(name, h("code", {}, name))), h("dd", {}, from && h("span", { class: "muted" }, `${from} → `), h("b", {}, to)));
  });
  return h("dl", { class: "changes" }, ...rows);
}

function effectCard(f: Fabric): HTMLElement {
  const e = f.in_effect;
  const isOurs = Object.keys(e.set).length > 0;
  const since = e.since_ms === null ? "" : `Since ${whenText(e.since_ms)}, for ${format(Math.max(0, f.now_ms - e.since_ms) * 1000, "us")}`;
  return h(
    "div",
    { class: "card" },
    h("h2", {}, "In effect"),
    h("p", { class: "lead" }, isOurs ? since : e.since_ms === null ? "The baseline of each device: no setting was ever kept" : `The baseline. ${since}`),
    isOurs ? changeRows(e.set, e.was) : null,
    e.by ? h("p", {}, h("strong", {}, isOurs ? "Approved by: " : "Rolled back by: "), `${e.by}${isOurs && e.trial ? `, trial ${e.trial}` : ""}`) : null,
    e.why ? h("p", { class: "muted" }, `Why: ${e.why}`) : null,
    count(f, "held back") > 0 ? h("p", { class: "muted" }, `${countOf(count(f, "held back"), "device")} in the control group keep${count(f, "held back") === 1 ? "s" : ""} the baseline.`) : null,
  );
}

// ---- the current trial

const ends: Record<string, string> = { kept: "Kept", dropped: "Taken back", open: "Open", "would try": "Proposed" };

function lastTrial(d: Decision): HTMLElement[] {
  return [
    h("p", { class: "lead" }, `${ends[d.outcome] ?? d.outcome}${d.ended ? ` at ${whenText(Date.parse(d.ended))}` : ""}.`),
    h("p", {}, codes(knobTexts(d.set, d.was)), ` ${sentence(d.end || d.why)}`),
  ];
}

function triedCard(f: Fabric): HTMLElement {
  const { trial, evidence } = f;
  const isOpen = trial.phase !== "none";
  const last = f.decisions.findLast((d) => d.trial > 0 && d.outcome !== "open");
  const isShown = evidence && (isOpen ? evidence.trial === trial.number : evidence.trial === last?.trial);
  const title = isOpen ? `Being tried: trial ${trial.number}` : last ? `${last.outcome === "kept" ? "Last" : "Stopped"}: trial ${last.trial}` : "Being tried";
  return h(
    "div",
    { class: "card trial" },
    h("h2", {}, title),
    ...(isOpen ? trialWords(trial) : last ? lastTrial(last) : [nothing("Nothing has been tried yet.")]),
    isShown ? evidenceChart(evidence, trial, isOpen ? `Evidence so far, stage ${evidence.stage}` : "Evidence until it ended") : isOpen ? nothing("No pair of blocks has been measured yet.") : null,
  );
}

// ---- the next step

// The conditions of the next trial, each with a sign.
function nextCard(f: Fabric): HTMLElement {
  const check = (isFine: boolean, fine: string, not: string) =>
    h("li", { class: isFine ? "fine" : "not" }, h("span", { class: "unseen" }, isFine ? "yes: " : "no: "), isFine ? fine : not);
  const missing = f.tuner?.missing ?? "";
  const breach = f.breach && f.breach.devices > 0 ? `Guardrail broken at ${f.breach.example}: ${f.breach.why}` : "A guardrail is broken";
  return h(
    "div",
    { class: "card" },
    h("h2", {}, "What happens next"),
    h("p", { class: "lead" }, sentence(f.next)),
    h("h3", {}, f.obstacle || f.frozen ? "Why trials may not run" : "Why trials may run"),
    h(
      "ul",
      { class: "checks" },
      check(f.obstacle !== "a guardrail is broken" && !f.breach?.devices, "No guardrail is broken", breach),
      check(f.role === "active" && !f.standby, "This controller acts", f.standby || `This controller is ${f.role}`),
      check(!f.frozen, "Not frozen, no person has stopped it", sentence(f.frozen)),
      check(!isPaused(f), "No pause after harm", sentence(f.obstacle)),
      check(
        reportingOf(f) > 0 && f.coverage === 1,
        `All ${reportingOf(f)} devices report in time`,
        reportingOf(f) > 0 ? `Only ${format(f.coverage, "share")} of the hosts report in time` : "No device has reported yet",
      ),
      check(f.unguarded.devices === 0, "Guardrails see everything", `Guardrails cannot see ${f.unguarded.what} at ${countOf(f.unguarded.devices, "device")}`),
      check(!missing, f.tuner?.name ? `Tuner ${f.tuner.name} has what it needs` : "No tuner is asked", sentence(missing)),
      check(f.noise_e === null || f.noise_e < 20, f.noise_e === null ? "Noise: not measured yet" : `Noise was measured: ${countOf(f.noise_pairs, "pair")}, e-value ${digits(f.noise_e)}, below 20`, `Pairs without a change differ: e-value ${digits(f.noise_e ?? 0)}`),
      check(f.drill.passed_ms !== null && f.drill.is_passed, `Dead-man switch ${drillText(f)}`, `Dead-man switch ${drillText(f)}`),
    ),
  );
}

// ---- numbers, folded

function figures(f: Fabric): HTMLElement {
  const rows: [string, string][] = [
    ["Devices", format(f.devices_total, "count")],
    ["Hosts that report in time", known(reportingOf(f) > 0 ? f.coverage : null, "share")],
    ...Object.entries(f.states)
      .filter(([, n]) => n > 0)
      .map(([name, n]): [string, string] => [`State ${name}`, format(n, "count")]),
    ["Term", String(f.term)],
    ["A/A test (e-value; should stay below 20)", f.noise_e === null ? "unknown" : f.noise_e.toPrecision(3)],
    ...Object.entries(f.refused?.reasons ?? {}).map(([why, n]): [string, string] => [`Connections refused: ${why}`, format(n, "count")]),
  ];
  return h("details", { class: "more" }, h("summary", {}, "All figures"), table([{ head: "Figure" }, { head: "Value", isNumber: true }], rows, "Figures of the controller"));
}

export function topPart(f: Fabric, actions: Actions): HTMLElement[] {
  return [statusCard(f, actions), h("div", { class: "three" }, effectCard(f), triedCard(f), nextCard(f)), figures(f)];
}
