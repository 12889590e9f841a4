// Which drawings are on the page: they are drawn when they get a place, and again when it or the colours
// change.
import { onThemeChange } from "../theme";

export interface Drawing {
  place: HTMLElement; // whose size counts
  redraw(): void;
  destroy(): void;
  isConnected(): boolean;
}

const drawings = new Map<Element, Drawing>();

const sizes = new ResizeObserver((entries) => {
  for (const entry of entries) {
    const drawing = drawings.get(entry.target);
    if (drawing?.isConnected()) drawing.redraw();
    else drop(entry.target);
  }
});

function drop(place: Element): void {
  sizes.unobserve(place);
  drawings.get(place)?.destroy();
  drawings.delete(place);
}

export function keep(drawing: Drawing): void {
  drawings.set(drawing.place, drawing);
  sizes.observe(drawing.place);
}

onThemeChange(() => {
  for (const [place, drawing] of drawings) {
    if (drawing.isConnected()) drawing.redraw();
    else drop(place);
  }
});
