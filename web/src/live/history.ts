// The past of a fabric, from the controller's memory or its Prometheus: measurements, settings and decisions on one axis.
import { ask } from "./access";
import { choice, h, nothing } from "../dom";
import { countOf } from "../format";
import { chart } from "../charts/chart";
import { ZoomGroup } from "../charts/zoom";
import { knobCharts } from "./knobs";
import { decisionList } from "./decisions";
import type { Decision } from "./state";
import { coarser, stepText, type Past } from "./points";

const spans: [string, string, number][] = [
  ["15m", "15 minutes", 900e3],
  ["1h", "hour", 3600e3],
  ["6h", "6 hours", 6 * 3600e3],
  ["24h", "24 hours", 86400e3],
  ["7d", "7 days", 7 * 86400e3],
  ["30d", "30 days", 30 * 86400e3],
  ["90d", "90 days", 90 * 86400e3],
  ["365d", "365 days", 365 * 86400e3],
];

const HOUR = 1; // its number
const RETRY_MS = 250;
const REFRESH_MS = 15000; // for periods that end now

export class History {
  readonly element = h("div");
  private span = HOUR;
  private until: number | null = null; // null: now
  private wanted = 0;
  private isBusy = false; // still waiting for a slow answer
  private readonly place = h("div", { "aria-busy": "false" });
  private readonly range = choice("The last", spans.map(([, text]) => text), (i) => this.choose(i), HOUR);
  private readonly earlier = h("button", { type: "button", class: "control", click: () => this.move(-1) }, "Earlier");
  private readonly later = h("button", { type: "button", class: "control", click: () => this.move(1) }, "Later");

  constructor() {
    this.element.append(h("p", { class: "range" }, this.range, this.earlier, this.later), this.place);
  }

  // Without Prometheus there is no more than the last hour.
  start(hasMore: boolean): void {
    if (!hasMore) [...this.range.querySelectorAll("option")].slice(HOUR + 1).forEach((option) => option.remove());
    void this.load();
    setInterval(() => {
      if (this.until === null && !this.isBusy && !document.hidden && this.place.querySelector(".plot:hover, .plot:focus, details[open], .reset:not([hidden])") === null) void this.load();
    }, REFRESH_MS);
  }

  private choose(i: number): void {
    this.span = i;
    void this.load();
  }

  private move(way: number): void {
    const now = Date.now();
    const span = spans[this.span]![2];
    const to = (this.until ?? now) + way * span;
    this.until = to >= now - span / 20 ? null : to;
    void this.load();
  }

  private async load(): Promise<void> {
    const wanted = ++this.wanted;
    this.busy(true);
    for (;;) {
      let reply: Response;
      try {
        reply = await ask(`/api/history/${spans[this.span]![0]}${this.until === null ? "" : `/${Math.round(this.until)}`}`);
      } catch {
        if (wanted === this.wanted) this.busy(false);
        return; // the page says that the controller does not answer
      }
      if (wanted !== this.wanted) return; // the user chose another one meanwhile
      if (reply.status === 202) {
        await new Promise((done) => setTimeout(done, RETRY_MS));
        continue;
      }
      const answer = ((await reply.json().catch(() => null)) ?? {}) as Partial<Past> & { error?: string };
      const past = reply.ok && answer.t_ms ? coarser(answer as Past) : null;
      if (wanted !== this.wanted) return;
      this.later.disabled = this.until === null;
      this.earlier.disabled = past === null || past.oldest_ms === 0 || past.oldest_ms >= past.from_ms;
      this.place.replaceChildren(...(past ? pastPart(past) : [nothing(`There is no history for that time: ${answer.error ?? reply.status}`)]));
      this.busy(false);
      return;
    }
  }

  private busy(isBusy: boolean): void {
    this.isBusy = isBusy;
    this.place.setAttribute("aria-busy", String(isBusy));
  }
}

function bandsOf(past: Past, decisions: Decision[]): { name: string; start_us: number; stop_us: number }[] {
  return decisions
    .filter((d) => d.trial > 0)
    .map((d) => ({ name: `trial ${d.trial}`, start_us: Date.parse(d.began) / 1000, stop_us: Date.parse(d.ended ?? new Date(past.until_ms).toISOString()) / 1000 }));
}

function pastPart(past: Past): HTMLElement[] {
  const xs = past.t_ms.map((t) => t / 1000);
  const group = new ZoomGroup([past.from_ms / 1000, past.until_ms / 1000]);
  const decisions = past.decisions.filter((d) => Date.parse(d.began) < past.until_ms && Date.parse(d.ended ?? d.began) >= past.from_ms);
  const windows = bandsOf(past, decisions);
  const known = (name: string) => past.series[name]?.mean.some((value) => value !== null) === true;
  if (!known("coverage")) return [nothing("Nothing is known of that time: the controller did not run, or no device reported.")];
  const curve = (name: string, isRange: boolean) => {
    const s = past.series[name]!;
    return isRange
      ? [
          { label: "least", values: s.least, hue: 6, width: 0.8 },
          { label: "most", values: s.most, hue: 1, width: 0.8 },
          { label: "mean", values: s.mean, hue: 0 },
        ]
      : [{ label: "mean", values: s.mean }];
  };
  const one = (title: string, unit: string, name: string, isRange = past.step_ms > 1000) =>
    known(name) ? chart({ title, group, windows, x: { label: "", unit: "", isTime: true, values: xs }, y: { unit }, curves: curve(name, isRange) }) : null;
  const arms = known("with")
    ? chart({
        title: "Metric with what was tried, and without",
        group,
        windows,
        x: { label: "", unit: "", isTime: true, values: xs },
        y: { unit: "" },
        curves: [
          { label: "with", values: past.series.with!.mean },
          { label: "without", values: past.series.without!.mean },
        ],
      })
    : null;
  const settings = knobCharts(past.knobs, group, [past.from_ms, past.until_ms]);
  return [
    h("p", { class: "hint" }, `A point is ${stepText(past.step_ms)}, from ${past.source === "memory" ? "the controller's memory" : past.source}. Shaded: a setting was being tried. Gaps: nothing was reported. Drag to zoom.`),
    h(
      "div",
      { class: "charts" },
      ...[
        one("Metric that decides", "", "metric"),
        arms,
        one("Utilisation", "share", "utilisation"),
        one("Time paused", "share", "paused"),
        one("CNPs", "count", "cnps"),
        one("Devices that report in time", "share", "coverage", false),
      ].filter((element) => element !== null),
    ),
    ...(settings.length > 0 ? [h("h3", {}, "Current settings"), h("div", { class: "charts small" }, ...settings)] : []),
    h(
      "details",
      { class: "past-decisions" },
      h("summary", {}, decisions.length > 0 ? `What was tried: ${countOf(decisions.length, "decision")}` : "Nothing was tried in that time, by the last records"),
      ...decisionList(decisions),
    ),
  ];
}
