// The report page: builds the page from the data that the program has inserted.
import "./sharp";
import "../vendor/uPlot.min.css";
import "./style.css";
import "./report.css";
import type { Page } from "./data";
import { h } from "./dom";
import { comparePage } from "./compare";
import { runPage } from "./run";
import { tunePage } from "./tune";
import { livePage } from "./live/live";
import { servePage } from "./serve";
import { openForPrint } from "./print";
import { addCopying } from "./still";
import { setSource } from "./charts/save";
import { setHelp } from "./help";

function readData(): Page | null {
  try {
    return JSON.parse(document.getElementById("anole-data")?.textContent ?? "") as Page;
  } catch {
    return null;
  }
}

function contents(sections: Element[]): HTMLElement {
  return h(
    "nav",
    { "aria-label": "Contents" },
    ...sections.map(linkTo),
  );
}

// Names in the table of contents, for parts with long titles.
const shortNames: Record<string, string> = {
  figures: "Figures",
  differences: "Figures",
  completion: "Completion times",
  links: "Links",
  tuning: "Tuner",
  setup: "Limits",
};

// Empty parts have no link. Following a link opens a folded part.
function linkTo(part: Element): HTMLElement {
  const name = shortNames[part.id] ?? part.querySelector("h2")?.textContent ?? part.getAttribute("aria-label") ?? part.id;
  const open = () => part.querySelector(":scope > details.part")?.setAttribute("open", "");
  const link = h("a", { href: `#${part.id}`, click: open }, name);
  const follow = () => (link.hidden = part.hasAttribute("hidden"));
  new MutationObserver(follow).observe(part, { attributeFilter: ["hidden"] });
  follow();
  return link;
}

const makers: Record<Page["kind"], (page: Page) => HTMLElement[]> = {
  run: runPage,
  compare: comparePage,
  tune: tunePage,
  serve: servePage,
  live: livePage,
};

function build(page: Page, place: HTMLElement): void {
  document.title = `${page.title} – Anole`;
  setSource(page);
  setHelp(page);
  const [top, ...parts] = makers[page.kind](page);
  const main = h("main", { id: "main" }, ...parts);
  const links = contents([...main.querySelectorAll(":scope > section[id]")]);
  if (top!.classList.contains("top")) {
    top!.append(links);
    place.classList.add("report");
    place.replaceChildren(h("a", { class: "skip", href: "#main" }, "Skip to the answer"), top!, main);
  } else place.replaceChildren(top!, links, main);
}

const place = document.getElementById("page")!;
const page = readData();
if (page && (page.runs.length > 0 || page.search || page.served || page.kind === "live")) build(page, place);
else if (place.querySelector(".answer")) addCopying(place);
else
  place.replaceChildren(
    h("p", { class: "nothing" }, "This page holds no data: it is the empty form of a report."),
  );
openForPrint();
