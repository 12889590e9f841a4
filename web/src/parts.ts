// Parts of a page that follow something: a part is made anew only when what it shows has changed, and not while
// somebody points at a chart in it, has zoomed it, chooses in it or has opened something: nobody loses the place where he reads.
import { section } from "./dom";

export interface Part<T> {
  id: string;
  title: string;
  isThere?: (state: T) => boolean;
  of: (state: T) => unknown; // what it depends on
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

  // Makes a part anew next time, whatever has changed.
  forget(id: string): void {
    this.shown.delete(id);
  }
}

// Folds stay in their order; names that explain themselves come and go.
const foldsOf = (place: HTMLElement) => [...place.querySelectorAll<HTMLDetailsElement>("details:not(.term)")];

function isInUse(place: HTMLElement): boolean {
  return place.querySelector(".plot:hover, select:focus, input:focus, button:focus-visible, .plot:focus, .reset:not([hidden])") !== null;
}
