// Settings that were tried on a twin of the network before one was applied: predictions, choice and result.
import type { TwinSearch } from "../data";
import { h } from "../dom";
import { axisFor, axisHead, changeText, effect, intervalText } from "../effects";
import { countOf, format, formatSetting, NONE, typeset } from "../format";
import { table } from "../table";
import { BASELINE_HUE } from "../theme";
import { codes } from "./head";

const SHOWN_MAX = 20;

type Tried = TwinSearch["tried"][number];

const nameOf = (t: Tried, found: number) => t.name ?? `found ${found}`;
const fateOf = (t: Tried) => (t.is_chosen ? "✓ set" : t.is_now ? "current" : t.is_out ? "dropped out" : "");

function settingOf(t: Tried): HTMLElement | string {
  if (t.set.length === 0) return t.is_now ? "" : "same as current";
  return h(
    "details",
    {},
    h("summary", {}, countOf(t.set.length, "knob")),
    codes(t.set.map(([name, value, unit]) => `${name} = ${formatSetting(value, unit)}`)),
  );
}

// The candidates of the last final on a twin, with their predicted gains.
export function triedTable(tried: Tried[], caption: string): HTMLElement {
  const slowdown = { better: "lower" as const };
  const axis = axisFor([{ ...slowdown, variants: tried }]);
  const judged = (t: Tried) => ({ ...t, is_significant: (t.change_low ?? 0) > 0 || (t.change_high ?? 0) < 0 });
  let found = 0;
  return table(
    [{ head: "Setting" }, { head: "" }, { head: "Slowdown, predicted", isNumber: true }, { head: "95 % interval", isNumber: true }, { head: "Blocks", isNumber: true }, { head: "Result" }, { head: "Changes from current setting" }],
    [
      ...tried.map((t) => {
        if (t.name === null) found++;
        return [
          nameOf(t, found),
          h("div", { class: "pl" }, t.is_now ? "" : effect(slowdown, judged(t), axis, t.is_chosen ? 0 : BASELINE_HUE)),
          t.is_now ? NONE : changeText(t.change),
          t.is_now ? NONE : intervalText(judged(t)),
          String(t.blocks),
          fateOf(t),
          settingOf(t),
        ];
      }),
      [h("span", { class: "unseen" }, "Scale"), h("div", { class: "pl" }, axisHead(axis)), "", "", "", "", ""],
    ],
    caption,
  );
}

function searchPart(search: TwinSearch, isOpen: boolean): HTMLElement {
  return h(
    "details",
    { class: "twin", open: isOpen },
    h("summary", {}, `${format(search.end_us, "us")}: ${typeset(search.why)}`),
    search.came ? h("p", {}, "Result: ", typeset(search.came), ".") : null,
    triedTable(search.tried, `Settings that were raced on the twin at ${format(search.end_us, "us")}`),
  );
}

export function twinsPart(twins: TwinSearch[]): HTMLElement | null {
  if (twins.length === 0) return null;
  const shown = twins.slice(-SHOWN_MAX);
  return h(
    "div",
    { class: "twins" },
    h("h3", {}, "Candidates on the twin"),
    h(
      "p",
      { class: "hint" },
      `${countOf(twins.length, "search", "searches")} on a simulated twin. Shown: the last race, on messages that the search had not used, against the current setting. Better is on the right.${twins.length > SHOWN_MAX ? ` The last ${SHOWN_MAX}.` : ""}`,
    ),
    ...shown.map((search, i) => searchPart(search, i === shown.length - 1)),
  );
}
