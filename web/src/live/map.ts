// Devices as a map of cells, which events keep up to date, and as a list that fetches only visible rows. At
// most 512 cells and a few dozen rows are drawn, for any number of devices.
import { ask } from "./access";
import type { Num } from "../data";
import { choice, h, nothing } from "../dom";
import { countOf, digits, format, known } from "../format";
import { table, type TableColumn } from "../table";
import { heatColour, onThemeChange } from "../theme";
import { knobTexts, nameOf, oddIn, STATES, type Cell, type Device } from "./state";

const PAGE = 100; // devices per answer
const ROW_PX = 29;
const ROWS_SEEN = 14;
const RACKS_MAX = 25;

const views: { label: string; of: (c: Cell) => Num; unit: string; most?: number }[] = [
  { label: "utilisation", of: (c) => c.utilisation, unit: "share", most: 1 },
  { label: "time paused", of: (c) => c.paused, unit: "share", most: 1 },
  { label: "CNPs", of: (c) => c.cnps, unit: "count" },
  { label: "age of the last report", of: (c) => (c.age_s === null ? null : c.age_s * 1e6), unit: "us" },
];

export function codes(texts: string[]): HTMLElement {
  return h("span", { class: "codes" }, ...texts.map((text) => h("code", {}, text)));
}

// ---- the map

class CellMap {
  readonly element = h("div");
  private box = h("div", { class: "device-map", role: "img" });
  private drawn: HTMLElement[] = [];
  private looks: string[] = [];
  private cells: Cell[] = [];
  private which = 0;
  private readonly readout = h("p", { class: "readout" }, "");

  constructor(private readonly onPick: (cell: Cell) => void) {
    this.element.append(
      h("p", {}, choice("Colour", views.map((view) => view.label), (which) => this.colourBy(which), 0)),
      this.box,
      this.readout,
    );
    onThemeChange(() => this.paint(true));
  }

  show(cells: Cell[], isOther: boolean): void {
    this.cells = cells;
    if (isOther || this.drawn.length !== cells.length) this.build();
    this.paint(isOther);
  }

  private colourBy(which: number): void {
    this.which = which;
    this.paint(true);
  }

  private build(): void {
    const size = this.cells.length > 400 ? 12 : this.cells.length > 60 ? 20 : 34;
    this.box.style.setProperty("--cell", `${size}px`);
    this.looks = [];
    this.drawn = this.cells.map((_cell, i) =>
      h("span", { mouseenter: () => this.readout.replaceChildren(this.textOf(this.cells[i]!)), click: () => this.onPick(this.cells[i]!) }),
    );
    this.box.replaceChildren(...this.drawn);
    const isMany = this.cells.some((cell) => cell.count > 1);
    this.readout.replaceChildren(
      `Point at a cell for its device${isMany ? "s" : ""}, click to see ${isMany ? "them" : "it"} in the list. A red frame: silent, broken or frozen; a dot: has the setting that is being tried.`,
    );
  }

  private textOf(cell: Cell): string {
    const view = views[this.which]!;
    const states = cell.states.flatMap((count, k) => (count > 0 ? [cell.count > 1 ? `${count} ${STATES[k]}` : STATES[k]!] : []));
    const which = cell.count > 1 ? (view.label === "utilisation" ? ", mean," : view.label === "CNPs" ? ", sum," : ", worst,") : "";
    return `${nameOf(cell)}: ${view.label}${which} ${known(view.of(cell), view.unit)}; ${states.join(", ")}`;
  }

  // Changes only cells that look different.
  private paint(isAll: boolean): void {
    const view = views[this.which]!;
    const most = view.most ?? Math.max(1e-9, ...this.cells.map((cell) => view.of(cell) ?? 0));
    const devices = this.cells.reduce((sum, cell) => sum + cell.count, 0);
    this.box.setAttribute("aria-label", `${countOf(devices, "device")} in ${countOf(this.cells.length, "cell")}, coloured by ${view.label}; the list below has the values`);
    this.cells.forEach((cell, i) => {
      const value = view.of(cell);
      const look = `cell${oddIn(cell) > 0 ? " needs-attention" : ""}${cell.tried > 0 ? " tried" : ""}|${value === null ? "" : heatColour(value / most)}`;
      if (!isAll && this.looks[i] === look) return;
      const [name, background] = look.split("|");
      this.looks[i] = look;
      this.drawn[i]!.className = name!;
      this.drawn[i]!.style.background = background!;
    });
  }
}

// ---- the list

const columns: TableColumn[] = [
  { head: "Device" },
  { head: "State" },
  { head: "Last report", isNumber: true },
  { head: "Use", isNumber: true },
  { head: "Paused", isNumber: true },
  { head: "CNPs", isNumber: true },
  { head: "Metric", isNumber: true },
  { head: "Changed from baseline" },
];

function cellsOfRow(d: Device): (string | HTMLElement)[] {
  return [
    d.name,
    d.why ? `${d.state}: ${d.why}` : d.state,
    d.age_ms === null ? "never" : `${format(d.age_ms * 1000, "us")} ago`,
    known(d.utilisation, "share"),
    known(d.paused, "share"),
    known(d.cnps, "count"),
    d.metric === null ? "unknown" : digits(d.metric),
    codes(knobTexts(d.changed, d.was)),
  ];
}

async function fetchPage(first: number): Promise<Device[]> {
  const reply = await ask(`/api/devices/${first}`);
  return reply.ok ? ((await reply.json()) as { devices: Device[] }).devices : [];
}

// Rows have the positions they would have in a full list. Only visible rows exist and are fetched.
class DeviceList {
  readonly element: HTMLDetailsElement;
  private total = 0;
  private asked = new Map<number, number>(); // pages, and when
  private known = new Map<number, Device>();
  private readonly summary = h("summary", {}, "");
  private readonly place = h("div");
  private readonly body = h("div", { role: "rowgroup", class: "rows" });
  private readonly box = h(
    "div",
    { class: "virtual scroll", tabindex: 0, scroll: () => this.draw() },
    h("div", { role: "row", class: "row head" }, ...columns.map((c) => h("span", { role: "columnheader", class: c.isNumber ? "number" : null }, c.head))),
    this.body,
  );

  constructor() {
    this.box.setAttribute("role", "table");
    this.box.setAttribute("aria-label", "Devices in the order of their names");
    this.element = h("details", { toggle: () => void this.refresh() }, this.summary, this.place);
  }

  show(total: number): void {
    if (total !== this.total) {
      this.total = total;
      this.summary.replaceChildren(countOf(total, "device"));
      this.box.setAttribute("aria-rowcount", String(total + 1));
      this.body.style.height = `${total * ROW_PX}px`;
      this.box.style.maxHeight = `${ROWS_SEEN * ROW_PX}px`;
      if (total <= 16) this.element.open = true;
      if (total > PAGE) this.place.replaceChildren(this.box);
    }
    void this.refresh();
  }

  goTo(at: number): void {
    this.element.open = true;
    if (this.total > PAGE) this.box.scrollTop = at * ROW_PX;
    this.element.scrollIntoView({ block: "nearest" });
    this.draw();
  }

  // Fetches the visible rows again.
  private async refresh(): Promise<void> {
    if (!this.element.open || this.total === 0 || document.hidden) return;
    if (this.total > PAGE) {
      this.draw(true);
      return;
    }
    const devices = await fetchPage(0);
    if (this.place.querySelector(":focus") === null) this.place.replaceChildren(table(columns, devices.map(cellsOfRow), "Devices in the order of their names", "stack"));
  }

  private inSight(): [number, number] {
    const first = Math.max(0, Math.floor(this.box.scrollTop / ROW_PX) - 2);
    return [first, Math.min(this.total, first + ROWS_SEEN + 4)];
  }

  private draw(isFresh = false): void {
    const [from, to] = this.inSight();
    for (let page = Math.floor(from / PAGE); page * PAGE < to; page++) void this.ask(page, isFresh);
    this.body.replaceChildren(
      ...Array.from({ length: to - from }, (_row, k) => {
        const device = this.known.get(from + k);
        const cells = device ? cellsOfRow(device) : ["…"];
        return h(
          "div",
          { role: "row", class: "row", "aria-rowindex": from + k + 2, style: `top: ${(from + k) * ROW_PX}px` },
          ...columns.map((c, i) => h("span", { role: i === 0 ? "rowheader" : "cell", class: c.isNumber ? "number" : null }, cells[i] ?? "")),
        );
      }),
    );
  }

  private async ask(page: number, isFresh: boolean): Promise<void> {
    const age = performance.now() - (this.asked.get(page) ?? -Infinity);
    if (age < (isFresh ? 900 : 5000)) return;
    this.asked.set(page, performance.now());
    const devices = await fetchPage(page * PAGE);
    if (this.known.size > 20 * PAGE) this.known.clear();
    devices.forEach((device, i) => this.known.set(page * PAGE + i, device));
    this.draw();
  }
}

// ---- racks

function rackTable(cells: Cell[], onPick: (cell: Cell) => void): HTMLElement {
  const bad = (c: Cell) => oddIn(c) * 10 + (c.paused ?? 0) + (c.utilisation ?? 0) / 100;
  const worst = [...cells].sort((a, b) => bad(b) - bad(a)).slice(0, RACKS_MAX);
  return table(
    [
      { head: "Devices" },
      { head: "How many", isNumber: true },
      { head: "Silent", isNumber: true },
      { head: "Broken", isNumber: true },
      { head: "Frozen", isNumber: true },
      { head: "Use, mean", isNumber: true },
      { head: "Paused, worst", isNumber: true },
      { head: "CNPs", isNumber: true },
      { head: "Oldest report", isNumber: true },
    ],
    worst.map((c) => [
      h("button", { type: "button", class: "link", click: () => onPick(c) }, nameOf(c)),
      String(c.count),
      ...c.states.slice(0, 3).map(String),
      known(c.utilisation, "share"),
      known(c.paused, "share"),
      known(c.cnps, "count"),
      c.age_s === null ? "never" : `${c.age_s === 0 ? "< 1" : c.age_s} s ago`,
    ]),
    "Racks, those that need attention first",
  );
}

// ---- all of it

export class Devices {
  readonly element = h("div", {}, nothing("No device has reported yet."));
  private readonly list = new DeviceList();
  private readonly map = new CellMap((cell) => this.list.goTo(cell.at));
  private readonly racks = h("details", { class: "racks" }, h("summary", {}, ""));
  private version = -1;

  show(cells: Cell[], version: number, total: number): void {
    if (cells.length === 0) return;
    const isOther = version !== this.version;
    if (this.version < 0) this.element.replaceChildren(this.map.element, this.racks, this.list.element);
    this.version = version;
    this.map.show(cells, isOther);
    this.racks.hidden = cells.every((cell) => cell.count === 1);
    if (!this.racks.hidden) {
      this.racks.querySelector("summary")!.textContent = `${countOf(cells.length, "rack")}, the ${Math.min(RACKS_MAX, cells.length)} that need attention first`;
      if (this.racks.open || this.racks.childElementCount === 1) this.redrawRacks(cells);
    }
    this.list.show(total);
  }

  private redrawRacks(cells: Cell[]): void {
    if (this.racks.querySelector(":focus") !== null) return;
    this.racks.replaceChildren(this.racks.firstElementChild!, rackTable(cells, (cell) => this.list.goTo(cell.at)));
  }
}
