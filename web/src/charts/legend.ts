// The curves of a chart, with their values under the cursor. A click hides a curve and shows it again.
import { h, svg } from "../dom";
import { CURVE_COLOURS, curveColour, curveDash } from "../theme";

export interface Legend {
  element: HTMLElement;
  show(x: string, values: string[]): void;
  clear(): void;
  redraw(): void; // colours have changed
}

export function legend(
  curves: { label: string; hue: number }[],
  onToggle: (i: number, isShown: boolean) => void,
): Legend {
  const x = h("span", { class: "x" });
  const values = curves.map(() => h("span", { class: "value" }));
  const lines = curves.map(() => svg("line", { x1: 0, y1: 5, x2: 18, y2: 5, "stroke-width": 2 }));
  const buttons = curves.map((curve, i) => {
    const button: HTMLButtonElement = h(
      "button",
      {
        type: "button",
        "aria-pressed": "true",
        title: "Hide or show",
        click: () => {
          const isShown = button.getAttribute("aria-pressed") !== "true";
          button.setAttribute("aria-pressed", String(isShown));
          onToggle(i, isShown);
        },
      },
      svg("svg", { width: 18, height: 10, "aria-hidden": "true" }, lines[i]),
      h("span", {}, curve.label),
      values[i],
    );
    return button;
  });
  const redraw = () =>
    lines.forEach((line, i) => {
      line.setAttribute("stroke", curveColour(curves[i]!.hue));
      line.setAttribute("stroke-dasharray", curveDash(curves[i]!.hue).join(" "));
    });
  redraw();
  return {
    element: h("div", { class: "legend" }, ...buttons, x),
    show(xText, texts) {
      x.textContent = xText;
      texts.forEach((text, i) => {
        if (values[i]) values[i].textContent = text;
      });
    },
    clear() {
      x.textContent = "";
      for (const value of values) value.textContent = "";
    },
    redraw,
  };
}

// One legend for all charts of a section; a single run needs none.
export function variantKey(names: string[], hues: Map<string, number>): HTMLElement | null {
  if (names.length < 2) return null;
  return h(
    "p",
    { class: "variant-key" },
    ...names.map((name) => {
      const hue = hues.get(name)!;
      const line = { x1: 0, y1: 5, x2: 24, y2: 5, stroke: `var(--curve-${hue % CURVE_COLOURS})`, "stroke-width": 2, "stroke-dasharray": curveDash(hue).join(" ") };
      return h("span", {}, svg("svg", { width: 24, height: 10, "aria-hidden": "true" }, svg("line", line)), name);
    }),
  );
}
