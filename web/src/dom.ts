// Creates elements. Text is always text: data is never parsed as HTML.

type Child = Node | string | null | undefined | false;
type Props = Record<string, string | number | boolean | null | undefined | ((event: never) => void)>;

function setProps(element: Element, props: Props): void {
  for (const [key, value] of Object.entries(props)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") element.addEventListener(key, value as EventListener);
    else element.setAttribute(key, value === true ? "" : String(value));
  }
}

function fill(element: Element, children: Child[]): void {
  for (const child of children)
    if (child !== null && child !== undefined && child !== false) element.append(child);
}

// h("p", { class: "note", click: handler }, "text", child)
export function h<K extends keyof HTMLElementTagNameMap>(tag: K, props: Props = {}, ...children: Child[]) {
  const element = document.createElement(tag);
  setProps(element, props);
  fill(element, children);
  return element;
}

export function svg(tag: string, props: Props = {}, ...children: Child[]): SVGElement {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  setProps(element, props);
  fill(element, children);
  return element;
}

// A part of the page with a heading for the table of contents.
export function section(id: string, title: string, ...children: Child[]): HTMLElement {
  return h(
    "section",
    { id, "aria-labelledby": `${id}-title` },
    h("h2", { id: `${id}-title` }, title),
    ...children,
  );
}

// A folded section. The visible sentence summarizes its content.
export function foldedSection(id: string, title: string, said: string, isOpen: boolean, ...children: Child[]): HTMLElement {
  return h(
    "section",
    { id, "aria-labelledby": `${id}-title` },
    h(
      "details",
      { class: "part", open: isOpen },
      h("summary", {}, h("h2", { id: `${id}-title` }, title), h("span", { class: "hint" }, said)),
      ...children,
    ),
  );
}

// Content that one click opens.
export function fold(title: string, ...children: Child[]): HTMLDetailsElement {
  return h("details", { class: "more" }, h("summary", {}, title), ...children);
}

export function nothing(sentence: string): HTMLElement {
  return h("p", { class: "nothing" }, sentence);
}

// Announces a text to screen readers.
export function announce(text: string): void {
  const live = document.getElementById("live");
  if (live) live.textContent = text;
}

// A box that scrolls sideways, and says so if necessary.
export function scrollBox(...children: Child[]): HTMLElement {
  const box = h("div", { class: "scroll" }, ...children);
  new ResizeObserver(() => {
    const isCut = box.scrollWidth > box.clientWidth + 2;
    box.classList.toggle("cut", isCut);
    // Also with the keyboard.
    if (isCut) box.setAttribute("tabindex", "0");
    else box.removeAttribute("tabindex");
  }).observe(box);
  return box;
}

export function choice(label: string, options: string[], onChange: (index: number) => void, selected = 0) {
  const select = h(
    "select",
    { change: () => onChange(select.selectedIndex) },
    ...options.map((text) => h("option", {}, text)),
  );
  select.selectedIndex = selected;
  return h("label", { class: "choice control" }, h("span", {}, label), select);
}
