// scenarios.mjs ANOLE [SCENARIO...] - runs every example for a short time and opens its report in a browser, on
// a large light screen and a small dark one. Checks: no errors, no network requests, no axe-core violations,
// nothing wider than the window, all charts drawn, and the numbers of summary.json. SHOTS=FOLDER keeps
// pictures.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { check, equal, failures, holds, inkOfCanvases, launch, LOOKS, open, settle, violations } from "./checks.mjs";

const [anole, ...named] = process.argv.slice(2);
const shots = process.env.SHOTS;
const scenarios = named.length > 0 ? named : readdirSync("scenarios").filter((file) => file.endsWith(".yaml")).map((file) => join("scenarios", file)).sort();

// On slow links the first flow ends later.
function run(file, out) {
  for (const until of ["300us", "3ms"]) {
    const made = spawnSync(anole, ["run", file, "--until", until, "--quiet", "--out", out], { encoding: "utf8" });
    if (made.status !== 0) throw new Error(made.stderr || String(made.error));
    if (JSON.parse(readFileSync(join(out, "summary.json"), "utf8")).packets.data_received > 0) return;
  }
  throw new Error("no data has arrived");
}

const dataOf = (file) => JSON.parse(readFileSync(file, "utf8").match(/id="anole-data">([^]*?)<\/script>/)[1]);

// The numbers that the page carries, and those that it shows.
async function checkFigures(page, out) {
  const summary = new Map(JSON.parse(readFileSync(join(out, "summary.json"), "utf8")).metrics.map(({ name, value }) => [name, value]));
  const { metrics } = dataOf(join(out, "report.html")).runs[0];
  holds(metrics.length > 5, "there are hardly any figures");
  for (const { name, value } of metrics) equal(value, summary.get(name), name);
  const shown = new Map(await page.locator("b[data-metric]").evaluateAll((cells) => cells.map((cell) => [cell.dataset.metric, cell.title])));
  for (const { name, value } of metrics) {
    if (value === null) continue;
    const exact = Number(shown.get(name)?.match(/ = (\S+)$/)[1].replaceAll(",", ""));
    holds(Math.abs(exact - value) <= 1e-9 * Math.abs(value), `${name} is ${value}, not ${exact}`);
  }
}

async function checkLook(page, look) {
  await page.setViewportSize({ width: look.width, height: 900 });
  await page.emulateMedia({ colorScheme: look.colorScheme });
  await settle(page);
  const [page_px, window_px] = await page.evaluate(() => [document.documentElement.scrollWidth, document.documentElement.clientWidth]);
  holds(page_px <= window_px, `${page_px} of ${window_px} pixels`);
  equal(await violations(page), [], "list of violations");
  await page.evaluate(() => window.scrollTo(0, 0));
}

const folder = mkdtempSync(join(tmpdir(), "anole-scenarios-"));
const browser = await launch();
try {
  for (const file of scenarios) {
    const name = basename(file, ".yaml");
    const out = join(folder, name);
    let page = null;
    await check(`${name}: runs, and its report opens`, async () => {
      run(file, out);
      page = await open(browser, join(out, "report.html"));
    });
    if (!page) continue;
    await check(`${name}: numbers equal those of summary.json`, () => checkFigures(page, out));
    await check(`${name}: every chart is drawn`, async () => holds((await inkOfCanvases(page)).every((dots) => dots > 300), "a chart is blank"));
    for (const look of LOOKS)
      await check(`${name}: ${look.width} pixels, ${look.colorScheme}`, async () => {
        await checkLook(page, look);
        if (shots) await page.screenshot({ path: join(shots, `${name}-${look.width}-${look.colorScheme}.png`), fullPage: true });
      });
    await check(`${name}: no error, no network request`, () => equal(page.problems, [], "list of problems"));
    await page.context().close();
    rmSync(out, { recursive: true, force: true });
  }
} finally {
  await browser.close();
  rmSync(folder, { recursive: true, force: true });
}
process.exitCode = failures() > 0 ? 1 : 0;
