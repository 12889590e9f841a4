// What a person may tell the controller: freeze, thaw, approve, roll back. It takes the token of the controller's file, which
// is kept in this page alone and sent in a header that no browser sends by itself; or a certificate that the browser has.
import { announce, h, section } from "../dom";
import { ask, hasToken, setToken } from "./access";
import type { Trial } from "./state";

async function post(order: string, body: Record<string, unknown>): Promise<string> {
  const reply = await ask(`/api/${order}`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
  if (reply.ok) return "";
  if (reply.status === 401 && !hasToken())
    return "The token is needed, which stands in the file that http: {token: ...} of the controller names, or a certificate that its client_ca has given.";
  const text = await reply.text();
  try {
    return (JSON.parse(text) as { error?: string }).error ?? `status ${reply.status}`;
  } catch {
    return text.trim() || `status ${reply.status}`;
  }
}

const LOOKING_IS_FREE = "These need the controller's token, or a certificate that it takes. The token is kept in this page until it is closed.";
const LOOKING_NEEDS_IT = "Who comes from another machine needs the controller's token, or a certificate that it takes, to look, too. The token is kept in this page until it is closed.";

export interface Orders {
  element: HTMLElement;
  show(frozen: boolean, waiting: Trial | null): void;
  need(isNeeded: boolean): void; // the token, for looking
}

export function orders(onDone: () => void): Orders {
  const token = h("input", { type: "password", autocomplete: "off", id: "token", placeholder: "token", change: () => (setToken(token.value), onDone()) });
  const why = h("input", { type: "text", id: "why", maxlength: 200, placeholder: "for the audit log" });
  const answer = h("p", { class: "hint", role: "status" }, "");
  const say = (text: string) => {
    answer.replaceChildren(text);
    announce(text);
  };
  let waiting: Trial | null = null;
  const give = async (order: string, body: Record<string, unknown>) => {
    setToken(token.value);
    try {
      const wrong = await post(order, body);
      say(wrong ? `${order}: refused: ${wrong}` : `${order}: done`);
      if (wrong && !token.value) token.focus();
    } catch {
      say(`${order}: the controller does not answer`);
    }
    onDone();
  };
  const button = (text: string, order: string, body: () => Record<string, unknown>, ask?: string) =>
    h(
      "button",
      { type: "button", class: "control", "data-order": order, click: () => (ask === undefined || confirm(ask) ? void give(order, body()) : undefined) },
      text,
    );
  const reason = () => (why.value ? { why: why.value } : {});
  const freeze = button("Freeze", "freeze", reason);
  const thaw = button("Thaw", "thaw", reason);
  const approve = button("Approve", "approve", () => ({ number: waiting?.number, code: waiting?.code, ...reason() }));
  const back = button("Roll back", "rollback", reason, "All devices go back to the settings they had at first. Go on?");
  const hint = h("p", { class: "hint" }, LOOKING_IS_FREE);
  const element = section(
    "orders",
    "Orders",
    hint,
    h(
      "div",
      { class: "orders" },
      h("label", {}, h("span", {}, "Token "), token),
      h("label", {}, h("span", {}, "Why "), why),
      freeze,
      thaw,
      approve,
      back,
    ),
    answer,
  );
  return {
    element,
    need: (isNeeded) => {
      if (isNeeded === (hint.textContent === LOOKING_NEEDS_IT)) return;
      hint.replaceChildren(isNeeded ? LOOKING_NEEDS_IT : LOOKING_IS_FREE);
      if (isNeeded) token.focus();
    },
    show: (frozen, trial) => {
      waiting = trial;
      freeze.hidden = frozen;
      thaw.hidden = !frozen;
      approve.hidden = trial === null;
      approve.textContent = `Approve trial ${trial?.number}`;
    },
  };
}
