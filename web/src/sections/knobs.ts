// Settings: a small chart for each changed knob, a table of the others.
import type { KnobLine, Run } from "../data";
import { h, nothing } from "../dom";
import { formatSetting } from "../format";
import { term } from "../help";
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
  const figure = chart({
    title: knob.name,
    name: knob.name,
    height: 110,
    isStepped: true,
    windows: shadesOf(run),
    group,
    x: { label: "time", unit: "us", values: isLonger ? [...knob.at_us, end] : knob.at_us, isBare: true },
    y: {
      unit: formatSetting(0, knob.unit).slice(1).trim(),
      write: (value) => formatSetting(value, knob.unit),
    },
    curves: [{ label: knob.name, values: isLonger ? [...knob.values, knob.values.at(-1)!] : knob.values }],
  });
  figure.classList.add("small");
  return figure;
}

export function changedKnobs(run: Pick<Run, "knobs" | "windows" | "outages">, group: ZoomGroup): HTMLElement {
  const changed = run.knobs.filter(isChanged);
  return changed.length > 0
    ? h("div", { class: "charts three" }, ...changed.map((knob) => knobChart(knob, run, group)))
    : nothing("No knob changed during the run.");
}

// The tuner section shows the knobs that a tuner changed.
export function knobsPart(run: Run, group: ZoomGroup): HTMLElement {
  const known = run.knobs.filter((knob) => knob.values.length > 0);
  const fixed = known.filter((knob) => !isChanged(knob));
  return h(
    "div",
    { id: "knobs" },
    known.length === 0 && nothing("This run has no knobs."),
    !run.tuning && fixed.length < known.length && changedKnobs(run, group),
    fixed.length > 0 &&
      table(
        [{ head: "Knob that did not change" }, { head: "Value", isNumber: true }],
        fixed.map((knob) => [term(knob.name, knob.name), formatSetting(knob.values[0]!, knob.unit)]),
        "Knobs that did not change",
      ),
  );
}
