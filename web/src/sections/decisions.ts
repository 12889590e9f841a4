// The table of a tuner's steps. Rows are created while the user scrolls, because there may be thousands.
import type { Tuning } from "../data";
import { choice, h } from "../dom";
import { countOf, format } from "../format";
import { markColours } from "../charts/utility";
import { marks, phaseOf, setTexts, shows, stepsOf, verdicts, writeUtility, type Show } from "../tuning";

const ROWS_AT_ONCE = 150;
const PAGE_ROWS = 10;
const PAPER_ROWS = 60; // in print; the style sheet hides the others
const heads = ["Time", "Phase", "Verdict", "Utility", "Why", "Set"];

export class DecisionTable {
  readonly element: HTMLElement;
  private readonly body = h("tbody", {
    click: (event: MouseEvent) => this.onClick(event),
    keydown: (event: KeyboardEvent) => this.onKey(event),
  });
  private readonly table = h(
    "table",
    { role: "grid", class: "decisions", "aria-label": "Decisions. Arrow keys go from step to step." },
    h("thead", {}, h("tr", {}, ...heads.map((head) => h("th", { scope: "col" }, head)))),
    this.body,
  );
  private readonly scroller = h("div", { class: "scroll", scroll: () => this.fillIfNear() }, this.table);
  private readonly select: HTMLSelectElement;
  private readonly rest = h("p", { class: "on-paper" });
  private steps: number[] = []; // the visible steps
  private chosen: number | null = null; // a step

  // 'choose' is called with the step that the user selects here.
  constructor(
    private readonly tuning: Tuning,
    private readonly choose: (step: number) => void,
  ) {
    const counts = shows.map((show) => stepsOf(tuning, show).length);
    const first = counts[0]! > 0 ? 0 : 2;
    const select = choice(
      "Show",
      shows.map((show, i) => `${show} (${counts[i]!.toLocaleString("en-US")})`),
      (which) => this.fill(shows[which]!),
      first,
    );
    this.select = select.querySelector("select")!;
    // A tuner of single queues changes no knobs, so reasons get the whole width.
    this.table.classList.toggle("unset", tuning.steps.set.every((set) => set.length === 0));
    this.element = h("div", {}, h("h3", {}, "Decisions", select), this.scroller, this.rest);
    this.fill(shows[first]!);
  }

  // Shows a step that was selected elsewhere. Shows all steps if it is not visible.
  reveal(step: number, isFocused: boolean): void {
    this.element.closest("details")?.setAttribute("open", "");
    if (!this.steps.includes(step)) {
      this.select.selectedIndex = shows.indexOf("all steps");
      this.fill("all steps");
    }
    const row = this.rowOf(this.steps.indexOf(step));
    this.mark(row, step);
    if (isFocused) row.focus({ preventScroll: true });
    this.scroller.scrollTop = row.offsetTop - this.scroller.clientHeight / 2;
  }

  private fill(show: Show): void {
    this.steps = stepsOf(this.tuning, show);
    this.body.replaceChildren();
    this.scroller.scrollTop = 0;
    this.table.setAttribute("aria-rowcount", String(this.steps.length + 1));
    const count = this.steps.length;
    this.rest.textContent =
      count > PAPER_ROWS ? `The first ${PAPER_ROWS} of ${countOf(count, "step")}.` : "";
    this.append(ROWS_AT_ONCE);
    const at = this.chosen === null ? -1 : this.steps.indexOf(this.chosen);
    if (at >= 0) this.mark(this.rowOf(at), this.chosen!);
    else this.body.firstElementChild?.setAttribute("tabindex", "0");
  }

  private append(count: number): void {
    const from = this.body.childElementCount;
    this.body.append(...this.steps.slice(from, from + count).map((step, i) => this.makeRow(step, from + i)));
  }

  private fillIfNear(): void {
    const { scrollTop, clientHeight, scrollHeight } = this.scroller;
    if (scrollTop + 2 * clientHeight > scrollHeight) this.append(ROWS_AT_ONCE);
  }

  private makeRow(step: number, at: number): HTMLElement {
    const { steps } = this.tuning;
    const verdict = steps.verdict[step]!;
    const mark = h("span", { class: `mark ${markColours[verdict]}`, "aria-hidden": "true" }, marks[verdict]);
    return h(
      "tr",
      { tabindex: -1, "aria-rowindex": at + 2, "data-step": step },
      h("th", { scope: "row", class: "number" }, format(steps.end_us[step]!, "us")),
      h("td", {}, phaseOf(this.tuning, step)),
      h("td", {}, verdict > 0 && mark, verdicts[verdict]),
      h("td", { class: "number" }, writeUtility(steps.utility[step] ?? null)),
      h("td", {}, steps.why[step]),
      h("td", {}, setTexts(this.tuning, step).join(", ")),
    );
  }

  // Returns the row of a position in the list. Creates all rows up to it.
  private rowOf(at: number): HTMLElement {
    this.append(at + 1 - this.body.childElementCount);
    return this.body.children[at] as HTMLElement;
  }

  private mark(row: HTMLElement, step: number): void {
    for (const other of this.body.querySelectorAll("[tabindex='0']")) other.setAttribute("tabindex", "-1");
    for (const other of this.body.querySelectorAll("[aria-selected]")) other.removeAttribute("aria-selected");
    row.setAttribute("tabindex", "0");
    row.setAttribute("aria-selected", "true");
    this.chosen = step;
  }

  private goTo(at: number): void {
    const to = Math.min(Math.max(at, 0), this.steps.length - 1);
    const row = this.rowOf(to);
    this.mark(row, this.steps[to]!);
    row.focus();
    row.scrollIntoView({ block: "nearest" });
    this.choose(this.steps[to]!);
  }

  private onClick(event: MouseEvent): void {
    const row = (event.target as Element).closest("tr");
    if (row && getSelection()?.isCollapsed !== false) this.goTo([...this.body.children].indexOf(row));
  }

  private onKey(event: KeyboardEvent): void {
    const row = (event.target as Element).closest("tr");
    const at = row ? [...this.body.children].indexOf(row) : 0;
    const places: Record<string, number> = {
      Enter: at,
      " ": at,
      ArrowDown: at + 1,
      ArrowUp: at - 1,
      PageDown: at + PAGE_ROWS,
      PageUp: at - PAGE_ROWS,
      Home: 0,
      End: this.steps.length - 1,
    };
    const to = places[event.key];
    if (to === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    this.goTo(to);
  }
}
