// The first lines of a page without an answer card.
import type { Page } from "../data";
import { h } from "../dom";

export function codes(texts: string[]): HTMLElement {
  return h("span", { class: "codes" }, ...texts.map((text) => h("code", {}, text)));
}

export function head(page: Page): HTMLElement {
  const kind = page.kind === "live" ? "controller" : page.kind === "serve" ? "results" : page.kind;
  return h(
    "header",
    {},
    h("p", { class: "product" }, h("strong", {}, "Anole"), ` ${page.version} · ${kind}`),
    h("h1", {}, page.title),
  );
}
