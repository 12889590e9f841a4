// What was run.
import type { Page, Run } from "../data";
import { h } from "../dom";
import { countOf, format } from "../format";

function fact(name: string, value: string | Node | null | undefined): HTMLElement | null {
  return value ? h("div", {}, h("dt", {}, name), h("dd", {}, value)) : null;
}

function networkText(run: Run): string {
  const { hosts, switches, links, base_rtt_us } = run.network;
  return (
    `${countOf(hosts, "host")}, ${countOf(switches, "switch", "switches")}, ${countOf(links, "link")}` +
    (base_rtt_us > 0 ? `; base RTT ${format(base_rtt_us, "us")}` : "")
  );
}

function seedText(seeds: string[]): string {
  return seeds.length > 8 ? `${seeds.slice(0, 8).join(", ")} … (${seeds.length})` : seeds.join(", ");
}

export function codes(texts: string[]): HTMLElement {
  return h("span", { class: "codes" }, ...texts.map((text) => h("code", {}, text)));
}

export function facts(run: Run): HTMLElement {
  return h(
    "dl",
    { class: "facts" },
    fact("Network", networkText(run)),
    fact("Congestion control", run.model && run.model !== run.cc ? `${run.cc} (${run.model} model)` : run.cc),
    fact("Fidelity", run.fidelity === "fast" ? "fast (skips repeated phases)" : null),
    fact("Load balancing", run.lb),
    fact("Tuner", run.tuning?.tuner),
    fact("Simulated", format(run.simulated_us, "us")),
    fact(run.seeds.length === 1 ? "Seed" : "Seeds", seedText(run.seeds)),
    fact("Set", run.set.length > 0 ? codes(run.set) : null),
  );
}

// Figures of a run that ended stuck or failed are those of what came before: said first, and in words.
export function partial(runs: Run[]): HTMLElement | null {
  const told = runs.flatMap((run) =>
    (run.partial ?? []).map((text) => h("li", {}, run.name ? h("strong", {}, `${run.name}: `) : "", text)),
  );
  return told.length > 0
    ? h(
        "div",
        { class: "partial", role: "note" },
        h("p", {}, h("strong", {}, "PARTIAL"), " results: the figures are of the time before."),
        h("ul", {}, ...told),
      )
    : null;
}

export function head(page: Page): HTMLElement {
  const kind = page.kind === "live" ? "controller" : page.kind === "serve" ? "results" : page.kind === "tune" ? "search for a setting" : page.kind === "compare" ? `comparison of ${countOf(page.runs.length, "variant")}` : "run";
  return h(
    "header",
    {},
    h("p", { class: "product" }, h("strong", {}, "Anole"), ` ${page.version} · ${kind}`),
    h("h1", {}, page.title),
  );
}
