// Shared by all tests of the page: prints a line per check, starts a browser, and opens, points at and
// measures pages.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { chromium } from "../../web/node_modules/playwright-core/index.mjs";

// What Playwright 1.65 disables (an argument replaces its list), and the pages behind Chromium's address bar:
// preparing them takes most of the processor time of a new window.
const FEATURES_OFF = [
  "AvoidUnnecessaryBeforeUnloadCheckSync", "DestroyProfileOnBrowserClose", "HttpsUpgrades", "LensOverlay",
  "HttpsFirstBalancedModeAutoEnable", "MediaRouter", "PaintHolding", "ThirdPartyStoragePartitioning",
  "AvoidCorsURLLoaderRestartOnRedirect", "TcpPortRandomizationWin", "OptimizationHints",
  "NetworkTimeServiceQuerying", "AimEnabled", "PreconnectToSearch",
  "WebUIOmniboxPopup", "WebUIOmniboxAimPopup",
];

export const launch = () =>
  chromium.launch({
    timeout: 0, // test machines are busy
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: [`--disable-features=${FEATURES_OFF}`, ...(process.getuid?.() === 0 ? ["--no-sandbox"] : [])],
  });

let failed = 0;

export const failures = () => failed;

export async function check(name, body) {
  try {
    const note = await body();
    console.log(`ok - ${name}${note ? ` (${note})` : ""}`);
  } catch (error) {
    failed++;
    console.log(`not ok - ${name}: ${String(error.message).split("\n")[0]}`);
  }
}

export function equal(have, want, what = "value") {
  const [a, b] = [JSON.stringify(have), JSON.stringify(want)];
  if (a !== b) throw new Error(`${what} is ${a}, not ${b}`);
}

export function holds(condition, what) {
  if (!condition) throw new Error(what);
}

// Texts are compared with plain spaces.
export const words = (text) => text.replaceAll("\u00a0", " ").trim();
export const texts = async (locator) => (await locator.allTextContents()).map(words);

// Waits until everything is drawn: charts draw after layout.
export async function settle(page) {
  await page.evaluate(
    () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done()))),
  );
}

export async function open(browser, file, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1300, height: 900 }, ...options });
  const page = await context.newPage();
  const url = pathToFileURL(file).href;
  page.problems = [];
  page.on("console", (message) => {
    if (message.type() === "error") page.problems.push(message.text());
  });
  page.on("pageerror", (error) => page.problems.push(error.message));
  page.on("request", (request) => {
    if (request.url() !== url && !request.url().startsWith("data:"))
      page.problems.push(`asked for ${request.url()}`);
  });
  const start = performance.now();
  await page.goto(url);
  await settle(page);
  page.open_ms = performance.now() - start;
  return page;
}

// Counts the non-empty pixels of each canvas, without overlays that only appear under the pointer.
export function inkOfCanvases(page) {
  return page.evaluate(() =>
    // Charts in a closed fold are drawn when it opens.
    [...document.querySelectorAll("canvas:not(.over)")].filter((canvas) => canvas.checkVisibility()).map((canvas) => {
      const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
      let ink = 0;
      for (let i = 3; i < data.length; i += 4) if (data[i] > 0) ink++;
      return ink;
    }),
  );
}

// Accessibility violations that axe-core finds, each with the first element.
export async function violations(page) {
  if (!(await page.evaluate(() => "axe" in globalThis)))
    await page.evaluate(readFileSync(new URL("../../web/node_modules/axe-core/axe.min.js", import.meta.url), "utf8"));
  return page.evaluate(async () => {
    const { violations } = await globalThis.axe.run();
    return violations.map((v) => `${v.id} (${v.nodes.length}): ${v.nodes[0].target.join(" ")}`);
  });
}

// The layout depends only on the width, and the colors on the scheme, so two looks cover both.
export const LOOKS = [
  { width: 1400, colorScheme: "light" },
  { width: 390, colorScheme: "dark" },
];

export async function checkAnyPage(name, page, charts) {
  // Reported, not judged: the time depends on the load of the machine.
  await check(`${name}: opens`, () => `${Math.round(page.open_ms)} ms`);
  await check(`${name}: no error, no network request`, () =>
    equal(page.problems, [], "list of problems"),
  );
  await check(`${name}: every chart is drawn`, async () => {
    const ink = await inkOfCanvases(page);
    if (charts !== undefined) equal(ink.length, charts, "number of charts");
    holds(
      ink.every((dots) => dots > 300),
      `a chart is blank: ${ink}`,
    );
    return `${ink.length} charts`;
  });
  await check(`${name}: axe finds nothing`, async () => equal(await violations(page), [], "list of violations"));
  await check(`${name}: nothing is wider than the window`, async () => {
    const [page_px, window_px] = await page.evaluate(() => [
      document.documentElement.scrollWidth,
      document.documentElement.clientWidth,
    ]);
    holds(page_px <= window_px, `${page_px} of ${window_px} pixels`);
  });
}

// Opens all folds, which draws their charts.
export async function openFolds(page) {
  await page.locator("details.more, details.part").evaluateAll((folds) => folds.forEach((fold) => (fold.open = true)));
  await settle(page);
}

// Design rules of every report: the answer on the first screen, few numbers, visible limits, readable on a
// phone.
export async function checkReport(name, page) {
  const size = page.viewportSize();
  await page.setViewportSize({ width: 1400, height: 900 });
  await settle(page);
  await check(`${name}: answer, cost and certainty are visible without scrolling`, async () => {
    const box = await page.locator("#answer").boundingBox();
    holds(box.y + box.height < 900, `the card ends at ${box.y + box.height}`);
    const shown = await texts(page.locator("#answer dt"));
    holds(["What it costs", "How sure"].every((field) => shown.includes(field)), `it has ${shown}`);
  });
  await check(`${name}: shows at most six main metrics and the limits; the rest is folded`, async () => {
    const rows = await page.locator("main > section > .card > div > table.deciding tbody, main > #figures > .card > .scroll > table.figures tbody tr").count();
    holds(rows <= 6, `${rows} figures`);
    holds(await page.locator("#limits li").first().isVisible(), "limits are not seen");
    equal(await page.locator("details.more[open]").count(), 0, "folds that are open");
    return `${await page.evaluate(() => document.documentElement.scrollHeight)} pixels high at 1400`;
  });
  await check(`${name}: a phone scrolls only vertically`, async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    await settle(page);
    const [width, height] = await page.evaluate(() => [document.documentElement.scrollWidth, document.documentElement.scrollHeight]);
    holds(width <= 390, `the page is ${width} wide`);
    return `${height} pixels high at 390`;
  });
  await page.setViewportSize(size);
  await settle(page);
}

// Maximum heights of pages at 1400 and 390 pixels of width, by folder of the report. Fonts differ between
// machines, so a page may be 5 % higher.
const bars = { demo: { 1400: 2400, 390: 5200 }, sweep: { 390: 5000 } };

export async function checkHeight(name, page) {
  const limits = Object.entries(bars[name.split("/")[0]] ?? {});
  if (limits.length === 0) return;
  const size = page.viewportSize();
  for (const [width, bar] of limits)
    await check(`${name}: not much higher than ${bar} pixels at ${width}`, async () => {
      await page.setViewportSize({ width: Number(width), height: 900 });
      await page.reload(); // phones fold other parts
      await settle(page);
      const height = await page.evaluate(() => document.documentElement.scrollHeight);
      holds(height <= 1.05 * bar, `it is ${height} pixels high`);
      return `${height} pixels`;
    });
  await page.setViewportSize(size);
  await page.reload();
  await settle(page);
}

// Without scripts the answer and the main numbers are present as text.
export async function checkWithoutScripts(name, browser, file) {
  const context = await browser.newContext({ javaScriptEnabled: false, viewport: { width: 390, height: 844 } });
  const page = await context.newPage();
  await page.goto(pathToFileURL(file).href);
  await check(`${name}: readable without scripts`, async () => {
    holds((await page.locator("#answer h1").textContent()).length > 10, "no answer");
    holds((await page.locator("main table tr").count()) > 1, "no figures");
    holds((await page.locator("main ul li").count()) > 1, "no limits");
    const box = await page.locator("main").boundingBox();
    holds(box.x >= 0 && box.width <= 390, `it is ${box.width} wide`);
  });
  await context.close();
}

export const chartOf = (page, title) =>
  page.locator("figure.chart", { has: page.getByText(title, { exact: true }) }).first();
export const live = (page) => page.locator("#live").textContent().then(words);

export async function dragOver(page, chart, from, to) {
  await chart.scrollIntoViewIfNeeded();
  const box = await chart.locator(".u-over").boundingBox();
  const y = box.y + box.height / 2;
  await page.mouse.move(box.x + box.width * from, y);
  await page.mouse.down();
  await page.mouse.move(box.x + (box.width * (from + to)) / 2, y);
  await page.mouse.move(box.x + box.width * to, y);
  await page.mouse.up();
  await settle(page);
  return { x: box.x + box.width / 2, y };
}
