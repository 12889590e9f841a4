// Orders of people: freeze, thaw, approve, reject, roll back; those that a role may not give are hidden. A dialog confirms each; it states the effect and
// the number of devices, and takes a reason for the audit log. Orders need the token of the controller's
// file, which only this page stores and sends in a header that no browser sends automatically, or the
// browser's certificate.
import { announce, h } from "../dom";
import { ask, hasToken, setToken } from "./access";
import { mayGive, planOf, type Order, type Plan, type Right } from "./plan";
import type { Fabric } from "./state";

// Returns "" on success, otherwise the reason for the failure.
async function post(order: Order, body: Record<string, unknown>): Promise<string> {
  const reply = await ask(`/api/${order}`, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });
  if (reply.ok) return "";
  if (reply.status === 401 && !hasToken()) return "the controller's token is needed: it is in the file that http: {token: ...} names. A certificate of its client_ca does as well";
  const text = await reply.text();
  try {
    return (JSON.parse(text) as { error?: string }).error ?? `status ${reply.status}`;
  } catch {
    return text.trim() || `status ${reply.status}`;
  }
}

class Confirmation {
  private order: Order = "freeze";
  private body: Record<string, unknown> = {};
  private readonly title = h("h2", { id: "confirm-title" }, "");
  private readonly list = h("ul", {});
  private readonly why = h("input", { type: "text", id: "why", maxlength: 200, required: true, autocomplete: "off" });
  private readonly token = h("input", { type: "password", id: "token", autocomplete: "off" });
  private readonly answer = h("p", { class: "answer-line", role: "alert" }, "");
  private readonly submit = h("button", { type: "submit", class: "primary" }, "");
  readonly dialog: HTMLDialogElement;

  constructor(private readonly onDone: () => void) {
    this.dialog = h(
      "dialog",
      { class: "confirm", "aria-labelledby": "confirm-title" },
      h(
        "form",
        { method: "dialog", submit: (event: Event) => (event.preventDefault(), void this.give()) },
        this.title,
        h("h3", {}, "What will happen"),
        this.list,
        h("label", {}, h("span", {}, "Reason, for the audit log (required)"), this.why),
        h("label", {}, h("span", {}, "Controller's token (leave empty if your browser has a certificate)"), this.token),
        this.answer,
        h("p", { class: "buttons" }, h("button", { type: "button", click: () => this.dialog.close() }, "Cancel"), this.submit),
      ),
    );
  }

  open(order: Order, plan: Plan): void {
    this.order = order;
    this.body = plan.body;
    this.title.textContent = plan.title;
    this.list.replaceChildren(...plan.effects.map((effect) => h("li", {}, effect)));
    this.submit.textContent = plan.confirm;
    this.submit.className = order === "rollback" ? "danger" : "primary";
    this.why.value = "";
    this.answer.textContent = "";
    this.dialog.showModal();
    this.why.focus();
  }

  private async give(): Promise<void> {
    if (this.token.value) setToken(this.token.value);
    this.submit.disabled = true;
    let wrong = "the controller does not answer";
    try {
      wrong = await post(this.order, { ...this.body, why: this.why.value });
    } catch {
      // reported below
    }
    this.submit.disabled = false;
    this.answer.textContent = wrong ? `Refused: ${wrong}.` : "";
    if (wrong) {
      if (!this.token.value) this.token.focus();
      return;
    }
    announce(`${this.submit.textContent}: done`);
    this.dialog.close();
    this.onDone();
  }
}

// The buttons of the first card, and the dialog behind them.
export class Actions {
  private fabric: Fabric | null = null;
  private right: Right = "";
  private readonly confirmation: Confirmation;
  private readonly made: Record<Order, HTMLButtonElement>;
  readonly buttons: HTMLElement;
  readonly dialog: HTMLDialogElement;

  constructor(onDone: () => void) {
    this.confirmation = new Confirmation(onDone);
    this.dialog = this.confirmation.dialog;
    const button = (order: Order, text: string, kind: string) =>
      h("button", { type: "button", class: kind, "data-order": order, click: () => this.fabric && this.confirmation.open(order, planOf(order, this.fabric)) }, text);
    this.made = {
      approve: button("approve", "Approve…", "primary"),
      reject: button("reject", "Reject…", ""),
      freeze: button("freeze", "Freeze tuning…", ""),
      thaw: button("thaw", "Thaw…", ""),
      rollback: button("rollback", "Roll back…", "danger"),
    };
    this.buttons = h("div", { class: "actions" }, ...Object.values(this.made));
  }

  show(f: Fabric, isAlarm: boolean): void {
    this.fabric = f;
    const isWaiting = f.trial.phase === "waiting";
    this.made.approve.hidden = !isWaiting;
    this.made.approve.textContent = `Approve trial ${f.trial.number}…`;
    this.made.freeze.hidden = f.frozen !== "";
    this.made.freeze.className = isAlarm ? "primary" : "";
    this.made.thaw.hidden = f.frozen === "";
    this.made.reject.hidden = !isWaiting;
    this.made.reject.textContent = `Reject trial ${f.trial.number}…`;
    this.made.rollback.hidden = false;
    for (const order of Object.keys(this.made) as Order[]) this.made[order].hidden ||= !mayGive(order, this.right);
  }

  allow(right: Right): void {
    this.right = right;
  }
}

// For pages where even reading needs the token.
export function signIn(onDone: () => void): HTMLElement {
  const token = h("input", { type: "password", id: "access-token", autocomplete: "off", change: () => (setToken(token.value), onDone()) });
  return h(
    "section",
    { id: "access", hidden: true, "aria-label": "Sign in" },
    h(
      "div",
      { class: "card" },
      h("h2", {}, "Sign in"),
      h("p", {}, "Remote access requires the controller's token, or a certificate that it accepts. The token is kept in this page until it is closed."),
      h("label", {}, h("span", {}, "Controller's token "), token),
    ),
  );
}
