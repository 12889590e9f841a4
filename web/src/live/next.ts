// The controller's next step and its reason, and whether the network slows down a job.
import { h, nothing } from "../dom";
import { countOf, digits, format, known, NONE } from "../format";
import { unitOf } from "../help";
import { triedTable } from "../sections/twins";
import { table } from "../table";
import { codes } from "./map";
import { knobTexts, type Fabric, type Job, type Tuner } from "./state";

// ---- next

const RECENT = 1000; // reports: older searches are folded

type Words = (string | HTMLElement)[];

// The first that applies is used.
function nextWords(f: Fabric): Words {
  const { trial, tuner } = f;
  const proposed = f.decisions.find((decision) => decision.outcome === "would try");
  if (trial.phase === "waiting") return ["It tries this as soon as it is approved: ", codes(knobTexts(trial.set, trial.was)), trial.why ? ` Why: ${trial.why}.` : ""];
  if (trial.phase !== "none")
    return ["The trial goes on: ", codes(knobTexts(trial.set, trial.was)), " All devices get it if the evidence of a gain is large enough; otherwise it is taken back. Then its tuner is asked again."];
  if (f.frozen || f.obstacle) return [`No change planned. Blocked by: ${f.frozen || f.obstacle}.`];
  if (!tuner || tuner.name === "") return ["Nothing: it has no tuner."];
  if (tuner.has_failed) return [`Nothing: its tuner ${tuner.name} cannot begin with the devices that report. The controller's log says why.`];
  if (f.mode === "observe" && proposed)
    return ["Observe mode. Proposed change: ", codes(knobTexts(proposed.set, proposed.was)), ` (at ${new Date(proposed.began).toLocaleTimeString([], { hour12: false })}). Why: ${proposed.why}.`];
  if (tuner.thinks) return [`Its tuner ${tuner.name} tries settings on a twin of the network. Until it has an answer nothing is changed.`];
  if (tuner.last?.why) return [`Nothing for now. Its tuner ${tuner.name} says: ${tuner.last.why}`];
  return [`Nothing for now: its tuner ${tuner.name} has no other setting to try.`];
}

function candidateTable({ candidates = [] }: Tuner): HTMLElement | null {
  if (candidates.length === 0) return null;
  return table(
    [{ head: "Reports ago", isNumber: true }, { head: "It wanted" }, { head: "Then" }, { head: "Utility before", isNumber: true }, { head: "Why" }],
    candidates.map((c) => [String(c.reports_ago), codes(knobTexts(c.set)), c.outcome, c.utility === null ? NONE : digits(c.utility), c.why]),
    "Settings that the tuner wanted, the last first",
  );
}

// The settings that were tried on a twin before the proposal, or nothing.
function twinTable({ search, reports = 0 }: Tuner): HTMLElement | null {
  if (!search || search.tried.length === 0) return null;
  const share = (percent: number | null) => (percent === null ? null : percent / 100);
  const wanted = JSON.stringify(search.set);
  return h(
    "details",
    { class: "twin", open: reports > 0 && search.reports_ago < RECENT },
    h("summary", {}, `Candidates on the twin, ${countOf(search.reports_ago, "report")} ago: ${search.why}`),
    triedTable(
      search.tried.map((t) => ({
        name: t.name === "" ? null : t.name,
        change: share(t.gain),
        change_low: share(t.low),
        change_high: share(t.high),
        blocks: t.blocks,
        is_out: t.is_out,
        is_now: t.is_now,
        is_chosen: !t.is_now && Object.keys(t.set).length > 0 && JSON.stringify(t.set) === wanted,
        set: Object.entries(t.set).map(([name, value]): [string, number, string] => [name, value, unitOf(name)]),
      })),
      "Settings that were raced on a twin of the network: left of 0 is better than the setting that was current",
    ),
  );
}

export function nextPart(f: Fabric): (HTMLElement | null)[] {
  const list = f.tuner ? candidateTable(f.tuner) : null;
  const count = f.tuner?.candidates?.length ?? 0;
  return [
    h("p", {}, ...nextWords(f)),
    f.tuner ? twinTable(f.tuner) : null,
    list && h("details", {}, h("summary", {}, `The last ${count === 1 ? "candidate" : countOf(count, "candidate")} of the tuner ${f.tuner!.name}`), list),
  ];
}

// ---- jobs

const signTexts: Record<string, (job: Job) => string> = {
  paused: (job) => `paused ${format(job.paused, "share")} of the time, ${job.paused_most_at} up to ${format(job.paused_most, "share")}`,
  CNPs: (job) => `CNPs, which slow senders down, in ${format(job.with_cnps, "share")} of looks at its NICs`,
  retransmissions: (job) => `retransmissions in ${format(job.with_retransmissions, "share")} of looks`,
  "round trips": (job) => `round trips ${digits(job.rtt_stretch ?? 0)} times as long as in the empty network`,
};

function verdict(job: Job): string {
  if (job.nics === 0) return "no device of it has reported";
  if (job.looks === 0) return "unknown: its NICs do not report";
  if (job.signs.length === 0) return job.utilisation !== null && job.utilisation < 0.01 ? "no: its NICs hardly send" : "none seen";
  return `yes: ${job.signs.map((sign) => signTexts[sign]?.(job) ?? sign).join("; ")}`;
}

export function jobPart({ jobs = [] }: Fabric): HTMLElement[] {
  const seconds = jobs[0]?.seconds ?? 0;
  if (seconds === 0) return [nothing("Nothing has been seen of jobs yet.")];
  return [
    h(
      "p",
      { class: "hint" },
      `Whether the network held senders back in the last ${countOf(seconds, "second")}, as their NICs report: paused for 1 % of the time or more, CNPs in a tenth of the looks or more, ` +
        "retransmissions, round trips of twice those of the empty network. How much longer an iteration takes only the job knows.",
    ),
    table(
      [
        { head: "Job" },
        { head: "Held back by the network?" },
        { head: "NICs", isNumber: true },
        { head: "Not reporting", isNumber: true },
        { head: "Use", isNumber: true },
        { head: "Paused", isNumber: true },
        { head: "With CNPs", isNumber: true },
        { head: "Round trips", isNumber: true },
      ],
      jobs
        .filter((job) => job.name !== "" || job.nics > 0)
        .map((job) => [
          job.name || "all other NICs",
          verdict(job),
          String(job.nics),
          String(job.silent),
          known(job.utilisation, "share"),
          known(job.paused, "share"),
          known(job.with_cnps, "share"),
          job.rtt_stretch === null ? "unknown" : `× ${digits(job.rtt_stretch)}`,
        ]),
      "Jobs, and whether the network held them back",
    ),
  ];
}
