// still.mjs REPORT.html... - pages that are complete without scripts (advice, collectives): on a large light
// screen and a small dark one, without scripts, and in print.
import { basename, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { check, equal, failures, holds, launch, LOOKS, open, violations, words } from "./checks.mjs";

const shots = process.env.WEB_SHOTS;
const HEIGHTS = { 1400: 2900, 390: 5600 }; // pixels, with all folds closed

async function checkSize(browser, file, width, colorScheme) {
  const name = `${basename(file)} at ${width}, ${colorScheme}`;
  const page = await open(browser, resolve(file), { viewport: { width, height: width > 600 ? 900 : 844 }, colorScheme });
  const seen = await page.evaluate(() => ({
    wide: document.documentElement.scrollWidth - document.documentElement.clientWidth,
    high: document.documentElement.scrollHeight,
    answer: document.querySelector(".answer").getBoundingClientRect().bottom,
    command: document.querySelector(".answer .command").getBoundingClientRect().bottom,
  }));
  await check(`${name}: nothing is wider than the window`, () => equal(seen.wide, 0, "pixels too wide"));
  await check(`${name}: at most as high as allowed`, () => {
    holds(seen.high <= HEIGHTS[width], `${seen.high} pixels`);
    return `${seen.high} pixels`;
  });
  await check(`${name}: the answer fits on the first screen`, () =>
    holds(width > 600 ? seen.answer <= 900 : seen.command <= 844, `it ends at ${Math.round(width > 600 ? seen.answer : seen.command)}`),
  );
  await check(`${name}: axe finds nothing`, async () => equal(await violations(page), [], "list of violations"));
  await check(`${name}: no error, no network request`, () => equal(page.problems, [], "list of problems"));
  if (shots) await page.screenshot({ path: join(shots, `${basename(file, ".html")}-${width}-${colorScheme}.png`), fullPage: true });
  await page.context().close();
}

async function checkScripts(browser, file) {
  const name = basename(file);
  const still = await (await browser.newContext({ javaScriptEnabled: false })).newPage();
  await still.goto(pathToFileURL(resolve(file)).href);
  const text = await still.locator("main").textContent();
  await check(`${name}: complete without scripts, and then without buttons`, async () => {
    equal(await still.locator("button:visible").count(), 0, "buttons");
    holds(await still.locator(".answer h1").isVisible(), "no answer");
    holds(!(await still.locator("noscript").isVisible()), "it says that charts are missing");
  });
  await still.context().close();
  const page = await open(browser, resolve(file), { permissions: ["clipboard-read", "clipboard-write"] });
  await check(`${name}: scripts only add copy buttons`, async () => {
    const button = page.locator(".answer button[data-copy]");
    await button.click();
    await page.waitForFunction(() => document.querySelector(".answer button[data-copy]").textContent === "Copied");
    equal(words(await page.evaluate(() => navigator.clipboard.readText())), words(await page.locator("#next-command").textContent()), "clipboard");
    equal((await page.locator("main").textContent()).replace("Copied", "Copy"), text, "text of the page");
  });
  await check(`${name}: everything is open in print`, async () => {
    await page.emulateMedia({ media: "print" });
    await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
    equal(await page.locator("details:not([open])").count(), 0, "closed folds");
    for (const tab of await page.locator(".tab").all()) holds(await tab.isVisible(), "a script is missing");
    equal(await page.locator("button:visible").count(), 0, "buttons");
  });
  await page.context().close();
}

const browser = await launch();
try {
  for (const file of process.argv.slice(2)) {
    for (const { width, colorScheme } of LOOKS) await checkSize(browser, file, width, colorScheme);
    await checkScripts(browser, file);
  }
} finally {
  await browser.close();
}
process.exitCode = failures() > 0 ? 1 : 0;
