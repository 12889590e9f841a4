// The effect of an order in words, for the dialog that confirms it.
import { countOf } from "../format";
import { knobTexts, type Fabric } from "./state";
import { count } from "./verdict";

export type Order = "freeze" | "thaw" | "approve" | "reject" | "rollback";

// What the controller lets this page do; "": not known before a token is given.
export type Right = "" | "view" | "approve" | "operate";

export function mayGive(order: Order, right: Right): boolean {
  return right === "" || right === "operate" || (right === "approve" && (order === "approve" || order === "reject"));
}

export interface Plan {
  title: string;
  effects: string[];
  confirm: string; // names the act and its extent
  body: Record<string, unknown>;
}

const devices = (n: number) => countOf(n, "device");
const isOpen = (f: Fabric) => f.trial.phase !== "none" && f.trial.phase !== "waiting";

function takenBack(f: Fabric): string[] {
  if (!isOpen(f)) return [];
  return [`Trial ${f.trial.number} is taken back: ${devices(f.reach?.trial ?? 0)} return to the setting in effect.`];
}

export function planOf(order: Order, f: Fabric): Plan {
  const tuned = count(f, "tuned");
  const settable = f.reach?.settable ?? 0;
  switch (order) {
    case "freeze":
      return {
        title: "Freeze tuning?",
        effects: [...takenBack(f), `The setting in effect stays on all ${devices(f.devices_total)}.`, "Nothing is tried until a person thaws it."],
        confirm: isOpen(f) ? `Freeze, and take trial ${f.trial.number} back` : "Freeze tuning",
        body: {},
      };
    case "thaw":
      return {
        title: "Thaw tuning?",
        effects: [`Trials may run again, on up to ${devices(settable)}.`, "Nothing changes at once: the tuner is asked first."],
        confirm: "Thaw tuning",
        body: {},
      };
    case "approve":
      return {
        title: `Start trial ${f.trial.number}?`,
        effects: [
          `It tries ${knobTexts(f.trial.set, f.trial.was).join(", ")}.`,
          `It starts on one device of each kind, and goes on to at most ${devices(settable)} in stages, as long as no harm is seen.`,
          "A broken guardrail or evidence of harm takes it back.",
        ],
        confirm: `Start trial ${f.trial.number} on up to ${devices(settable)}`,
        body: { number: f.trial.number, code: f.trial.code },
      };
    case "reject":
      return {
        title: `Reject trial ${f.trial.number}?`,
        effects: [`Nothing is set: ${knobTexts(f.trial.set, f.trial.was).join(", ")} is dropped.`, "The tuner may not propose it again for an hour."],
        confirm: `Reject trial ${f.trial.number}`,
        body: { number: f.trial.number, code: f.trial.code },
      };
    case "rollback":
      return {
        title: `Roll back ${devices(tuned)}?`,
        effects: [
          ...(isOpen(f) ? [`Trial ${f.trial.number} is taken back.`] : []),
          `${devices(tuned)} that ${tuned === 1 ? "holds" : "hold"} a setting of Anole return${tuned === 1 ? "s" : ""} to the baseline, the setting from before Anole.`,
          "Devices that do not report now follow when they report again.",
          "Tuning is frozen until a person thaws it.",
        ],
        confirm: `Roll back ${devices(tuned)}`,
        body: {},
      };
  }
}
