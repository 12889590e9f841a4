// Parts of a page that follow data. A part is rebuilt only when its data has changed. It is not rebuilt while
// the user points at a chart in it, has zoomed it, makes a choice in it or has opened something, so that
// readers keep their place.
import { section } from "./dom";

export interface Part<T> {
  id: string;
  title: string;
  isThere?: (state: T) => boolean;
  of: (state: T) => unknown; // the data it depends on
  make: (state: T) => (HTMLElement | null)[];
}

export class Parts<T> {
  private readonly shown = new Map<string, string>();
  readonly sections: Map<string, HTMLElement>;

  constructor(private readonly parts: Part<T>[]) {
    this.sections = new Map(parts.map(({ id, title }) => [id, section(id, title)]));
  }

  show(state: T): void {
    for (const part of this.parts) {
      const text = JSON.stringify(part.of(state)) ?? "";
      const place = this.sections.get(part.id)!;
      if (this.shown.get(part.id) === text || (this.shown.has(part.id) && isInUse(place))) continue;
      this.shown.set(part.id, text);
      place.hidden = part.isThere ? !part.isThere(state) : false;
      const open = foldsOf(place).map((details) => details.open);
      const explained = new Set([...place.querySelectorAll("details.term[open]")].map((term) => term.textContent));
      place.replaceChildren(place.firstElementChild!, ...part.make(state).filter((element) => element !== null));
      foldsOf(place).forEach((details, i) => (details.open = open[i] ?? details.open));
      place.querySelectorAll<HTMLDetailsElement>("details.term").forEach((term) => (term.open = explained.has(term.textContent)));
    }
  }

  // Rebuilds a part next time in any case.
  forget(id: string): void {
    this.shown.delete(id);
  }
}

// Folds keep their order; self-explaining names appear and disappear.
const foldsOf = (place: HTMLElement) => [...place.querySelectorAll<HTMLDetailsElement>("details:not(.term)")];

function isInUse(place: HTMLElement): boolean {
  return place.querySelector(".plot:hover, select:focus, input:focus, button:focus-visible, .plot:focus, .reset:not([hidden])") !== null;
}
