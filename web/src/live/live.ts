// The page of a controller: devices, trials and their reasons, and an operator's orders.
import type { Page } from "../data";
import { h, nothing } from "../dom";
import { Parts } from "../parts";
import { topLine } from "../sections/answer";
import { Actions, signIn } from "./actions";
import type { Right } from "./plan";
import { History } from "./history";
import { FabricMap } from "./fabric";
import { Devices } from "./map";
import { jobPart, nextPart } from "./next";
import { agreementPart, auditPart, decisionPart, flowPart, timePart } from "./sections";
import { topPart } from "./top";
import { titleOf } from "./verdict";
import { ask, hasToken } from "./access";
import { Stream, type ServerEvent } from "./stream";
import { cellsOf, grow, type CellRow, type Fabric, type LinkRow, type Pulse, type WorstRow } from "./state";

const REFRESH_MS = 10000; // for data that the stream lacks: settings, decisions, records
const SOON_MS = 300;

function makeParts(map: FabricMap, devices: Devices, history: History, actions: Actions): Parts<Fabric> {
  return new Parts<Fabric>([
    {
      id: "now",
      title: "Now",
      of: (f) => [f.trial, f.states, f.coverage, f.mode, f.role, f.frozen, f.obstacle, f.next, f.in_effect, f.drill, f.unguarded, f.standby, f.tuner?.missing, f.breach, f.refused, f.evidence, f.decisions.at(-1)],
      make: (f) => topPart(f, actions),
    },
    { id: "decisions", title: "Trials", of: (f) => f.decisions, make: decisionPart },
    { id: "time", title: "Over time", of: (f) => [f.timeline.t_ms.at(-1), f.knobs.length], make: timePart },
    { id: "fabric", title: "Fabric", of: (f) => Boolean(f.links), isThere: (f) => Boolean(f.links), make: () => [map.element] },
    { id: "devices", title: "Devices", of: () => 0, make: () => [devices.element] },
    { id: "jobs", title: "Jobs", of: (f) => f.jobs ?? null, isThere: (f) => Boolean(f.jobs), make: jobPart },
    { id: "next", title: "Tuner", of: (f) => [f.tuner, f.trial.phase, f.trial.number, f.frozen, f.obstacle, f.mode, f.decisions[0]], make: nextPart },
    { id: "agreement", title: "Agreement", of: (f) => [f.agreement, f.devices_total], make: agreementPart },
    { id: "flows", title: "Flow sizes", of: (f) => f.flows ?? null, isThere: (f) => Boolean(f.flows), make: flowPart },
    { id: "history", title: "History", of: (f) => f.has_history, make: (f) => [h("details", { class: "more" }, h("summary", {}, f.has_history ? "Months back" : "The last hour"), history.element)] },
    { id: "audit", title: "Audit log", of: (f) => f.audit.at(-1)?.seq, make: auditPart },
  ]);
}

function whyLost(status: number | null): string {
  if (status === 401) return hasToken() ? "that is not the controller's token" : "sign in: remote access requires the controller's token";
  if (status === 429) return "too many wrong tokens; wait a moment";
  return status === null || status < 400 ? "connection lost; trying again" : `the controller answers with status ${status}`;
}

class Live {
  private fabric: Fabric | null = null;
  private rows = new Map<number, CellRow>();
  private version = -1; // of the cells of the rows
  private soon = 0;
  private frame = 0;
  private hasHistory = false;
  private readonly map = new FabricMap();
  private readonly devices = new Devices();
  private readonly history = new History();
  private readonly actions = new Actions(() => void this.refresh());
  private readonly parts = makeParts(this.map, this.devices, this.history, this.actions);
  private readonly status = h("span", { class: "muted", role: "status" }, "connecting");
  private readonly access = signIn(() => void this.refresh());
  private readonly name: HTMLElement;
  private readonly top: HTMLElement;

  constructor(page: Page) {
    this.name = h("span", { class: "name" }, page.title);
    this.top = topLine("controller", "");
    this.top.querySelector("p")!.append(this.name, " · ", this.status);
  }

  elements(page: Page): HTMLElement[] {
    const link = (path: string) => h("a", { href: path }, path);
    return [
      this.top,
      this.access,
      ...this.parts.sections.values(),
      h(
        "footer",
        {},
        h(
          "dl",
          {},
          h("div", {}, h("dt", {}, "Made by"), h("dd", {}, `Anole ${page.version}`)),
          h("div", {}, h("dt", {}, "Data"), h("dd", {}, link("/api/overview"), " · ", link("/metrics"), " · anole ctl status")),
        ),
      ),
      this.actions.dialog,
    ];
  }

  start(): void {
    if (!location.protocol.startsWith("http")) {
      this.parts.sections.get("now")!.append(nothing("This page is shown by a controller."));
      return;
    }
    void this.refresh();
    setInterval(() => void this.refresh(), REFRESH_MS);
    void new Stream("/api/events", (event) => this.hear(event), (status) => this.status.replaceChildren(whyLost(status))).follow();
  }

  private hear({ kind, data }: ServerEvent): void {
    if (kind === "cells") this.takeCells(JSON.parse(data) as { version: number; cells: CellRow[] });
    else if (kind === "links") {
      const update = JSON.parse(data) as { version: number; links?: LinkRow[]; worst?: WorstRow[] };
      if (this.map.hear(update, this.fabric?.links)) this.showSoon();
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

  // At most once per frame, however many events arrive: a slow machine shows fewer of them and stays usable.
  private showSoon(): void {
    if (this.frame) return;
    this.frame = requestAnimationFrame(() => {
      this.frame = 0;
      this.show();
    });
  }

  // Many records may arrive at once.
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
        this.access.hidden = reply.status !== 401 && reply.status !== 429;
        return;
      }
      this.fabric = (await reply.json()) as Fabric;
      this.actions.allow(((await (await ask("/api/right")).json()) as { right: Right }).right);
      this.access.hidden = true;
      this.show();
    } catch {
      this.status.replaceChildren("the controller does not answer; trying again");
    }
  }

  private show(): void {
    const f = this.fabric;
    if (!f) return;
    document.title = titleOf(f);
    this.name.textContent = f.name;
    this.status.replaceChildren(`as of ${new Date(f.now_ms).toLocaleTimeString([], { hour12: false })}`);
    this.parts.show(f);
    this.map.show(f.links);
    this.showDevices();
    if (!this.hasHistory) this.history.start(f.has_history);
    this.hasHistory = true;
  }
}

export function livePage(page: Page): HTMLElement[] {
  const live = new Live(page);
  queueMicrotask(() => live.start());
  return live.elements(page);
}
