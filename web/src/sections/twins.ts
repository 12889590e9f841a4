// Settings that were tried on a twin of the network before one was applied: what each was predicted to be worth, what was
// chosen, and what came of it.
import type { TwinSearch } from "../data";
import { h } from "../dom";
import { countOf, format, formatChange, formatSetting, NONE } from "../format";
import { table } from "../table";
import { whiskerAxis, whiskerRange, whiskers } from "../whiskers";
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

// Who ran in the last race on a twin, with what each was predicted to be worth.
export function triedTable(tried: Tried[], caption: string): HTMLElement {
  const range = whiskerRange([{ variants: tried } as unknown as Parameters<typeof whiskerRange>[0][number]]);
  let found = 0;
  return table(
    [{ head: "Setting" }, { head: "" }, { head: "Slowdown, predicted", isNumber: true }, { head: "95 % interval", isNumber: true }, { head: "Blocks", isNumber: true }, { head: "Result" }, { head: "Changes from current setting" }],
    [
      ...tried.map((t) => {
        if (t.name === null) found++;
        return [
          nameOf(t, found),
          h("span", { class: `whiskers ${t.is_chosen ? "better" : "other"}` }, whiskers(t, range)),
          t.is_now ? NONE : formatChange(t.change),
          t.is_now ? NONE : `${formatChange(t.change_low)} to ${formatChange(t.change_high)}`,
          String(t.blocks),
          fateOf(t),
          settingOf(t),
        ];
      }),
      [h("span", { class: "unseen" }, "Scale"), h("span", { class: "whiskers" }, whiskerAxis(range)), "", "", "", "", ""],
    ],
    caption,
  );
}

function searchPart(search: TwinSearch, isOpen: boolean): HTMLElement {
  return h(
    "details",
    { class: "twin", open: isOpen },
    h("summary", {}, `${format(search.end_us, "us")}: ${search.why}`),
    search.came ? h("p", {}, "What came: ", search.came, ".") : null,
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
      `${countOf(twins.length, "search", "searches")} on a simulated twin. Shown: the last race, on messages that the search had not used, against the current setting. Left of 0 is better.${twins.length > SHOWN_MAX ? ` The last ${SHOWN_MAX}.` : ""}`,
    ),
    ...shown.map((search, i) => searchPart(search, i === shown.length - 1)),
  );
}
