// Thresholds of queues, if a tuner sets each separately.
import type { Run, TunedQueues, Tuning } from "../data";
import { choice, h, nothing } from "../dom";
import { format, plain } from "../format";
import { heldAt, queuesText } from "../queues";
import { shadesOf } from "../shades";
import { table } from "../table";
import { chart } from "../charts/chart";
import type { ZoomGroup } from "../charts/zoom";

type Line = TunedQueues["lines"][number];

const measures = [
  { label: "kmin", unit: "bytes", of: (line: Line) => line.kmin_bytes },
  { label: "kmax", unit: "bytes", of: (line: Line) => line.kmax_bytes },
  { label: "pmax", unit: "share", of: (line: Line) => line.pmax },
];

function thresholdChart(run: Pick<Run, "windows" | "outages">, queues: TunedQueues, group: ZoomGroup): HTMLElement {
  const place = h("div", { class: "swap wide" });
  const xs = [...new Set([...queues.lines.flatMap((line) => line.at_us), group.full[1]])].sort((a, b) => a - b);
  const show = (which: number) => {
    const { label, unit, of } = measures[which]!;
    place.replaceChildren(
      chart({
        title: `Thresholds by queue: ${label}`,
        isStepped: true,
        isWide: true,
        height: 230,
        group,
        windows: shadesOf(run),
        x: { label: "time", unit: "us", values: xs },
        y: { unit, isLog: unit === "bytes" && queues.lines.every((line) => of(line).every((value) => value > 0)) },
        curves: queues.lines.map((line) => ({
          label: line.name.replace(">", "→"),
          values: heldAt(xs, line.at_us, of(line)),
        })),
        extra: [
          choice(
            "Show",
            measures.map((measure) => measure.label),
            show,
            which,
          ),
        ],
      }),
    );
  };
  show(0);
  return place;
}

function settingTable({ settings }: TunedQueues): HTMLElement {
  return table(
    [
      { head: "kmin", isNumber: true },
      { head: "kmax", isNumber: true },
      { head: "pmax", isNumber: true },
      { head: "Share of time", isNumber: true },
    ],
    settings.map((s) => [
      format(s.kmin_bytes, "bytes"),
      format(s.kmax_bytes, "bytes"),
      plain(s.pmax),
      format(s.share, "share"),
    ]),
    "Thresholds used longest",
  );
}

export function queuesPart(run: Pick<Run, "windows" | "outages">, tuning: Tuning, group: ZoomGroup): HTMLElement | null {
  const { queues } = tuning;
  if (!queues) return null;
  if (queues.lines.length === 0) return nothing("No queue got other thresholds than it began with.");
  return h(
    "div",
    { class: "queues" },
    h(
      "p",
      { class: "hint" },
      `Every queue has thresholds of its own. ${queuesText(queues)} ` +
        (queues.changed > queues.lines.length
          ? `Curves: the ${queues.lines.length} that were changed most often. `
          : "") +
        "The knobs of the network as a whole stay as they are.",
    ),
    h("div", { class: "charts" }, thresholdChart(run, queues, group)),
    h("h3", {}, "Thresholds used longest"),
    settingTable(queues),
  );
}
