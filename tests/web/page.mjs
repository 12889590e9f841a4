// Inserts data into the page as the program does.
import { readFileSync } from "node:fs";

const MARKER = "/*anole-data*/";

export function pageOf(data) {
  const html = readFileSync(new URL("../../web/report.html", import.meta.url), "utf8");
  const [before, after, ...more] = html.split(MARKER);
  if (after === undefined || more.length > 0) throw new Error(`report.html must hold ${MARKER} exactly once`);
  return before + JSON.stringify(data).replaceAll("<", "\\u003c") + after;
}
