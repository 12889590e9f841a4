// The frame of every chart: title, controls, a legend with the values under the cursor, and a table of the
// data.
import { h } from "../dom";
import { term } from "../help";
import { copyOfCanvas, copyOfSvg, pictureOf, saveButtons } from "./save";

export interface Frame {
  figure: HTMLElement;
  plot: HTMLElement; // takes the focus and the keys
  controls: HTMLElement;
  reset: HTMLButtonElement;
  refreshTable: () => void; // if it is visible and not focused
}

export interface FrameSpec {
  title: string;
  name?: string; // of the metric or knob: its title opens the definition
  unit?: string;
  note?: string;
  keys: string; // describes the keys to screen readers
  makeTable: () => HTMLElement;
  makePicture?: (title: string) => SVGElement | null; // default: the content of the plot
  isWide?: boolean;
}

let frames = 0;

function pictureOfPlot(title: string, plot: HTMLElement): SVGElement | null {
  const [drawn, canvas] = [plot.querySelector("svg"), plot.querySelector("canvas")];
  return drawn ? pictureOf(title, copyOfSvg(drawn)) : canvas ? pictureOf(title, copyOfCanvas(canvas)) : null;
}

export function frame(spec: FrameSpec): Frame {
  const id = `chart-${++frames}`;
  const plot = h("div", {
    class: "plot",
    id,
    tabindex: 0,
    role: "application",
    "aria-roledescription": "chart",
    "aria-label": `${spec.title}${spec.unit ? `, ${spec.unit}` : ""}. ${spec.keys}`,
  });
  const tablePlace = h("div", { class: "as-table", hidden: true });
  const reset = h("button", { type: "button", class: "control reset", hidden: true }, "Reset zoom");
  const toggle = h(
    "button",
    {
      type: "button",
      class: "control",
      "aria-pressed": "false",
      click: () => {
        const isTable = Boolean(tablePlace.hidden);
        if (isTable) tablePlace.replaceChildren(spec.makeTable());
        tablePlace.hidden = !isTable;
        figure.classList.toggle("is-table", isTable);
        toggle.setAttribute("aria-pressed", String(isTable));
        toggle.textContent = isTable ? "Show as chart" : "Show as table";
      },
    },
    "Show as table",
  );
  const whole = spec.unit ? `${spec.title}, ${spec.unit}` : spec.title;
  const save = saveButtons(spec.title, () => (spec.makePicture ? spec.makePicture(whole) : pictureOfPlot(whole, plot)));
  const controls = h("div", { class: "controls" }, reset, toggle, save);
  const title = h("span", { class: "title" }, spec.title);
  const figure = h(
    "figure",
    { class: spec.isWide ? "chart wide" : "chart" },
    h(
      "figcaption",
      {},
      spec.name ? term(spec.name, title) : title,
      spec.unit && h("span", { class: "unit" }, spec.unit),
      spec.note && h("span", { class: "note" }, spec.note),
      controls,
    ),
    plot,
    tablePlace,
  );
  const refreshTable = () => {
    if (!tablePlace.hidden && tablePlace.querySelector(":focus, :hover") === null) tablePlace.replaceChildren(spec.makeTable());
  };
  return { figure, plot, controls, reset, refreshTable };
}
