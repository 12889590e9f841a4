// Keeps track of the charts on the page. Each is drawn when it gets a place, and redrawn when the place or
// the colors change.
import { onThemeChange } from "../theme";

export interface Drawing {
  place: HTMLElement; // its size determines the chart's
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
