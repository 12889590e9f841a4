// The parts of a controller's page, made of the components of the report.
import type { Num } from "../data";
import { choice, h, nothing } from "../dom";
import { countOf, digits, format, NONE, plain } from "../format";
import { chart } from "../charts/chart";
import { timeGroupUntil } from "../sections/time";
import { table } from "../table";
import { heatColour } from "../theme";
import { cellsOf, trialBands, type Device, type Fabric, type Knobs, type Trial } from "./state";

const ROWS_MAX = 200;
const clock = (when: number | string) => new Date(when).toLocaleTimeString([], { hour12: false });
const knobTexts = (knobs: Knobs | undefined) => Object.entries(knobs ?? {}).map(([name, value]) => `${name}=${plain(value)}`);

function codes(texts: string[]): HTMLElement {
  return h("span", { class: "codes" }, ...texts.map((text) => h("code", {}, text)));
}

// ---- what is the matter

const phases: Record<string, string> = {
  none: "Nothing is being tried.",
  waiting: "waits to be approved",
  "lead-in": "is being set; not measured yet",
  run: "is measured against devices that keep the old setting",
  spread: "is set on all devices",
  soak: "is watched on all devices before it is confirmed",
  confirm: "is being confirmed",
  abort: "is being taken back",
};

// An e-value on its way to the one that decides, on a logarithmic scale.
function evidence(label: string, value: number | undefined, limit: number | undefined, kind: string): HTMLElement | null {
  if (value === undefined || limit === undefined) return null;
  const share = Math.min(1, Math.max(0, Math.log(Math.max(value, 1)) / Math.log(limit)));
  return h(
    "div",
    { class: "evidence" },
    h("span", {}, label),
    h("meter", { min: 0, max: 1, value: share, class: kind, "aria-label": `${label}: ${digits(value)} of ${plain(limit)}` }),
    h("span", { class: "number" }, `${digits(value)} of ${plain(limit)}`),
  );
}

function trialPart(trial: Trial): HTMLElement[] {
  if (trial.phase === "none") return [nothing(phases.none!)];
  const bound = trial.gain_at_least ?? null;
  const gain = trial.gain === undefined || trial.gain === null ? "" : `gain ${digits(trial.gain)}${bound === null ? "" : `, at least ${digits(bound)}`} over ${countOf(trial.pairs ?? 0, "pair")} of blocks`;
  return [
    h(
      "p",
      {},
      h("strong", {}, `Trial ${trial.number}`),
      ` ${phases[trial.phase] ?? trial.phase}${trial.stage ? `; stage: ${trial.stage}` : ""}. `,
      trial.why ? h("span", { class: "muted" }, `Why: ${trial.why}. `) : "",
      codes(knobTexts(trial.set)),
    ),
    h(
      "div",
      { class: "evidences" },
      evidence("evidence of a gain", trial.e_gain, trial.accept_e, "good"),
      evidence("evidence of harm", trial.e_harm, trial.reject_e, "bad"),
    ),
    h("p", { class: "hint" }, gain),
  ];
}

export function nowPart(f: Fabric): HTMLElement[] {
  const tile = (name: string, value: string, title = "") =>
    h("div", { class: "tile", title }, h("dt", {}, name), h("dd", {}, value));
  const states = Object.entries(f.states).filter(([, count]) => count > 0);
  const why = f.frozen || f.obstacle;
  return [
    ...(why ? [h("div", { class: "partial", role: "note" }, h("p", {}, h("strong", {}, f.frozen ? "FROZEN" : "NOTHING IS TRIED"), `: ${why}`))] : []),
    h(
      "dl",
      { class: "tiles" },
      tile("devices", String(f.devices_total)),
      tile("report in time", format(f.coverage, "share"), "share of devices whose last report is not too old"),
      ...states.map(([name, count]) => tile(name, String(count))),
      tile("mode", f.mode),
      tile("role", f.role),
      tile("e-value without a change", digits(f.noise_e), "pairs of blocks in which nothing differed: should stay below 20"),
    ),
    ...trialPart(f.trial),
  ];
}

// ---- over time

export function timePart({ timeline }: Fabric): HTMLElement[] {
  const first = timeline.t_ms[0];
  if (first === undefined || timeline.t_ms.length < 2) return [nothing("There are no reports yet.")];
  const xs = timeline.t_ms.map((t) => (t - first) * 1000);
  const group = timeGroupUntil(xs.at(-1)!);
  const one = (title: string, unit: string, values: Num[], max?: number) =>
    chart({
      title,
      group,
      windows: trialBands(timeline),
      x: { label: `time since ${clock(first)}`, unit: "us", values: xs },
      y: { unit, ...(max === undefined ? {} : { max }) },
      curves: [{ label: title.toLowerCase(), values }],
    });
  return [
    h("p", { class: "hint" }, "A point a second, means over all devices. Shaded: a setting is being tried. Drag to zoom."),
    h(
      "div",
      { class: "charts" },
      one("Metric that decides", "", timeline.metric),
      one("Utilisation", "share", timeline.utilisation),
      one("Time paused", "share", timeline.paused),
      one("CNPs", "count", timeline.cnps),
      one("Devices that report in time", "share", timeline.coverage, 1),
    ),
  ];
}

// ---- devices

const views: { label: string; of: (d: Device) => Num; unit: string; most?: number }[] = [
  { label: "utilisation", of: (d) => d.utilisation, unit: "share", most: 1 },
  { label: "time paused", of: (d) => d.paused, unit: "share", most: 1 },
  { label: "CNPs", of: (d) => d.cnps, unit: "count" },
  { label: "age of the last report", of: (d) => (d.age_ms === null ? null : d.age_ms * 1000), unit: "us" },
];

const worst = (cell: Device[], of: (d: Device) => Num) =>
  cell.reduce<Num>((most, d) => (of(d) === null ? most : Math.max(most ?? -Infinity, of(d)!)), null);

const isOdd = (d: Device) => ["silent", "broken", "frozen"].includes(d.state);

// A cell a device, or a cell many of them.
function map(devices: Device[], which: number, readout: HTMLElement): HTMLElement {
  const view = views[which]!;
  const cells = cellsOf(devices);
  const most = view.most ?? Math.max(1e-9, ...cells.map((cell) => worst(cell, view.of) ?? 0));
  const size = cells.length > 400 ? 12 : cells.length > 60 ? 20 : 34;
  const each = cells[0]?.length ?? 1;
  return h(
    "div",
    { class: "device-map", style: `--cell: ${size}px`, role: "img", "aria-label": `${countOf(devices.length, "device")}, coloured by ${view.label}; the table below has the values` },
    ...cells.map((cell) => {
      const value = worst(cell, view.of);
      const text = `${cell[0]!.name}${cell.length > 1 ? ` … ${cell.at(-1)!.name}` : ""}: ${view.label}${each > 1 ? ", worst," : ""} ${format(value, view.unit)}; ${[...new Set(cell.map((d) => d.state))].join(", ")}`;
      return h("span", {
        class: `cell${cell.some(isOdd) ? " odd" : ""}${cell.some((d) => d.has_trial) ? " tried" : ""}`,
        style: value === null ? "" : `background: ${heatColour(value / most)}`,
        title: text,
        mouseenter: () => readout.replaceChildren(text),
      });
    }),
  );
}

let chosenView = 0;

export function devicePart({ devices }: Fabric): HTMLElement[] {
  if (devices.length === 0) return [nothing("No device has reported yet.")];
  const readout = h("p", { class: "readout" }, "Point at a cell for its device. A red frame: silent, broken or frozen; a dot: has the setting that is being tried.");
  const place = h("div");
  const show = (which: number) => {
    chosenView = which;
    place.replaceChildren(map(devices, which, readout));
  };
  show(chosenView);
  const bad = (d: Device) => (isOdd(d) ? 2 : 0) + (d.paused ?? 0);
  const rows = [...devices].sort((a, b) => bad(b) - bad(a)).slice(0, ROWS_MAX);
  return [
    h("p", {}, choice("Colour", views.map((view) => view.label), show, chosenView)),
    place,
    readout,
    h(
      "details",
      { open: devices.length <= 16 },
      h("summary", {}, devices.length > ROWS_MAX ? `The ${ROWS_MAX} worst of ${devices.length} devices` : countOf(devices.length, "device")),
      table(
        [{ head: "Device" }, { head: "State" }, { head: "Last report", isNumber: true }, { head: "Use", isNumber: true }, { head: "Paused", isNumber: true }, { head: "CNPs", isNumber: true }, { head: "Metric", isNumber: true }, { head: "Other than its baseline" }],
        rows.map((d) => [
          d.name,
          d.why ? `${d.state}: ${d.why}` : d.state,
          d.age_ms === null ? NONE : `${format(d.age_ms * 1000, "us")} ago`,
          format(d.utilisation, "share"),
          format(d.paused, "share"),
          format(d.cnps, "count"),
          d.metric === null ? NONE : digits(d.metric),
          codes(knobTexts(d.changed)),
        ]),
        "Devices, those that need attention first",
      ),
    ),
  ];
}

// ---- knobs

export function knobPart({ knobs, now_ms }: Fabric): HTMLElement[] {
  const names = [...new Set(knobs.flatMap((k) => [...Object.keys(k.confirmed), ...Object.keys(k.tried ?? {})]))];
  const moved = names.filter((name) => new Set(knobs.flatMap((k) => [k.confirmed[name], k.tried?.[name] ?? k.confirmed[name]])).size > 1);
  if (moved.length === 0) return [nothing("No knob has been changed or tried since the controller began.")];
  const first = knobs[0]!.t_ms;
  const xs = [...knobs.map((k) => (k.t_ms - first) * 1000), Math.max(0, now_ms - first) * 1000];
  const held = (values: Num[]) => [...values, values.at(-1) ?? null];
  const group = timeGroupUntil(xs.at(-1)!);
  return [
    h(
      "div",
      { class: "charts small" },
      ...moved.map((name) =>
        chart({
          title: name,
          height: 125,
          isStepped: true,
          group,
          x: { label: `time since ${clock(first)}`, unit: "us", values: xs },
          y: { unit: "" },
          curves: [
            { label: "in force", values: held(knobs.map((k) => k.confirmed[name] ?? null)) },
            { label: "being tried", values: held(knobs.map((k) => k.tried?.[name] ?? null)) },
          ],
        }),
      ),
    ),
  ];
}

// ---- decisions

const signs: Record<string, string> = { kept: "✓ kept", dropped: "✗ dropped", open: "… open", "would try": "· would try" };

export function decisionPart({ decisions }: Fabric): HTMLElement[] {
  if (decisions.length === 0) return [nothing("Nothing has been tried yet.")];
  return [...decisions].reverse().slice(0, 50).map((d) =>
    h(
      "details",
      { class: "decision", "data-trial": d.trial },
      h(
        "summary",
        {},
        h("strong", { class: d.outcome === "kept" ? "better" : d.outcome === "dropped" ? "worse" : "" }, signs[d.outcome] ?? d.outcome),
        ` trial ${d.trial}, ${clock(d.began)}: ${d.end || d.why}`,
      ),
      h("p", {}, codes(knobTexts(d.set))),
      d.evidence ? h("p", { class: "hint" }, `Evidence: ${d.evidence}.`) : null,
      table(
        [{ head: "Time" }, { head: "What" }, { head: "Why" }, { head: "Evidence" }],
        d.steps.map((step) => [clock(step.time), step.what, step.why, step.evidence]),
        `Steps of trial ${d.trial}`,
      ),
    ),
  );
}

export function auditPart({ audit }: Fabric): HTMLElement[] {
  if (audit.length === 0) return [nothing("The audit log is empty.")];
  return [
    h(
      "details",
      {},
      h("summary", {}, `The last ${countOf(audit.length, "record")}; anole ctl history has all`),
      table(
        [{ head: "Number", isNumber: true }, { head: "Time" }, { head: "Who" }, { head: "What" }, { head: "Device" }, { head: "Why" }],
        [...audit].reverse().map((r) => [String(r.seq), new Date(r.time).toLocaleString(), r.who, r.what, r.device ?? "", r.why ?? ""]),
        "Audit log, newest first",
      ),
    ),
  ];
}

