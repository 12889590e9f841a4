// The tuner section of a run's page, step by step.
import { join } from "node:path";
import * as fixtures from "./fixtures.mjs";
import {
  chartOf,
  check,
  checkAnyPage,
  dragOver,
  equal,
  holds,
  inkOfCanvases,
  live,
  open,
  openFolds,
  settle,
  texts,
  words,
} from "./checks.mjs";

const utilityOf = (page) => chartOf(page, "Utility and its terms");
const rowsOf = (page) => page.locator("table.decisions tbody tr");
const readout = async (page) =>
  words(await page.locator("#tuning .readout").innerText()).replace(/\s+/g, " ");
const chosen = (page) =>
  page
    .locator("table.decisions tr[aria-selected]")
    .evaluateAll((rows) => rows.map((row) => row.dataset.step));

// Moves the mouse over the chart to a time.
async function pointAt(page, chart, at_us, isClick = false) {
  await chart.scrollIntoViewIfNeeded();
  const box = await chart.locator(".u-over").boundingBox();
  const [x, y] = [box.x + (box.width * at_us) / 7000, box.y + box.height / 2];
  await page.mouse.move(x, y);
  if (isClick) await page.mouse.click(x, y);
}

// Returns the color of one pixel of the section's first chart, at a time and a share of the height.
function dotAt(page, at_us, height) {
  return utilityOf(page)
    .locator("canvas")
    .evaluate(
      (canvas, [at, y]) => {
        const over = canvas.parentElement.querySelector(".u-over").getBoundingClientRect();
        const box = canvas.getBoundingClientRect();
        const scale = canvas.width / box.width;
        const left = (over.left - box.left + (over.width * at) / 7000) * scale;
        const top = (over.top - box.top + over.height * y) * scale;
        return [...canvas.getContext("2d").getImageData(Math.round(left), Math.round(top), 1, 1).data].join();
      },
      [at_us, height],
    );
}

async function checkWhatIsSaid(page) {
  await check("tuning: follows the time series and names tuner and options", async () => {
    const ids = await page.locator("main > section").evaluateAll((parts) => parts.map((part) => part.id));
    equal(ids.slice(1, 5), ["figures", "completion", "time", "tuning"], "order of sections");
    equal(await texts(page.locator("#tuning .tuner p")), [
      "paraleon: simulated annealing with guided randomness",
      "140 intervals, 1 search, 21 settings accepted, 39 rejected.",
    ]);
    equal(await texts(page.locator("#tuning .tuner code")), ["theta=0.01"]);
    equal(await texts(page.locator("#tuning details.more tbody tr").last().locator("th, td")), [
      "theta",
      "0.01",
      "yes",
      "divergence of flow sizes that is a change",
    ]);
  });
  await check("tuning: only this section has the changed knobs", async () => {
    equal(await texts(page.locator("#tuning figcaption .title")), [
      "Utility and its terms",
      "kmin",
      "rpg_time_reset",
      "pmax",
      "Elephants, of all flows",
      "Divergence of flow sizes",
    ]);
    equal(await page.locator("#knobs figure").count(), 0, "charts of knobs elsewhere");
  });
  await check("tuning: each phase is shaded in its own color", async () => {
    const dots = [];
    for (const at_us of [1970, 3270, 5170, 6320]) dots.push(await dotAt(page, at_us, 0.93));
    equal(new Set(dots).size, 4, `number of colours of ${dots.join(" ")}`);
  });
  await check("tuning: theta is a line, and values below the axis are drawn at its bottom", async () => {
    const chart = chartOf(page, "Divergence of flow sizes");
    await chart.getByText("Show as table").click();
    const row = (i) => texts(chart.locator("tbody tr").nth(i).locator("th, td"));
    equal(await row(39), ["2.00 ms", "0.0340", "0.0100"]);
    equal((await row(7))[1], "≤ 0.00001");
    equal((await row(0))[1], "–");
    await chart.getByText("Show as chart").click();
  });
}

async function checkSteps(page) {
  const best =
    "3.95 ms – 4.00 ms: search; best; utility 0.913 (throughput 0.897, RTT 0.433, PFC 1.00), " +
    "temperature 1.48 the best so far <b>of all</b> kmin 280 → 290 KB pmax 0.45 → 0.5";
  await check("tuning: pointing at a step shows its reason and its setting", async () => {
    holds((await readout(page)).startsWith("Point at a step"), `it says: ${await readout(page)}`);
    await pointAt(page, utilityOf(page), 4000);
    equal(await readout(page), best);
    await page.mouse.move(0, 0);
    holds((await readout(page)).startsWith("Point at a step"), "it still says it");
  });
  await check("tuning: shares the cursor with all charts over time", async () => {
    await pointAt(page, chartOf(page, "Throughput"), 4000);
    equal(await readout(page), best);
    await pointAt(page, utilityOf(page), 2000);
    equal(words(await chartOf(page, "Throughput").locator(".legend .x").textContent()), "time 2.00 ms");
    equal(words(await chartOf(page, "kmin").locator(".legend .value").textContent()), "200 KB");
  });
  await check("tuning: a click keeps the step and goes to its row", async () => {
    await pointAt(page, utilityOf(page), 4000, true);
    await page.mouse.move(0, 0);
    equal(await readout(page), best);
    equal(await chosen(page), ["79"], "chosen rows");
    holds(await page.locator("table.decisions tr[aria-selected]").isVisible(), "the row is not seen");
  });
  await check("tuning: dragging zooms and chooses nothing", async () => {
    await dragOver(page, utilityOf(page), 0.2, 0.5);
    equal(await chosen(page), ["79"], "chosen rows");
    equal(await chartOf(page, "Throughput").locator("button.reset:visible").count(), 1);
    await utilityOf(page).locator("button.reset").click();
  });
}

async function checkTable(page) {
  const rows = rowsOf(page);
  const select = page.locator("#tuning select");
  await check("tuning: the table of changes", async () => {
    equal(await rows.count(), 62, "number of rows");
    equal(await texts(rows.first().locator("th, td")), [
      "2.00 ms",
      "watch",
      "",
      "0.705",
      "flow sizes changed (divergence 0.034 > 0.01): search begins at the running setting",
      "kmin 400 → 390 KB",
    ]);
    equal((await texts(rows.nth(40).locator("th, td"))).slice(0, 5), [
      "4.00 ms",
      "search",
      "◆best",
      "0.913",
      "the best so far <b>of all</b>",
    ]);
  });
  await check("tuning: the user can choose the steps in the table", async () => {
    equal(await texts(select.locator("option")), [
      "changes only (62)",
      "turning points (5)",
      "all steps (140)",
    ]);
    await select.selectOption("turning points (5)");
    equal(await texts(rows.locator("th")), ["50.0 µs", "2.05 ms", "4.00 ms", "5.05 ms", "5.35 ms"]);
    equal(await chosen(page), ["79"], "chosen rows");
    await select.selectOption("all steps (140)");
    equal(await rows.count(), 140, "number of rows");
    await select.selectOption("changes only (62)");
  });
  await check("tuning: keys move between rows, and the charts follow", async () => {
    await page.locator('table.decisions tr[tabindex="0"]').focus();
    await page.keyboard.press("Home");
    await page.keyboard.press("ArrowDown");
    equal(await chosen(page), ["40"], "chosen rows");
    holds((await readout(page)).startsWith("2.00 ms – 2.05 ms: search; rejected;"), await readout(page));
    equal(words(await chartOf(page, "Throughput").locator(".legend .x").textContent()), "time 2.05 ms");
    await page.keyboard.press("End");
    equal(await chosen(page), ["105"], "chosen rows");
    equal(await page.locator('table.decisions tr[tabindex="0"]').count(), 1, "rows that Tab stops at");
  });
  await check("tuning: Enter goes from a point to its row, whatever the table shows", async () => {
    await utilityOf(page).locator(".plot").focus();
    await page.keyboard.press("Home");
    await page.keyboard.press("ArrowRight");
    holds((await live(page)).startsWith("time 100 µs: utility "), `it says: ${await live(page)}`);
    await page.keyboard.press("Enter");
    equal(await chosen(page), ["1"], "chosen rows");
    equal(await page.evaluate(() => document.activeElement.dataset.step), "1", "the row with the focus");
    equal(await rows.count(), 140, "number of rows");
  });
}

async function checkLooks(browser, file, shots) {
  const dark = await open(browser, file, { colorScheme: "dark" });
  await checkAnyPage("tuning, dark", dark, 9);
  await openFolds(dark);
  if (shots) await dark.locator("#tuning").screenshot({ path: join(shots, "tuning-dark.png") });
  await dark.emulateMedia({ media: "print" });
  await settle(dark);
  await check("tuning: print has no controls, and rows for at most two pages", async () => {
    equal(await dark.locator("#tuning select:visible, #tuning .readout:visible").count(), 0);
    equal(await dark.locator("table.decisions tbody tr:visible").count(), 60);
    equal(await texts(dark.locator("#tuning .on-paper:visible")), ["The first 60 of 62 steps."]);
    holds(
      (await inkOfCanvases(dark)).every((dots) => dots > 300),
      "a chart is blank",
    );
  });
  await dark.context().close();
  const narrow = await open(browser, file, { viewport: { width: 420, height: 800 } });
  await checkAnyPage("tuning, narrow window", narrow, 9);
  await openFolds(narrow);
  await checkWhys(narrow);
  await narrow.context().close();
}

// Reasons are the longest texts of the table; none may be cut off.
async function checkWhys(page) {
  await check("tuning: every reason is complete", async () => {
    const cut = await page.locator("table.decisions td:nth-child(5)").evaluateAll((cells) => cells.filter((cell) => cell.scrollWidth > cell.clientWidth).length);
    equal(cut, 0, "cells that are cut");
  });
}

async function checkMuch(browser, file) {
  const page = await open(browser, file);
  await checkAnyPage("tuning, 2000 steps", page, 9);
  await openFolds(page);
  await checkWhys(page);
  await check("tuning: rows are created on demand", async () => {
    const [before, start] = [await rowsOf(page).count(), performance.now()];
    holds(before < 400, `${before} rows at first`);
    await page.locator("table.decisions").evaluate((table) => table.parentElement.scrollTo(0, 1e6));
    await settle(page);
    const after = await rowsOf(page).count();
    holds(after > before && after < 2000, `${before} rows, then ${after}`);
    await rowsOf(page).first().focus();
    await page.keyboard.press("End");
    equal(await chosen(page), ["1999"], "chosen rows");
    const took_ms = performance.now() - start;
    return `${Math.round(took_ms)} ms`;
  });
  await check("tuning: reports omitted steps", async () =>
    holds(
      (await texts(page.locator("#tuning .tuner p"))).includes(
        "9,000 intervals, 90 searches, 6,000 settings accepted, 3,000 rejected. " +
          "7,000 intervals are left out here; tuning.jsonl has all.",
      ),
      "it is not",
    ),
  );
  await check("tuning: still no error", () => equal(page.problems, [], "list of problems"));
  await page.context().close();
}

async function checkIdle(browser, written) {
  const idle = await open(browser, written("idle", fixtures.idleTunedRun(140)));
  await checkAnyPage("tuning, nothing measured", idle);
  await openFolds(idle);
  await check("tuning: says that nothing was measured, and the table has all steps", async () => {
    equal(await texts(idle.locator("#tuning .nothing")), ["The tuner measured no utility."]);
    equal(await rowsOf(idle).count(), 140, "number of rows");
    await rowsOf(idle).first().click();
    equal(await chosen(idle), ["0"], "chosen rows");
    equal(idle.problems, [], "list of problems");
  });
  await idle.context().close();
  const none = await open(browser, written("no-steps", fixtures.idleTunedRun(0)));
  await check("tuning: a run without a complete interval", async () => {
    equal(await texts(none.locator("#tuning .nothing")), ["The run ended before its first interval did."]);
    equal(none.problems, [], "list of problems");
  });
  await none.context().close();
}

// For a real run: the page shows its last step word for word, and every knob that was set.
export async function checkTuningOfReport(name, page, { steps, knobs, tuner }) {
  await check(`${name}: decisions of ${tuner}`, async () => {
    const last = steps.end_us.length - 1;
    await page.locator("#tuning select").selectOption({ index: 2 });
    await rowsOf(page).first().focus();
    await page.keyboard.press("End");
    equal(await chosen(page), [String(last)], "chosen rows");
    equal(await texts(rowsOf(page).last().locator("td:nth-child(5)")), [steps.why[last].trim()]);
    const shown = await texts(page.locator("#tuning figcaption .title"));
    equal(
      knobs.map((knob) => knob.name).filter((knob) => !shown.includes(knob)),
      [],
      "knobs without a chart",
    );
    return `${last + 1} steps, ${knobs.length} knobs set`;
  });
}

export async function checkTuning(browser, written, shots) {
  const file = written("tuning", fixtures.tunedRun());
  const page = await open(browser, file);
  // 8 of the run, as without a tuner, and the utility
  await checkAnyPage("tuning", page, 9);
  await check("tuning: a step that is clicked opens the table", async () => {
    await pointAt(page, utilityOf(page), 4000, true);
    holds(await page.locator("table.decisions tr[aria-selected]").isVisible(), "the row is not seen");
    await page.reload();
  });
  await openFolds(page);
  await checkWhatIsSaid(page);
  await checkSteps(page);
  await checkTable(page);
  await check("tuning: still no error", () => equal(page.problems, [], "list of problems"));
  if (shots) await page.screenshot({ path: join(shots, "tuning.png"), fullPage: true });
  await page.context().close();
  await checkLooks(browser, file, shots);
  await checkMuch(browser, written("tuning-long", fixtures.longTunedRun()));
  await checkIdle(browser, written);
}
