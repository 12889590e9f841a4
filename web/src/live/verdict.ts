// Reports problems in one line, for the first card of the page and for the tab.
import { countOf } from "../format";
import type { Fabric } from "./state";

export type Kind = "good" | "bad" | "caution";

export interface Verdict {
  kind: Kind;
  headline: string;
  reason?: string; // the observation
  advice: string; // what an operator should do; "": nothing
}

export const isPaused = (f: Fabric) => f.obstacle.startsWith("it pauses");
export const count = (f: Fabric, state: string) => f.states[state] ?? 0;
export const silent = (f: Fabric) => count(f, "silent") + count(f, "expired");

function breachText({ breach }: Fabric): string {
  if (!breach || breach.devices === 0) return "A guardrail is broken";
  const others = breach.devices - 1;
  return `A guardrail is broken at ${breach.example}${others > 0 ? ` and ${countOf(others, "other device")}` : ""}`;
}

// Describes the problem, and whether it ended the last trial.
function takenBack({ breach, decisions = [] }: Fabric): string {
  const last = decisions.at(-1);
  const why = breach?.why ? `At ${breach.example}: ${breach.why}. ` : "";
  return why + (last?.outcome === "dropped" && last.trial > 0 ? `Trial ${last.trial} was taken back: ${last.end ?? last.why}.` : "");
}

// The first that applies is used. Problems that need an operator at once come first.
export function verdictOf(f: Fabric): Verdict {
  const bad = (headline: string, advice: string): Verdict => ({ kind: "bad", headline, advice });
  if (f.standby) return { kind: "caution", headline: "This controller stands by", advice: f.standby };
  if (f.role === "deposed") return bad("Another controller has taken over", "Restart this one if it should act.");
  if (count(f, "broken") > 0)
    return bad(`${countOf(count(f, "broken"), "device")} could not be brought back`, "Look at the devices marked broken: they may hold a value that was not confirmed.");
  if (f.obstacle === "a guardrail is broken") return { ...bad(breachText(f), "Check the device and its port; freeze tuning if it goes on."), reason: takenBack(f) };
  if (f.drill.last_ms !== null && !f.drill.is_passed) return bad("The dead-man switch failed its drill", `${f.drill.device}: ${f.drill.why}`);
  if (isPaused(f)) return bad("Tuning pauses after trials that did harm", "Decisions below say what they did.");
  if (f.devices_total === count(f, "left")) return { kind: "caution", headline: "No device has reported yet", advice: "Start agents that know this controller: anole agent --help." };
  if (f.disk_is_bad) return bad("The controller's disk cannot be written", "Nothing new is tried until it can.");
  if (f.coverage < 1) {
    const expired = count(f, "expired");
    return bad(
      `${silent(f)} of ${countOf(f.devices_total - count(f, "left"), "device")} ${silent(f) === 1 ? "does" : "do"} not report`,
      expired > 0 ? `The certificates of the agents of ${countOf(expired, "device")} have ended: renew them.` : "Changes that they hold go back by themselves when their lease ends.",
    );
  }
  if (count(f, "unreadable") > 0) return bad(`The parameters of ${countOf(count(f, "unreadable"), "device")} cannot be read`, "Look at the devices marked unreadable: their driver or port may be gone.");
  if (f.inventory?.missing) return bad(`${f.inventory.missing} of ${f.inventory.expected} expected devices ${f.inventory.missing === 1 ? "does" : "do"} not report`, `Start the agent of ${f.inventory.missing_example}.`);
  if (f.certificates && f.certificates.ended > 0) return bad(`${countOf(f.certificates.ended, "certificate")} ended`, `Renew that of ${f.certificates.least_name}: its owner works until it reconnects.`);
  if (f.frozen) return { kind: "caution", headline: f.frozen.startsWith("rolled back") ? "Rolled back, and frozen" : "Tuning is frozen", advice: "Nothing is tried until a person thaws it." };
  if (f.trial.phase === "waiting") return { kind: "caution", headline: `Trial ${f.trial.number} waits for approval`, advice: "Approve it below, or let it wait: nothing is set until then." };
  if (f.unguarded.devices > 0)
    return { kind: "caution", headline: "Nothing is wrong, as far as can be seen", advice: `Guardrails cannot see ${f.unguarded.what} at ${countOf(f.unguarded.devices, "device")}, such as ${f.unguarded.example}.` };
  return { kind: "good", headline: "Nothing is wrong", advice: "" };
}

// The title of the tab, which also shows alarms.
export function titleOf(f: Fabric): string {
  const { kind, headline } = verdictOf(f);
  return `${kind === "bad" ? "! " : ""}${headline} · Anole ${f.name}`;
}
