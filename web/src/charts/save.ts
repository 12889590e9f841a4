// Saves a chart as SVG or PNG, with title, axes, a legend and a line that names its source. `anole.plots` of
// Python adds the same line.
import type { Page } from "../data";
import { announce, h, svg } from "../dom";
import { colour } from "../theme";

const HEAD = 30;
const FOOT = 22;
const PNG_SCALE = 2;
const FONT = "DejaVu Sans, Helvetica, Arial, sans-serif";

let source = "";

export function sourceOf(page: Pick<Page, "title" | "version" | "runs">): string {
  const seeds = page.runs[0]?.seeds ?? [];
  const file = page.title.split("/").at(-1)!;
  const text = seeds.length === 1 ? `, seed ${seeds[0]}` : seeds.length > 1 ? `, ${seeds.length} seeds, ${seeds[0]} to ${seeds.at(-1)}` : "";
  return `${file}${text}, anole ${page.version}`;
}

export function setSource(page: Page): void {
  source = sourceOf(page);
}

export interface Drawn {
  body: SVGElement; // with its width and height
  width: number;
  height: number;
}

export type Legend = { label: string; colour: string }[];

const text = (x: number, y: number, size: number, content: string, more: Record<string, string> = {}) =>
  svg("text", { x, y, "font-size": size, fill: colour("ink"), ...more }, content);

function legendOf(entries: Legend, width: number): { element: SVGElement; height: number } {
  const group = svg("g");
  let [x, y] = [10, 14];
  for (const { label, colour: stroke } of entries) {
    const room = 34 + label.length * 6.4;
    if (x + room > width && x > 10) [x, y] = [10, y + 16];
    group.append(svg("line", { x1: x, x2: x + 18, y1: y - 4, y2: y - 4, stroke, "stroke-width": 2 }), text(x + 23, y, 11, label));
    x += room;
  }
  return { element: group, height: entries.length > 0 ? y + 8 : 0 };
}

// The whole picture.
export function pictureOf(title: string, drawn: Drawn, legend: Legend = []): SVGElement {
  const { element, height } = legendOf(legend, drawn.width);
  const total = HEAD + drawn.height + height + FOOT;
  element.setAttribute("transform", `translate(0 ${HEAD + drawn.height})`);
  const body = svg("g", { transform: `translate(0 ${HEAD})` }, drawn.body);
  return svg(
    "svg",
    { xmlns: "http://www.w3.org/2000/svg", width: drawn.width, height: total, viewBox: `0 0 ${drawn.width} ${total}`, "font-family": FONT },
    svg("title", {}, title),
    svg("desc", {}, source),
    svg("rect", { width: drawn.width, height: total, fill: colour("panel") }),
    text(10, 20, 14, title, { "font-weight": "bold" }),
    body,
    element,
    text(drawn.width - 10, total - 7, 9, source, { "text-anchor": "end" }),
  );
}

// Copies an SVG drawing together with its styles.
export function copyOfSvg(element: SVGElement): Drawn {
  const copy = element.cloneNode(true) as SVGElement;
  const styles = ["fill", "stroke", "stroke-width", "stroke-dasharray", "opacity", "font-size", "font-weight", "text-anchor"];
  const [from, to] = [[element, ...element.querySelectorAll("*")], [copy, ...copy.querySelectorAll("*")]];
  from.forEach((old, i) => {
    const computed = getComputedStyle(old);
    for (const name of styles) to[i]!.setAttribute(name, computed.getPropertyValue(name));
    to[i]!.removeAttribute("class");
  });
  return { body: copy, width: Number(element.getAttribute("width")), height: Number(element.getAttribute("height")) };
}

// Embeds a bitmap drawing as an image.
export function copyOfCanvas(canvas: HTMLCanvasElement): Drawn {
  const box = canvas.getBoundingClientRect();
  return {
    body: svg("image", { href: canvas.toDataURL("image/png"), width: box.width, height: box.height }),
    width: box.width,
    height: box.height,
  };
}

function download(blob: Blob, name: string): void {
  const link = h("a", { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  announce(`${name} is saved.`);
}

const nameOf = (title: string) => title.toLowerCase().replace(/[^a-z0-9.]+/g, "-").replace(/^-|-$/g, "") || "chart";

export function saveSvg(title: string, picture: SVGElement): void {
  download(new Blob([new XMLSerializer().serializeToString(picture)], { type: "image/svg+xml" }), `${nameOf(title)}.svg`);
}

export function savePng(title: string, picture: SVGElement): void {
  const image = new Image();
  image.onload = () => {
    const canvas = h("canvas", { width: image.width * PNG_SCALE, height: image.height * PNG_SCALE });
    canvas.getContext("2d")!.drawImage(image, 0, 0, canvas.width, canvas.height);
    canvas.toBlob((blob) => blob && download(blob, `${nameOf(title)}.png`), "image/png");
  };
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(new XMLSerializer().serializeToString(picture))}`;
}

// Two buttons. 'draw' is called when one is pressed.
export function saveButtons(title: string, draw: () => SVGElement | null): HTMLElement {
  const button = (label: string, save: (title: string, picture: SVGElement) => void) =>
    h(
      "button",
      {
        type: "button",
        class: "control",
        "aria-label": `Save “${title}” as ${label}`,
        click: () => {
          const picture = draw();
          if (picture) save(title, picture);
        },
      },
      label,
    );
  return h("span", { class: "save" }, button("SVG", saveSvg), button("PNG", savePng));
}
