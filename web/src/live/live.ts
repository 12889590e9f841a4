// The page of a controller: what there is, what is tried and why, and what a person may order.
import type { Page } from "../data";
import { h, nothing } from "../dom";
import { Parts } from "../parts";
import { head } from "../sections/head";
import { orders } from "./orders";
import { auditPart, decisionPart, devicePart, knobPart, nowPart, timePart } from "./sections";
import { grow, type Fabric, type Pulse } from "./state";

const REFRESH_MS = 3000; // of what the stream does not tell: devices, knobs, decisions

function makeParts(): Parts<Fabric> {
  return new Parts<Fabric>([
    { id: "now", title: "Now", of: (f) => [f.trial, f.states, f.coverage, f.mode, f.role, f.frozen, f.obstacle, f.noise_e], make: nowPart },
    { id: "devices", title: "Devices", of: (f) => f.devices, make: devicePart },
    { id: "decisions", title: "Decisions", of: (f) => f.decisions, make: decisionPart },
    { id: "time", title: "Over time", of: (f) => f.timeline.t_ms, make: timePart },
    { id: "knobs", title: "Knobs over time", of: (f) => [f.knobs, Math.floor(f.now_ms / 10000)], make: knobPart },
    { id: "audit", title: "Audit log", of: (f) => f.audit.at(-1)?.seq, make: auditPart },
  ]);
}

class Live {
  private fabric: Fabric | null = null;
  private readonly parts = makeParts();
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
    const events = new EventSource("/api/events");
    events.onerror = () => this.status.replaceChildren("connection lost; trying again");
    events.addEventListener("state", (event: MessageEvent<string>) => {
      if (!this.fabric) return;
      this.fabric = grow(this.fabric, JSON.parse(event.data) as Pulse);
      this.show();
    });
    events.addEventListener("audit", () => void this.refresh());
  }

  private async refresh(): Promise<void> {
    try {
      const reply = await fetch("/api/state");
      if (!reply.ok) {
        this.status.replaceChildren(`the controller answers with status ${reply.status}`);
        return;
      }
      this.fabric = (await reply.json()) as Fabric;
      this.show();
    } catch {
      this.status.replaceChildren("the controller does not answer; trying again");
    }
  }

  private show(): void {
    const f = this.fabric!;
    document.title = `${f.name} – Anole`;
    this.top.querySelector("h1")!.textContent = f.name;
    this.status.replaceChildren(`as of ${new Date(f.now_ms).toLocaleTimeString([], { hour12: false })}`);
    this.orders.show(f.frozen !== "", f.trial.phase === "waiting" ? f.trial.number : null);
    this.parts.show(f);
  }
}

export function livePage(page: Page): HTMLElement[] {
  const live = new Live(page);
  queueMicrotask(() => live.start());
  return live.elements(page);
}
