// The settings: a small chart for each that changed, a table of the others.
import type { KnobLine, Run } from "../data";
import { h, nothing, section } from "../dom";
import { formatSetting } from "../format";
import { shadesOf } from "../shades";
import { table } from "../table";
import { chart } from "../charts/chart";
import type { ZoomGroup } from "../charts/zoom";

function isChanged(knob: KnobLine): boolean {
  return knob.values.some((value) => value !== knob.values[0]);
}

function knobChart(knob: KnobLine, run: Pick<Run, "windows" | "outages">, group: ZoomGroup): HTMLElement {
  const end = Math.max(group.full[1], knob.at_us.at(-1)!);
  const isLonger = end > knob.at_us.at(-1)!;
  return chart({
    title: knob.name,
    height: 125,
    isStepped: true,
    windows: shadesOf(run),
    group,
    x: { label: "time", unit: "us", values: isLonger ? [...knob.at_us, end] : knob.at_us },
    y: {
      unit: formatSetting(0, knob.unit).slice(1).trim(),
      write: (value) => formatSetting(value, knob.unit),
    },
    curves: [{ label: knob.name, values: isLonger ? [...knob.values, knob.values.at(-1)!] : knob.values }],
  });
}

export function changedKnobs(run: Pick<Run, "knobs" | "windows" | "outages">, group: ZoomGroup): HTMLElement {
  const changed = run.knobs.filter(isChanged);
  return changed.length > 0
    ? h("div", { class: "charts small" }, ...changed.map((knob) => knobChart(knob, run, group)))
    : nothing("No knob changed during the run.");
}

export function knobSection(run: Run, group: ZoomGroup): HTMLElement {
  const known = run.knobs.filter((knob) => knob.values.length > 0);
  const fixed = known.filter((knob) => !isChanged(knob));
  if (known.length === 0) return section("knobs", "Knobs", nothing("This run has no knobs."));
  return section(
    "knobs",
    "Knobs",
    run.tuning
      ? h(
          "p",
          { class: "hint" },
          run.tuning.queues
            ? "The tuner sets thresholds of queues; see Tuning."
            : "Those that changed are shown under Tuning.",
        )
      : changedKnobs(run, group),
    fixed.length > 0 &&
      h(
        "details",
        {},
        h("summary", {}, `${fixed.length} unchanged`),
        h(
          "div",
          { class: "columns" },
          table(
            [{ head: "Knob" }, { head: "Value", isNumber: true }],
            fixed.map((knob) => [knob.name, formatSetting(knob.values[0]!, knob.unit)]),
            "Knobs that did not change",
          ),
        ),
      ),
  );
}
