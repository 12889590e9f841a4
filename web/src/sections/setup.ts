// The scenario of a run, its assumptions, and the limits of its results.
import type { Page, Run } from "../data";
import { fold, h, section } from "../dom";
import { countOf, format } from "../format";
import type { ZoomGroup } from "../charts/zoom";
import { answerOf } from "./answer";
import { trafficPart } from "./figures";
import { codes } from "./head";
import { knobsPart } from "./knobs";

function fact(name: string, value: string | Node | null | undefined): HTMLElement | null {
  return value ? h("div", {}, h("dt", {}, name), h("dd", {}, value)) : null;
}

function networkText(run: Run): string {
  const { hosts, switches, links, base_rtt_us } = run.network;
  return (
    `${countOf(hosts, "host")}, ${countOf(switches, "switch", "switches")}, ${countOf(links, "link")}` +
    (base_rtt_us > 0 ? `; empty round trip ${format(base_rtt_us, "us")}` : "")
  );
}

function seedText(seeds: string[]): string {
  return seeds.length > 8 ? `${seeds.slice(0, 8).join(", ")} … (${seeds.length})` : seeds.join(", ");
}

// Facts on the answer card are not repeated.
function facts(run: Run, isOnCard: boolean): HTMLElement {
  return h(
    "dl",
    { class: "rows" },
    isOnCard ? null : fact("Network", networkText(run)),
    fact("Congestion control", run.model && run.model !== run.cc ? `${run.cc} (${run.model} model)` : run.cc),
    fact("Fidelity", run.fidelity === "fast" ? "fast (skips packets of lone flows)" : run.fidelity === "packet" ? "every packet" : null),
    isOnCard ? null : fact("Load balancing", run.lb),
    fact("Tuner", run.tuning?.tuner),
    fact("Simulated time", format(run.simulated_us, "us")),
    fact(run.seeds.length === 1 ? "Seed" : "Seeds", seedText(run.seeds)),
    fact("Set", run.set.length > 0 ? codes(run.set) : null),
  );
}

// Facts common to all variants. If they differ, the table of variants has the details.
function inCommon(runs: Run[]): Run {
  const same = (key: "cc" | "lb" | "model" | "fidelity") => runs.every((run) => run[key] === runs[0]![key]);
  const isSameCc = same("cc") && same("model");
  if (runs.length === 1) return runs[0]!;
  return {
    ...runs[0]!,
    tuning: null,
    set: [],
    cc: isSameCc ? runs[0]!.cc : "",
    fidelity: same("fidelity") ? runs[0]!.fidelity : undefined,
    lb: same("lb") ? runs[0]!.lb : "",
    model: isSameCc ? runs[0]!.model : "",
  };
}

// Two cards that are always visible, and folds below them.
export function setupSection({ runs, ...page }: Page, limits: string[], ...folds: (HTMLElement | null)[]): HTMLElement {
  const isOnCard = Boolean(answerOf({ runs, ...page }).network);
  const isFast = runs.some(({ fidelity }) => fidelity === "fast");
  const all = [
    "This is a simulation: no setting here has run on a real NIC or switch.",
    "It holds for this network and this traffic. Other loads, sizes and topologies were not tested.",
    ...(isFast ? ["Packets of lone flows were skipped (fidelity fast)."] : []),
    ...limits,
  ];
  return section(
    "setup",
    "Assumptions and limits",
    h(
      "div",
      { class: "two" },
      runs.length > 0 && h("div", { class: "card" }, h("h3", {}, "What was assumed"), facts(inCommon(runs), isOnCard)),
      h("div", { class: "card", id: "limits" }, h("h3", {}, "Limits"), h("ul", {}, ...all.map((text) => h("li", {}, text)))),
    ),
    h("div", { class: "folds" }, ...folds),
  );
}

export function scenarioFold(run: Run): HTMLElement {
  return fold("Scenario file", h("pre", { id: "scenario" }, run.scenario || "(empty)"));
}

// The folds of one run.
export function foldsOfRun(run: Run, group: ZoomGroup): HTMLElement[] {
  return [fold("Traffic", trafficPart(run)), fold("Knobs", knobsPart(run, group)), scenarioFold(run)];
}

// If a run ended stuck or failed, its metrics cover only the part before. A sentence says so first.
export function partial(runs: Run[]): HTMLElement | null {
  const notes = runs.flatMap((run) =>
    (run.partial ?? []).map((text) => h("li", {}, run.name ? h("strong", {}, `${run.name}: `) : "", text)),
  );
  return notes.length > 0
    ? h(
        "div",
        { class: "partial", role: "note" },
        h("p", {}, h("strong", {}, "PARTIAL"), " results: the figures are of the time before."),
        h("ul", {}, ...notes),
      )
    : null;
}

export function footer(page: Page, files: string[]): HTMLElement {
  const links = files.flatMap((name, i) => [i ? " · " : "", h("a", { href: encodeURI(name) }, name)]);
  const row = (name: string, ...value: (string | Node)[]) => h("div", {}, h("dt", {}, name), h("dd", {}, ...value));
  return h(
    "footer",
    {},
    h(
      "dl",
      {},
      row("Made by", `Anole ${page.version}, packet-level simulation. The same scenario and seeds give the same bytes on every machine.`),
      page.repeat ? row("Repeat it", h("code", {}, page.repeat)) : null,
      files.length > 0 ? row("Data", ...links) : null,
    ),
  );
}
