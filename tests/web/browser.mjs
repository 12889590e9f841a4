// browser.mjs [report.html...] - opens reports in a real browser and checks what users would see.
//
// Without arguments, it uses pages made from fixtures.mjs, whose numbers are known here. With arguments, it
// checks reports of real runs, but only properties of all pages. Prints a line per check; WEB_SHOTS=FOLDER
// keeps pictures.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import * as fixtures from "./fixtures.mjs";
import { checkSearches } from "./search.mjs";
import {
  chartOf,
  check,
  checkAnyPage,
  checkHeight,
  checkReport as checkRules,
  checkWithoutScripts,
  dragOver,
  equal,
  failures,
  holds,
  inkOfCanvases,
  launch,
  live,
  open,
  openFolds,
  settle,
  texts,
  words,
} from "./checks.mjs";
import { checkTuning, checkTuningOfReport } from "./tuning.mjs";
import { emptyForm, pageOf } from "./page.mjs";

const shots = process.env.WEB_SHOTS;
// ---- the small run

async function checkFigures(page, data) {
  await check("run: the main metrics, also before, during and after the influx", async () => {
    const rows = page.locator("#figures > .card > .scroll > table tbody tr");
    equal(await texts(rows.locator("b[data-metric]")), ["12.8", "1.23 ms", "812 Gb/s"]);
    equal((await texts(rows.nth(2).locator("td"))).slice(1, 4), ["610 Gb/s", "905 Gb/s", "598 Gb/s"]);
    equal((await texts(rows.nth(1).locator("td"))).slice(1, 4), ["", "", ""], "a figure without phases");
  });
  await check("run: a click on a name opens its definition", async () => {
    const name = page.locator("#figures details.term").first();
    equal(await name.locator("span").last().isVisible(), false, "its meaning at first");
    await name.locator("summary").click();
    equal(await texts(name.locator("span")), ["How many times longer a flow takes than alone in the network."]);
    holds(await name.locator("span").last().isVisible(), "the meaning is not seen");
    await name.locator("summary").click();
  });
  await check("run: the card uses the units of the page", async () =>
    equal((await texts(page.locator("#answer dd"))).slice(0, 3), [
      "No packet was dropped. Longest queue: 2.00 MB.",
      "One run, seed 1: other seeds differ.",
      "128 hosts at 100 Gb/s, idle round trip 8.38 µs.",
    ]),
  );
  await check("run: a whole run is not called partial", async () =>
    equal(await page.locator(".partial").count(), 0, "number of notes"),
  );
  await check("run: the fold has every metric of the summary with its exact value", async () => {
    const shown = await page.locator("#figures details.more b[data-metric]").evaluateAll((cells) => cells.map((cell) => [cell.dataset.metric, cell.title]));
    equal(shown.map(([name]) => name), data.summary.metrics.map(({ name }) => name));
    equal(shown[3][1], "fct_us_p99 = 1234.5");
  });
  await check("run: traffic", async () => {
    equal(await texts(page.locator("#traffic tbody tr").first().locator("th, td")), [
      "background",
      "11,872",
      "1.25 GB",
      "29.8 %",
      "4.40",
    ]);
  });
  await check("run: knobs that did not change", async () => {
    equal(await texts(page.locator("#knobs tbody td")), ["800 KB", "32,767 blocks", "1019/1024"]);
    equal(await texts(page.locator("#knobs figcaption .title")), ["kmin", "rpg_time_reset", "pmax"]);
  });
  await check("run: the scenario is text", async () =>
    equal(await page.locator("pre#scenario").textContent(), data.scenario),
  );
  await check("run: links to files", async () =>
    equal(
      await page.locator("footer a").evaluateAll((links) => links.map((a) => a.getAttribute("href"))),
      data.files,
    ),
  );
  await check("run: how to repeat it", async () => equal(await texts(page.locator("footer code")), ["anole run demo.yaml --seed 1"]));
}

async function checkKeyboard(page) {
  const throughput = chartOf(page, "Throughput");
  const resets = page.locator(
    "#time button.reset:visible, #knobs button.reset:visible, #links button.reset:visible",
  );
  await check("run: arrow keys move the cursor and announce the values", async () => {
    await throughput.locator(".plot").focus();
    await page.keyboard.press("Home");
    for (let i = 0; i < 20; i++) await page.keyboard.press("ArrowRight");
    const said = await live(page);
    holds(said.startsWith("time 1.05 ms: goodput 500 Gb/s, sent "), `it says: ${said}`);
    equal(words(await throughput.locator(".legend .value").first().textContent()), "500 Gb/s");
  });
  await check("run: charts over time share the cursor", async () => {
    equal(words(await chartOf(page, "Round-trip time").locator(".legend .x").textContent()), "time 1.05 ms");
    holds(
      words(await chartOf(page, "Flows").locator(".legend .value").first().textContent()) !== "",
      "no value of flows",
    );
  });
  await check("run: + zooms all charts over time, 0 shows all again", async () => {
    const before = await inkOfCanvases(page);
    await page.keyboard.press("+");
    await page.keyboard.press("+");
    await settle(page);
    equal(await resets.count(), 15, "number of zoomed charts");
    holds((await live(page)).startsWith("time "), "the range is not announced");
    await page.keyboard.press("0");
    await settle(page);
    equal(await resets.count(), 0, "number of zoomed charts");
    equal((await inkOfCanvases(page)).length, before.length);
  });
  await check("run: shows the current value of a knob", async () => {
    const pmax = chartOf(page, "pmax");
    await pmax.scrollIntoViewIfNeeded();
    const box = await pmax.locator(".u-over").boundingBox();
    await page.mouse.move(box.x + (box.width * 2.9) / 7, box.y + 20); // 0.25 holds from 1 to 3 ms
    equal(words(await pmax.locator(".legend .value").textContent()), "0.25");
    await page.mouse.move(box.x + (box.width * 3.1) / 7, box.y + 20);
    equal(words(await pmax.locator(".legend .value").textContent()), "0.15");
  });
  await check("run: every chart can be reached with the keyboard", async () => {
    const plots = await page.locator(".plot").count();
    equal(await page.locator('.plot[tabindex="0"][aria-label]').count(), plots, "charts that take the focus");
  });
}

async function checkMouse(page) {
  const throughput = chartOf(page, "Throughput");
  await check("run: dragging zooms, a double click shows all again", async () => {
    const middle = await dragOver(page, throughput, 0.2, 0.5);
    await page.keyboard.press("Home");
    await throughput.locator(".plot").focus();
    await page.keyboard.press("Home");
    const at_ms = Number((await live(page)).match(/^time ([\d.]+) ms/)?.[1]);
    holds(at_ms >= 1.4 && at_ms <= 1.45, `the first point is at ${at_ms} ms`); // 20 % of 7 ms
    await page.mouse.dblclick(middle.x, middle.y);
    await settle(page);
    equal(await throughput.locator("button.reset:visible").count(), 0);
  });
  await check("run: the button shows all again", async () => {
    await dragOver(page, throughput, 0.6, 0.9);
    await throughput.locator("button.reset").click();
    equal(await page.locator("button.reset:visible").count(), 0);
  });
  await check("run: a curve can be hidden", async () => {
    const canvas = throughput.locator("canvas");
    const [before, button] = [await canvas.screenshot(), throughput.locator(".legend button").first()];
    await button.click();
    await page.mouse.move(0, 0);
    await settle(page);
    equal(await button.getAttribute("aria-pressed"), "false");
    holds(!before.equals(await canvas.screenshot()), "the picture is the same");
    await button.click();
  });
}

async function checkTables(page, data) {
  await check("run: a chart as a table", async () => {
    const chart = chartOf(page, "Throughput");
    await chart.getByText("Show as table").click();
    const rows = chart.locator("tbody tr");
    equal(await rows.count(), data.series.at_us.length, "number of rows");
    equal((await texts(rows.nth(20).locator("th, td"))).slice(0, 2), ["1.05 ms", "500 Gb/s"]);
    equal(await chart.locator("canvas:visible").count(), 0, "number of pictures left");
    await chart.getByText("Show as chart").click();
  });
  await check("run: a gap is a dash", async () => {
    const chart = chartOf(page, "Round-trip time");
    await chart.getByText("Show as table").click();
    equal((await texts(chart.locator("tbody tr").nth(60).locator("td")))[0], "–");
    await chart.getByText("Show as chart").click();
  });
  await check("run: slowdowns by size as a table", async () => {
    const chart = chartOf(page, "Slowdown by message size");
    await chart.getByText("Show as table").click();
    equal(await texts(chart.locator("tbody tr").first().locator("th, td")), [
      "< 1 KB (4,000 flows)",
      "1.10",
      "2.42",
      "4.95",
      "12.1",
    ]);
    await chart.getByText("Show as chart").click();
  });
}

async function checkLinks(page, { nodes, links, heat }) {
  const busiest = [...links].sort((a, b) => Math.max(b.ab, b.ba) - Math.max(a.ab, a.ba))[0];
  const percent = (share) => `${(share * 100).toPrecision(3)} %`;
  await check("run: the keyboard finds the busiest link", async () => {
    const chart = chartOf(page, "Links over the network");
    await chart.locator(".plot").focus();
    await page.keyboard.press("ArrowRight");
    const said = await live(page);
    const want = `${nodes[busiest.a].name} → ${nodes[busiest.b].name}: mean ${percent(busiest.ab)}`;
    holds(said.includes(want), `it says “${said}”, not “${want}”`);
  });
  await check("run: pointing at a switch shows its traffic", async () => {
    const chart = chartOf(page, "Links over the network");
    const box = await chart.locator("canvas").first().boundingBox();
    // Of four spines in a row, the first is in the middle of the first quarter, after the names of the tiers.
    await page.mouse.move(box.x + 84 + (box.width - 96) / 8, box.y + 22);
    const spine = nodes.findIndex((node) => node.name === "spine0");
    const sent = links
      .filter((l) => l.a === spine || l.b === spine)
      .reduce((sum, l) => sum + (l.a === spine ? l.ab : l.ba) * l.rate_bps, 0);
    const said = words(await chart.locator(".readout").textContent());
    holds(said.startsWith(`spine0: 8 links, sends ${(sent / 1e9).toPrecision(3)} Gb/s`), `it says: ${said}`);
  });
  await check("run: the heat map announces its values", async () => {
    await chartOf(page, "Busiest links over time").locator(".plot").focus();
    await page.keyboard.press("Home");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowRight");
    equal(
      await live(page),
      `${heat.rows[1].label.replace(">", "→")}, 50.0 µs – 100 µs: ${percent(heat.rows[1].values[1])}`,
    );
  });
}

async function checkRun(browser, file, data) {
  const page = await open(browser, file);
  await checkRules("run", page);
  // 3 of completion times, 4 over time, the network; in folds: 7 over time, 3 knobs, the heat map
  await checkAnyPage("run", page, 8);
  await openFolds(page);
  await checkAnyPage("run, opened", page, 19);
  await checkFigures(page, data);
  await checkKeyboard(page);
  await checkMouse(page);
  await checkTables(page, data);
  await checkLinks(page, data.topology);
  await check("run: no error after all actions", () => equal(page.problems, [], "list of problems"));
  if (shots) await page.screenshot({ path: join(shots, "run.png"), fullPage: true });
  await page.context().close();
}

// ---- dark, print, narrow

const background = (page) => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
const lightness = (rgb) =>
  rgb
    .match(/\d+/g)
    .slice(0, 3)
    .reduce((sum, x) => sum + Number(x), 0) / 765;

// Charts saved as files: as vectors with title, legend and source, and as pixels.
async function checkSaving(browser, file) {
  const page = await open(browser, file);
  await openFolds(page);
  const save = async (chart, label) => {
    await chart.hover();
    const [download] = await Promise.all([page.waitForEvent("download"), chart.locator(".save button", { hasText: label }).click()]);
    return { name: download.suggestedFilename(), bytes: readFileSync(await download.path()) };
  };
  await check("save: SVG has title, curves, marks and source", async () => {
    const { name, bytes } = await save(chartOf(page, "Throughput"), "SVG");
    equal(name, "throughput.svg");
    const svg = bytes.toString();
    holds(svg.includes("<title>Throughput, Gb/s</title>") || svg.includes("<title>Throughput"), "no title");
    holds(svg.includes("demo.yaml, seed"), "no source");
    holds(svg.includes(">goodput</text>") && svg.includes(">sent</text>"), "no legend");
    equal((svg.match(/<path /g) ?? []).length, 2, "curves");
    const parsed = await page.evaluate((text) => new DOMParser().parseFromString(text, "image/svg+xml").querySelector("parsererror")?.textContent ?? "", svg);
    equal(parsed, "", "what a parser says");
    if (shots) writeFileSync(join(shots, "saved.svg"), svg);
  });
  await check("save: PNG, and a drawing without vectors", async () => {
    const png = await save(chartOf(page, "Throughput"), "PNG");
    equal([...png.bytes.subarray(1, 4)].map((c) => String.fromCharCode(c)).join(""), "PNG");
    const links = await save(chartOf(page, "Links over the network"), "SVG");
    holds(links.bytes.toString().includes("<image "), "no image");
  });
  await check("save: no error", () => equal(page.problems.filter((text) => !text.includes("blob:")), [], "list of problems"));
  await page.context().close();
}

async function checkDark(browser, file) {
  const page = await open(browser, file, { colorScheme: "dark" });
  await checkAnyPage("dark", page);
  await check("dark: dark, and redrawn when the scheme changes", async () => {
    holds(lightness(await background(page)) < 0.2, "the page is not dark");
    const canvas = page.locator("#time canvas").first();
    const dark = await canvas.screenshot();
    await page.emulateMedia({ colorScheme: "light" });
    await settle(page);
    holds(lightness(await background(page)) > 0.9, "the page is not light");
    holds(!dark.equals(await canvas.screenshot()), "the chart has not changed");
  });
  await page.context().close();
}

async function checkPrint(browser, file) {
  const page = await open(browser, file, { colorScheme: "dark" });
  const opened = await page.locator("details[open]").count();
  await check("print: black on white, no controls, everything open", async () => {
    await page.emulateMedia({ media: "print", colorScheme: "dark" });
    await settle(page);
    equal(await background(page), "rgb(255, 255, 255)", "colour of the page");
    equal(
      await page.locator("button.control:visible, select:visible, nav:visible").count(),
      0,
      "controls that are seen",
    );
    equal(await page.locator("details.more:not([open]), details.part:not([open])").count(), 0, "details that are closed");
    holds(
      (await inkOfCanvases(page)).every((dots) => dots > 300),
      "a chart is blank",
    );
    if (shots) await page.screenshot({ path: join(shots, "print.png"), fullPage: true });
    await page.emulateMedia({ media: "screen" });
    await settle(page);
    equal(await page.locator("details[open]").count(), opened, "details that stay open");
  });
  await check("print: makes a PDF", async () => {
    const pdf = await page.pdf({ format: "A4", ...(shots ? { path: join(shots, "print.pdf") } : {}) });
    const pages = pdf.toString("latin1").match(/\/Type\s*\/Page\b/g)?.length ?? 0;
    holds(pages >= 2, `it has ${pages} pages`);
    return `${pages} pages`;
  });
  await page.context().close();
}

async function checkNarrow(browser, file) {
  const page = await open(browser, file, { viewport: { width: 420, height: 800 } });
  await checkAnyPage("narrow window", page);
  if (shots) await page.screenshot({ path: join(shots, "narrow.png"), fullPage: true });
  await page.context().close();
}

// ---- link load

async function checkLinkFold(browser, folder) {
  const quiet = fixtures.smallRun();
  const { links, nodes } = quiet.runs[0].topology;
  for (const link of links) [link.ab, link.ba] = [link.ab / 2, link.ba / 2];
  const page = await open(browser, written(folder, "quiet", quiet));
  const part = page.locator("#links > details.part");
  await check("links: folded while no link is full, and a sentence names the busiest", async () => {
    equal(await part.evaluate((details) => details.open), false, "the fold is open");
    const [link] = [...links].sort((a, b) => Math.max(b.ab, b.ba) - Math.max(a.ab, a.ba));
    const [from, to] = link.ab >= link.ba ? [link.a, link.b] : [link.b, link.a];
    const said = words(await part.locator("summary .hint").textContent());
    holds(said.includes(`busiest link, ${nodes[from].name} → ${nodes[to].name}, carries `), `it says: ${said}`);
  });
  await check("links: the table of contents opens the fold, and it is drawn", async () => {
    const before = (await inkOfCanvases(page)).length;
    await page.locator("nav a", { hasText: "Links" }).click();
    await settle(page);
    holds((await inkOfCanvases(page)).length > before, "nothing was drawn");
  });
  await page.context().close();
  links[0].ab = 0.95;
  const full = await open(browser, written(folder, "full", quiet));
  await check("links: open where a link is full", async () => equal(await full.locator("#links > details.part[open]").count(), 1));
  await full.context().close();
}

// ---- the comparison

async function checkComparison(browser, file, data) {
  const page = await open(browser, file);
  // a chart of sizes, four distributions, seven over time; for one variant: three knobs, the network, the
  // heat map
  await checkAnyPage("compare", page, 6);
  await checkRules("compare", page);
  const all = "#differences details.more table.deciding";
  await check("compare: means and changes", async () => {
    const rows = page.locator(`${all} tbody tr`);
    equal((await texts(rows.locator(".val"))).slice(0, 10), [
      "12.5 → 10.3",
      "12.5 → 16.5",
      "812 Gb/s → 806 Gb/s",
      "812 Gb/s → 790 Gb/s",
      "1.53 % → 0.410 %",
      "1.53 % → 4.10 %",
      "10.0 % → 14.0 %",
      "10.0 % → 10.1 %",
      "0 → 0",
      "0 → –",
    ]);
    equal((await texts(rows.locator(".chg"))).slice(0, 6), ["−18 %", "+32 %", "−0.7 %", "−2.7 %", "−73 %", "2.7 ×"]);
  });
  await check("compare: significance is stated in words", async () =>
    equal((await texts(page.locator(`${all} .vd`))).slice(0, 10), [
      "✓ better",
      "✕ worse",
      "not clear",
      "✕ worse",
      "✓ better",
      "✕ worse",
      "≠ different",
      "not clear",
      "same",
      "not clear",
    ]),
  );
  await check("compare: the answer", async () => {
    const { answer } = data.comparison;
    equal(await texts(page.locator("#answer h1")), [answer.finding]);
    equal(await texts(page.locator("#answer .command code")), [answer.command]);
  });
  await check("compare: the main metrics, better always on the right", async () => {
    equal(await page.locator("#differences > .card > div > table.deciding tbody").count(), data.comparison.deciding.length);
    for (const row of await page.locator("table.deciding tr[data-metric]").all()) {
      const verdict = (await row.locator(".vd").textContent()).trim();
      const dots = row.locator(".dot");
      const x = (await dots.count()) > 0 ? parseFloat(await dots.getAttribute("cx")) : 50;
      holds(verdict !== "✓ better" || x > 50, `${verdict} at ${x}`);
      holds(verdict !== "✕ worse" || x < 50, `${verdict} at ${x}`);
    }
  });
  await openFolds(page);
  await check("compare: a phone shows every mean and change without scrolling", async () => {
    await page.setViewportSize({ width: 390, height: 800 });
    await settle(page);
    const boxes = await page
      .locator(`${all} tbody:visible .val, ${all} tbody:visible .vd`)
      .evaluateAll((cells) => cells.map((cell) => cell.getBoundingClientRect().right));
    holds(boxes.length > 20 && boxes.every((right) => right <= 390), `the last ends at ${Math.max(...boxes)}`);
    await page.setViewportSize({ width: 1280, height: 900 });
    await settle(page);
  });
  await check("compare: the user can choose the metrics", async () => {
    const shown = page.locator(`${all} tbody:visible`);
    const select = page.locator("#differences select");
    equal(await shown.count(), 15, "number of figures at first");
    await select.selectOption("5 with a clear difference");
    equal(await texts(shown.locator("th")), [
      "p99 slowdownlower is better",
      "Goodputhigher is better",
      "Time pausedlower is better",
      "Marked packets",
      "p99 FCTentry 29; lower is better",
    ]);
    await select.selectOption("all 35");
    equal(await shown.count(), 35, "number of all figures");
  });
  await check("compare: bars are as long as their intervals", async () => {
    const bar = page.locator(`${all} tr[data-metric="marked_share"][data-variant="hpcc model"] .bar`);
    const [x1, x2] = [parseFloat(await bar.getAttribute("x1")), parseFloat(await bar.getAttribute("x2"))];
    // −5 % and +7 % as factors on a logarithmic axis, rounded to a tenth of a percent of its width
    holds(Math.abs((50 - x1) / (x2 - 50) - Math.log(1 / 0.95) / Math.log(1.07)) < 0.1, `${x1} ${x2}`);
  });
  await check("compare: reports partial runs first, with their variant", async () => {
    holds((await page.locator(".partial").textContent()).includes("PARTIAL"), "it is not said");
    equal(await texts(page.locator(".partial li")), ["small queues: In 2 of 5 runs. With seed 3: it is stuck."]);
  });
  await check("compare: curves of all variants", async () => {
    equal(
      await texts(chartOf(page, "FCT, burst").locator(".legend button span:first-of-type")),
      data.runs.map((run) => run.name),
    );
    await page.locator("#completion select").first().selectOption("p50");
    equal(await page.getByText("p50 slowdown by message size", { exact: true }).count(), 1);
  });
  await check("compare: the user can choose a column", async () => {
    const queues = chartOf(page, "Queues");
    await queues.locator("select").selectOption("max");
    await chartOf(page, "Queues").locator(".plot").focus();
    await page.keyboard.press("Home");
    const want = data.runs[0].series.columns.find((column) => column.name === "queue_bytes_max").values[0];
    holds(
      (await live(page)).includes(`default ${(want / 1e3).toPrecision(3)} KB`),
      `it says: ${await live(page)}`,
    );
  });
  await check("compare: the user can choose a variant", async () => {
    await page.locator("#setup details > div > p select").selectOption("hpcc model");
    await settle(page);
    equal(await page.locator("#traffic tbody th").first().textContent(), "background of hpcc model");
    holds(
      (await inkOfCanvases(page)).every((dots) => dots > 300),
      "a chart is blank",
    );
  });
  await check("compare: no error after all actions", () => equal(page.problems, [], "list of problems"));
  if (shots) await page.screenshot({ path: join(shots, "compare.png"), fullPage: true });
  await page.context().close();
}

// ---- much, and nothing

async function checkLarge(browser, file, data) {
  const page = await open(browser, file);
  await checkAnyPage("large", page, 8);
  await check("large: the table has all links", async () => {
    const chart = chartOf(page, "Links over the network");
    await chart.getByText("Show as table").click();
    equal(await chart.locator("tbody tr").count(), 2 * data.topology.links.length, "number of rows");
    await chart.getByText("Show as chart").click();
  });
  await check("large: a table has the remaining metrics", async () => {
    await openFolds(page);
    const rows = page.locator("#figures details.more tbody tr");
    equal(await rows.count(), 12 + 100, "number of rows");
    equal((await texts(rows.last().locator("th, td"))).slice(0, 2), ["p99 FCTTime from a flow's start to the acknowledgement of its last byte.entry 99; lower is better", "109 µs"]);
  });
  await check("large: pointing at links", async () => {
    const box = await chartOf(page, "Links over the network").locator("canvas").first().boundingBox();
    const start = performance.now();
    for (let i = 0; i < 50; i++) await page.mouse.move(box.x + 100 + i * 15, box.y + 120);
    await settle(page);
    const each_ms = (performance.now() - start) / 50;
    return `${each_ms.toFixed(1)} ms each`;
  });
  if (shots) await page.screenshot({ path: join(shots, "large.png"), fullPage: true });
  await page.context().close();
}

async function checkNothing(browser, folder) {
  const page = await open(browser, written(folder, "empty", fixtures.emptyRun()));
  await checkAnyPage("empty", page, 0);
  await check("empty: sentences instead of charts", async () =>
    equal(await texts(page.locator(".nothing")), [
      "There are no distributions: nothing finished that could be counted.",
      "Nothing was recorded over time.",
      "Link load was not recorded.",
      "The scenario has no traffic.",
      "This run has no knobs.",
    ]),
  );
  await check("empty: metrics without a value are dashes", async () =>
    holds(
      (await texts(page.locator("b[data-metric]"))).every((text) => text === "–"),
      "there is a value",
    ),
  );
  await page.context().close();

  const nulls = await open(browser, written(folder, "null", fixtures.nullRun()));
  await checkAnyPage("no values", nulls);
  await check("no values: charts without values say so", async () =>
    equal(await nulls.getByText("No values.").count(), 3),
  );
  await nulls.context().close();

  const broken = await open(browser, written(folder, "broken", fixtures.brokenRun()));
  await checkAnyPage("outage", broken);
  await check("outage: is shaded, named, and marked on the link", async () => {
    holds(
      (await broken.locator("#time .hint").first().textContent()).includes("Shaded: influx; tor1–spine2 down (red)."),
      "the shade is not named",
    );
    const links = chartOf(broken, "Links over the network");
    holds((await links.locator(".readout").textContent()).includes("1 of them down for a while (×)"), "no mark");
    await links.getByText("Show as table").click();
    equal(await links.locator("tbody tr", { hasText: "98.7 %" }).count(), 2, "directions that were down");
  });
  await check("outage: losses have a chart, and zero counts are named in words", async () => {
    equal(await chartOf(broken, "Losses and recovery").locator(".legend button").count(), 2);
    equal(await texts(broken.locator("#time .quiet")), [
      "Always zero (no chart): PFC pauses, time-outs.",
    ]);
  });
  await broken.context().close();

  const form = await open(browser, emptyForm());
  await check("form: says that it contains no data", async () => {
    equal(await texts(form.locator("#page")), ["This page holds no data: it is the empty form of a report."]);
    equal(form.problems, [], "list of problems");
  });
  await form.context().close();
}

// ----

function written(folder, name, data) {
  const path = join(folder, `${name}.html`);
  writeFileSync(path, pageOf(data));
  return path;
}

async function checkFixtures(browser, folder) {
  const run = fixtures.smallRun();
  const file = written(folder, "run", run);
  await checkRun(browser, file, run.runs[0]);
  await checkSaving(browser, file);
  await checkDark(browser, file);
  await checkPrint(browser, file);
  await checkNarrow(browser, file);
  await checkLinkFold(browser, folder);
  const compared = fixtures.comparison();
  await checkComparison(browser, written(folder, "compare", compared), compared);
  const large = fixtures.largeRun();
  await checkLarge(browser, written(folder, "large", large), large.runs[0]);
  await checkNothing(browser, folder);
  await checkSearches(browser, (name, data) => written(folder, name, data));
  await checkTuning(browser, (name, data) => written(folder, name, data), shots);
}

// A real report: the page must show the data that it carries.
async function checkReport(browser, file) {
  const name = basename(resolve(file, "..")) + "/" + basename(file);
  const json = readFileSync(file, "utf8").match(/id="anole-data">([^]*?)<\/script>/)?.[1];
  const data = JSON.parse(json);
  const page = await open(browser, resolve(file));
  await checkAnyPage(name, page);
  await checkRules(name, page);
  await checkHeight(name, page);
  await checkWithoutScripts(name, browser, resolve(file));
  if (data.kind === "run")
    await check(`${name}: has every metric with its exact value`, async () => {
      const shown = new Map(
        await page.locator("#figures details.more b[data-metric]").evaluateAll((cells) => cells.map((cell) => [cell.dataset.metric, cell.title])),
      );
      const { metrics } = data.runs[0].summary;
      equal(shown.size, metrics.length, "number of figures");
      for (const { name: figure, value } of metrics) {
        if (value === null) continue;
        const exact = Number(shown.get(figure).match(/ = (\S+)$/)[1].replaceAll(",", ""));
        holds(Math.abs(exact - value) <= 1e-9 * Math.abs(value), `${figure} is ${value}, not ${exact}`);
      }
      const explained = await page.locator("#figures details.more tbody tr").evaluateAll((rows) => rows.filter((row) => !row.querySelector("details.term")).map((row) => row.textContent));
      equal(explained, [], "figures without a meaning");
    });
  if (data.kind !== "compare" || data.sweep) await openFolds(page);
  if (data.kind === "run" && data.runs[0].tuning) await checkTuningOfReport(name, page, data.runs[0].tuning);
  const twins = data.kind === "run" ? (data.runs[0].tuning?.twins ?? []) : [];
  if (twins.length > 0)
    await check(`${name}: candidates on the twin, predictions, choices and results`, async () => {
      equal(await page.locator(".twins .twin").count(), twins.length, "searches");
      const last = page.locator(".twins .twin").last();
      const { tried, came } = twins.at(-1);
      holds(tried.length >= 2, "nothing was tried");
      equal(await last.locator("> .scroll > table > tbody > tr").count(), tried.length + 1, "rows, with that of the scale");
      equal(await last.getByText("✓ set", { exact: true }).count(), tried.filter((t) => t.is_chosen).length, "settings that were chosen");
      if (came) holds((await last.textContent()).includes(came), "what came is missing");
    });
  if (shots) await page.screenshot({ path: join(shots, `${name.replaceAll("/", "-")}.png`), fullPage: true });
  await page.context().close();
}

const folder = mkdtempSync(join(tmpdir(), "anole-web-"));
const browser = await launch();
try {
  if (process.argv.length > 2) for (const file of process.argv.slice(2)) await checkReport(browser, file);
  else await checkFixtures(browser, folder);
} finally {
  await browser.close();
  rmSync(folder, { recursive: true });
}
process.exitCode = failures() > 0 ? 1 : 0;
