// Pages with many settings: those of a sweep, and those that a tuner tried.
import * as fixtures from "./fixtures.mjs";
import { chartOf, check, checkAnyPage, checkReport, equal, holds, open, openFolds, settle, texts, words } from "./checks.mjs";

// Returns the settings that no other beats in both metrics, by comparing all pairs.
function frontOf(points) {
  const beats = (a, b) => a[0] <= b[0] && a[1] >= b[1] && (a[0] < b[0] || a[1] > b[1]);
  return points.filter((point) => !points.some((other) => beats(other.figures, point.figures)));
}

async function checkSweep(browser, file, data) {
  const { sweep } = data;
  const page = await open(browser, file);
  await checkAnyPage("sweep", page);
  await checkReport("sweep", page);
  await check("sweep: ranks the best and the scenario's own setting; all settings are dots", async () => {
    const rows = await texts(page.locator("#sweep table.ranking tbody th"));
    equal(rows, ["1 ✓ recommended", "2", "3", "4", "– scenario's own", "5", "6", "7", "8"]);
    await openFolds(page);
    equal(await texts(page.locator("#answer h1")), [data.comparison.answer?.finding ?? data.comparison.verdicts[1].text]);
    equal(await chartOf(page, "All settings").locator(".dot").count(), 60);
    equal(await chartOf(page, "All settings").locator(".dot.best").count(), 1);
    for (const title of ["All settings", "Settings over all keys", "Two figures against each other"])
      equal(await chartOf(page, title).locator("path.own").count(), 1, `the scenario's own in ${title}`);
    equal(await page.title(), `${data.title} – Anole`);
  });
  await check("sweep: with more than two keys, settings are lines over all keys", async () => {
    const chart = chartOf(page, "Settings over all keys");
    equal(await chart.locator(".line").count(), 60, "number of lines");
    equal(await chart.locator(".upright").count(), 5, "number of axes");
    equal(await chart.locator(".line:not(.weak)").count(), 15, "the best quarter");
    await chart.locator("select").nth(1).selectOption("all");
    equal(await chart.locator(".line.weak").count(), 0);
    // Axes of metrics point upward: the best setting is the lowest line at the right end.
    const ends = await chart.locator(".line").evaluateAll((lines) => lines.map((line) => [Number(line.getAttribute("d").split(" ").at(-1)), line.classList.contains("best")]));
    const lowest = ends.reduce((a, b) => (b[0] > a[0] ? b : a));
    holds(lowest[1], "the thick line is not the lowest");
  });
  await check("sweep: the Pareto front equals that of comparing all pairs", async () => {
    const chart = chartOf(page, "Two figures against each other");
    const want = frontOf(sweep.points);
    holds(want.length > 2, "the fixture has no front");
    const corners = (await chart.locator(".front").getAttribute("points")).split(" ").length;
    holds(corners >= 2 && corners <= want.length, `${corners} of ${want.length}`);
    const readout = words(await chart.locator(".readout").textContent());
    holds(readout.includes(`${corners} settings are beaten by none in both`), readout);
    // Settings with the same values share one dot.
    equal(corners, new Set(want.map((point) => point.figures.slice(0, 2).join())).size, "corners");
    equal(await texts(chart.locator("select").first().locator("option")), ["p99 slowdown", "goodput"], "axes");
  });
  await check("sweep: fits a phone", async () => {
    await page.setViewportSize({ width: 390, height: 800 });
    await settle(page);
    holds((await page.evaluate(() => document.documentElement.scrollWidth)) <= 390, "it does not");
  });
  await page.context().close();
}

async function checkTune(browser, file) {
  const page = await open(browser, file);
  await checkAnyPage("tune", page);
  await checkReport("tune", page);
  await check("tune: the found setting, its check, and the search", async () => {
    equal(await texts(page.locator("#answer h1")), ["Use the setting found: it is better in p99 slowdown."]);
    equal(await texts(page.locator("#found tbody tr").first().locator("th, td")), ["kmin", "400 KB", "36 KB", "−91 %", "Queue above which packets may be marked."]);
    holds((await page.locator("#found .hint").textContent()).includes("3 rounds (seeds 1 to 3)"), "rounds are not shown");
    await openFolds(page);
    equal(await page.locator("#differences details.more table.deciding").count(), 1);
    holds((await page.locator("table.decisions tbody tr").count()) > 10, "steps are missing");
    holds((await page.locator("#tuning .charts.three figure").count()) > 0, "knobs over time are missing");
  });
  await page.context().close();
}

export async function checkSearches(browser, written) {
  const sweep = fixtures.sweepPage();
  await checkSweep(browser, written("sweep", sweep), sweep);
  await checkTune(browser, written("tune", fixtures.tunePage()));
  const unchecked = await open(browser, written("tune-unchecked", fixtures.tunePage(false)));
  await checkAnyPage("tune without a check", unchecked);
  await check("tune without a check: says so", async () =>
    equal(await texts(unchecked.locator("#answer h1")), ["It was not checked on other seeds."]),
  );
  await unchecked.context().close();
}
