// The answer card: the top of every report. src/base/print/card.c prints the same on a terminal.
import type { Answer, Page } from "../data";
import { announce, h } from "../dom";
import { typeset } from "../format";

const rows: { key: keyof Answer; label: string }[] = [
  { key: "cost", label: "What it costs" },
  { key: "certainty", label: "How sure" },
  { key: "network", label: "Network" },
  { key: "traffic", label: "Traffic" },
  { key: "settings", label: "Settings" },
];

function command(answer: Answer): HTMLElement | null {
  const text = answer.command;
  if (!text) return null;
  const copy = h(
    "button",
    {
      type: "button",
      "aria-label": "Copy the command",
      click: () => {
        void navigator.clipboard?.writeText(text).then(() => {
          copy.textContent = "Copied";
          announce("The command was copied.");
        });
      },
    },
    "Copy",
  );
  return h(
    "div",
    { class: "next" },
    h("p", {}, answer.next ? `Next: ${answer.next}` : "Next"),
    h("div", { class: "command" }, h("code", { tabindex: "0" }, text), copy),
  );
}

// The recommended setting has the accent color, like its curves.
function findingOf(finding: string, advised: string): (string | Node)[] {
  const start = `Use ${advised}`;
  if (!advised || !finding.startsWith(start)) return [typeset(finding)];
  return ["Use ", h("span", { class: "hue-0" }, advised), typeset(finding.slice(start.length))];
}

export function answerCard(answer: Answer, advised = ""): HTMLElement {
  return h(
    "section",
    { class: "answer", id: "answer", "aria-label": "Answer" },
    h(
      "div",
      {},
      h("p", { class: "eyebrow" }, "Answer"),
      h("h1", {}, ...findingOf(answer.finding ?? "", advised)),
      answer.detail ? h("p", { class: "detail" }, typeset(answer.detail)) : null,
      command(answer),
    ),
    h(
      "dl",
      {},
      ...rows.flatMap(({ key, label }) =>
        answer[key] ? [h("div", {}, h("dt", {}, label), h("dd", {}, typeset(answer[key])))] : [],
      ),
    ),
  );
}

// Pages of older programs have no answer: uses the sentences about their variants.
export function answerOf(page: Page): Answer {
  const answer = page.answer ?? page.comparison?.answer;
  if (answer) return answer;
  const sentences = (page.comparison?.verdicts ?? []).filter(({ name }) => name !== page.comparison?.baseline).map(({ text }) => text);
  const none = { cost: null, certainty: null, network: null, traffic: null, settings: null, next: null, command: null };
  return { ...none, finding: sentences[0] ?? page.title, detail: sentences.slice(1, 4).join(" ") || null };
}

// The first line of a page: program, kind of page and subject. It also has the table of contents.
export function topLine(kind: string, title: string): HTMLElement {
  return h(
    "header",
    { class: "top" },
    h("p", { class: "product" }, h("strong", {}, "Anole"), ` · ${kind} · ${title}`),
  );
}
