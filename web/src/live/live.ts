// The page of a controller: what there is, what is tried and why, and what a person may order.
import type { Page } from "../data";
import { h, nothing } from "../dom";
import { Parts } from "../parts";
import { head } from "../sections/head";
import { orders } from "./orders";
import { History } from "./history";
import { FabricMap } from "./fabric";
import { Devices } from "./map";
import { jobPart, nextPart } from "./next";
import { agreementPart, auditPart, decisionPart, flowPart, timePart } from "./sections";
import { topPart } from "./top";
import { titleOf } from "./verdict";
import { ask, hasToken } from "./access";
import { Stream, type Told } from "./stream";
import { cellsOf, grow, type CellRow, type Fabric, type LinkRow, type Pulse, type WorstRow } from "./state";

const REFRESH_MS = 10000; // of what the stream does not tell: settings, decisions, records
const SOON_MS = 300;

function makeParts(map: FabricMap, devices: Devices, history: History): Parts<Fabric> {
  return new Parts<Fabric>([
    { id: "now", title: "Now", of: (f) => [f.trial, f.states, f.coverage, f.mode, f.role, f.frozen, f.obstacle, f.next, f.in_effect, f.drill, f.unguarded, f.standby, f.tuner?.missing], make: topPart },
    { id: "next", title: "Next", of: (f) => [f.tuner, f.trial.phase, f.trial.number, f.frozen, f.obstacle, f.mode, f.decisions[0]], make: nextPart },
    { id: "fabric", title: "Fabric", of: (f) => Boolean(f.links), isThere: (f) => Boolean(f.links), make: () => [map.element] },
    { id: "jobs", title: "Jobs", of: (f) => f.jobs ?? null, isThere: (f) => Boolean(f.jobs), make: jobPart },
    { id: "devices", title: "Devices", of: () => 0, make: () => [devices.element] },
    { id: "decisions", title: "Decisions", of: (f) => f.decisions, make: decisionPart },
    { id: "time", title: "Over time", of: (f) => [f.timeline.t_ms.at(-1), f.knobs.length], make: timePart },
    { id: "agreement", title: "Agreement", of: (f) => [f.agreement, f.devices_total], make: agreementPart },
    { id: "flows", title: "Flow sizes", of: (f) => f.flows ?? null, isThere: (f) => Boolean(f.flows), make: flowPart },
    { id: "history", title: "History", of: (f) => f.has_history, make: (f) => [f.has_history ? history.element : nothing("This controller keeps no history.")] },
    { id: "audit", title: "Audit log", of: (f) => f.audit.at(-1)?.seq, make: auditPart },
  ]);
}

function whyLost(status: number | null): string {
  if (status === 401) return hasToken() ? "that is not the controller's token" : "from here even looking needs the controller's token";
  if (status === 429) return "too many wrong tokens; wait a moment";
  return status === null || status < 400 ? "connection lost; trying again" : `the controller answers with status ${status}`;
}

class Live {
  private fabric: Fabric | null = null;
  private rows = new Map<number, CellRow>();
  private version = -1; // of the cells that the rows are of
  private soon = 0;
  private frame = 0;
  private hasHistory = false;
  private readonly map = new FabricMap();
  private readonly devices = new Devices();
  private readonly history = new History();
  private readonly parts = makeParts(this.map, this.devices, this.history);
  private readonly status = h("span", { class: "muted", role: "status" }, "connecting");
  private readonly orders = orders(() => void this.refresh());
  private readonly top: HTMLElement;

  constructor(page: Page) {
    this.top = head(page);
    this.top.append(h("p", {}, this.status));
  }

  elements(page: Page): HTMLElement[] {
    const [now, ...rest] = [...this.parts.sections.values()];
    return [this.top, now!, this.orders.element, ...rest, h("footer", {}, `Anole ${page.version}.`)];
  }

  start(): void {
    if (!location.protocol.startsWith("http")) {
      this.parts.sections.get("now")!.append(nothing("This page is shown by a controller."));
      return;
    }
    void this.refresh();
    setInterval(() => void this.refresh(), REFRESH_MS);
    void new Stream("/api/events", (told) => this.hear(told), (status) => this.status.replaceChildren(whyLost(status))).follow();
  }

  private hear({ kind, data }: Told): void {
    if (kind === "cells") this.takeCells(JSON.parse(data) as { version: number; cells: CellRow[] });
    else if (kind === "links") {
      const told = JSON.parse(data) as { version: number; links?: LinkRow[]; worst?: WorstRow[] };
      if (this.map.hear(told, this.fabric?.links)) this.showSoon();
      else if (this.fabric) this.refreshSoon();
    } else if (kind === "audit") this.refreshSoon();
    else if (kind === "state" && this.fabric) {
      this.fabric = grow(this.fabric, JSON.parse(data) as Pulse);
      this.showSoon();
    }
  }

  private takeCells({ version, cells }: { version: number; cells: CellRow[] }): void {
    if (version !== this.version) this.rows.clear();
    this.version = version;
    for (const row of cells) this.rows.set(row[0]!, row);
    if (this.fabric && this.fabric.cells.version !== version) this.refreshSoon();
    else this.showSoon();
  }

  // Once a frame at most, however many events came: a machine that is too slow shows fewer of them and stays usable.
  private showSoon(): void {
    if (this.frame) return;
    this.frame = requestAnimationFrame(() => {
      this.frame = 0;
      this.show();
    });
  }

  // Many records may come at once.
  private refreshSoon(): void {
    if (this.soon) return;
    this.soon = window.setTimeout(() => {
      this.soon = 0;
      void this.refresh();
    }, SOON_MS);
  }

  private showDevices(): void {
    const f = this.fabric;
    if (f && f.cells.version === this.version) this.devices.show(cellsOf(f.cells.names, this.rows), this.version, f.devices_total);
  }

  private async refresh(): Promise<void> {
    try {
      const reply = await ask("/api/overview");
      if (!reply.ok) {
        this.status.replaceChildren(whyLost(reply.status));
        this.orders.need(reply.status === 401 || reply.status === 429);
        return;
      }
      this.fabric = (await reply.json()) as Fabric;
      this.orders.need(false);
      this.show();
    } catch {
      this.status.replaceChildren("the controller does not answer; trying again");
    }
  }

  private show(): void {
    const f = this.fabric;
    if (!f) return;
    document.title = titleOf(f);
    this.top.querySelector("h1")!.textContent = f.name;
    this.status.replaceChildren(`as of ${new Date(f.now_ms).toLocaleTimeString([], { hour12: false })}`);
    this.orders.show(f.frozen !== "", f.trial.phase === "waiting" ? f.trial : null);
    this.parts.show(f);
    this.map.show(f.links);
    this.showDevices();
    if (f.has_history && !this.hasHistory) this.history.start();
    this.hasHistory ||= f.has_history;
  }
}

export function livePage(page: Page): HTMLElement[] {
  const live = new Live(page);
  queueMicrotask(() => live.start());
  return live.elements(page);
}
