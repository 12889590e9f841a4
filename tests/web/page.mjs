// Inserts data into the page as the program does.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const MARKER = "/*anole-data*/";

// The page without data, built from its sources when first asked for, until the process ends.
let folder = null;
export function emptyForm() {
  if (!folder) {
    folder = mkdtempSync(join(tmpdir(), "anole-page-"));
    process.on("exit", () => rmSync(folder, { recursive: true }));
    execFileSync(new URL("../../tools/build-page", import.meta.url).pathname, [join(folder, "report.html")]);
  }
  return join(folder, "report.html");
}

export function pageOf(data) {
  const html = readFileSync(emptyForm(), "utf8");
  const [before, after, ...more] = html.split(MARKER);
  if (after === undefined || more.length > 0) throw new Error(`the page must hold ${MARKER} exactly once`);
  return before + JSON.stringify(data).replaceAll("<", "\\u003c") + after;
}
