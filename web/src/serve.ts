// The page of `anole serve`: existing results, finished runs of a campaign, and running runs.
import type { Page, Run, Served } from "./data";
import { announce, h, nothing } from "./dom";
import { countOf, format } from "./format";
import { Parts, type Part } from "./parts";
import { head } from "./sections/head";
import { timeGroupUntil, timeCharts } from "./sections/time";
import { table } from "./table";

const units: Record<string, string> = {
  fct_us_p99: "us",
  goodput_bps: "bps",
  rtt_us_mean: "us",
  paused_share: "share",
  dropped_packets: "count",
};
const labels: Record<string, string> = {
  slowdown_mean: "mean slowdown",
  slowdown_p99: "p99 slowdown",
  fct_us_p99: "p99 FCT",
  goodput_bps: "goodput",
  rtt_us_mean: "mean RTT",
  paused_share: "time paused",
  dropped_packets: "packets dropped",
};

const addressOf = (name: string, file: string) => `/r/${encodeURIComponent(name)}/${encodeURIComponent(file)}`;

function resultsPart({ results }: Served): HTMLElement {
  if (results.length === 0) return nothing("No results are complete yet.");
  return table(
    [{ head: "Results" }, { head: "Of" }, { head: "Written" }, { head: "Files" }],
    results.map(({ name, kind, has_report, changed_ms, files }) => [
      has_report ? h("a", { href: addressOf(name, "report.html") }, name) : name,
      kind,
      changed_ms > 0 ? new Date(changed_ms).toLocaleString() : "",
      h(
        "span",
        { class: "file-list" },
        ...files
          .filter((file) => file.name !== "report.html")
          .map((file) => h("a", { href: addressOf(name, file.name), title: format(file.bytes, "bytes") }, file.name)),
      ),
    ]),
    "Results that are complete",
  );
}

// A long table is created on request.
function wrapped(rows: number, content: HTMLElement): HTMLElement {
  return rows > 20 ? h("details", {}, h("summary", {}, `${rows} variants`), content) : content;
}

// Means over the finished runs; they change while others run.
function storePart(store: Served["stores"][number]): HTMLElement {
  const used = store.figures.map((_name, f) => f).filter((f) => store.variants.some(({ values }) => values[f] !== null));
  return h(
    "div",
    { class: "store" },
    h("h3", {}, store.name),
    h(
      "p",
      { class: "hint" },
      `${countOf(store.runs, "run has", "runs have")} ended` +
        (store.finished ? `, the last at ${store.finished} UTC` : "") +
        ". Means over those; variants with few runs say little. Slowdown: FCT ÷ FCT of the same flow alone in the network.",
    ),
    wrapped(store.variants.length, table(
      [
        { head: "Variant" },
        { head: "Runs", isNumber: true },
        ...used.map((f) => ({ head: labels[store.figures[f]!] ?? store.figures[f]!, isNumber: true })),
      ],
      store.variants.map(({ name, runs, values }) => [
        name,
        String(runs),
        ...used.map((f) => format(values[f] ?? null, units[store.figures[f]!] ?? "")),
      ]),
      `Variants of ${store.name}`,
    )),
  );
}

// The charts of a run's report, for the data written so far.
function runningPart({ series }: Served["running"][number]): HTMLElement {
  const end = series?.at_us.at(-1) ?? 0;
  if (!series || series.at_us.length === 0) return nothing("A run goes on; it has written no interval yet.");
  const run: Pick<Run, "series" | "windows" | "outages"> = { series, windows: [], outages: [] };
  return h(
    "div",
    {},
    h(
      "p",
      { class: "hint" },
      `${countOf(series.rows, "interval")} so far, ${format(end, "us")} simulated.` +
        (series.every > 1 ? ` Of ${series.every} one is drawn.` : ""),
    ),
    ...timeCharts(run, timeGroupUntil(end)),
  );
}

const parts: Part<Served>[] = [
  {
    id: "running",
    title: "Running now",
    isThere: (served) => served.running.length > 0,
    of: (served) => served.running,
    make: (served) => served.running.map(runningPart),
  },
  {
    id: "results",
    title: "Results",
    of: (served) => served.results,
    make: (served) => [resultsPart(served)],
  },
  {
    id: "campaigns",
    title: "Runs that have ended",
    isThere: (served) => served.stores.length > 0,
    of: (served) => served.stores,
    make: (served) => served.stores.map(storePart),
  },
];

function follow(shown: Parts<Served>, first: Served, state: HTMLElement): void {
  shown.show(first);
  if (!location.protocol.startsWith("http")) return;
  let names = first.results.map(({ name }) => name).join();
  const events = new EventSource("/api/events");
  events.onopen = () => state.replaceChildren("following");
  events.onerror = () => state.replaceChildren("connection lost; trying again");
  events.onmessage = (event: MessageEvent<string>) => {
    const served = JSON.parse(event.data) as Served;
    shown.show(served);
    const now = served.results.map(({ name }) => name).join();
    if (now !== names) announce(`There are ${countOf(served.results.length, "set of results", "sets of results")}.`);
    names = now;
  };
}

export function servePage(page: Page): HTMLElement[] {
  const top = head(page);
  const state = h("span", { class: "muted", role: "status" }, "as of when it was opened");
  top.append(h("p", {}, state));
  const shown = new Parts(parts);
  queueMicrotask(() => follow(shown, page.served!, state));
  return [top, ...shown.sections.values(), h("footer", {}, `Served by anole ${page.version}.`)];
}
