// fleet.mjs ANOLE - the page of a controller with 10,000 devices, over real gRPC (live_load, built next to
// ANOLE), and with months of history, from a small server in place of Prometheus. Times are reported, not judged.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer as createHttp } from "node:http";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { check, equal, failures, holds, launch, texts, violations } from "./checks.mjs";

const [anole] = process.argv.slice(2);
const bin = dirname(anole);
const shots = process.env.SHOTS;
const wait_ms = Number(process.env.WAIT_MS ?? 90000);
const DEVICES = 10000;
const MARKS_MAX = 5000;
const folder = mkdtempSync(join(tmpdir(), "anole-fleet-"));
const children = [];
// Ends all child processes if the test is stopped from outside.
process.on("SIGTERM", () => {
  for (const child of children) child.kill("SIGTERM");
  process.exit(1);
});

function freePort() {
  return new Promise((done) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => done(port));
    });
  });
}

function start(program, args, env = {}) {
  const child = spawn(program, args, { cwd: folder, stdio: ["ignore", "pipe", "pipe"], env: { ...process.env, ...env } });
  child.log = "";
  child.stdout.on("data", (data) => (child.log += data));
  child.stderr.on("data", (data) => (child.log += data));
  child.ended = new Promise((done) => child.on("exit", done));
  children.push(child);
  return child;
}

async function until(what, isSo) {
  for (const end = Date.now() + wait_ms; Date.now() < end; await new Promise((done) => setTimeout(done, 200))) if (await isSo()) return;
  throw new Error(`it never came: ${what}`);
}

async function openPage(browser, address, options = {}) {
  const page = await (await browser.newContext({ viewport: { width: 1400, height: 900 }, ...options })).newPage();
  page.setDefaultTimeout(wait_ms);
  page.problems = [];
  page.on("pageerror", (error) => page.problems.push(error.message));
  page.on("console", (message) => message.type() === "error" && page.problems.push(message.text()));
  const begin = performance.now();
  await page.goto(address);
  page.began = begin;
  return page;
}

// Counts all drawn elements: cells, rows of lists and tables, points of curves.
const marksOf = (page) =>
  page.evaluate(() => {
    const points = [...document.querySelectorAll("figure.chart")].reduce((sum, figure) => sum + Number(figure.dataset.points ?? 0), 0);
    const count = (selector) => [...document.querySelectorAll(selector)].filter((element) => element.checkVisibility()).length;
    return points + count(".device-map .cell") + count("td, th") + count(".virtual .row span") + count(".bars dd") + count("svg *");
  });

async function openHistory(page) {
  await page.locator("#history details summary").first().waitFor();
  await page.locator("#history details").first().evaluate((details) => (details.open = true));
}

async function shoot(browser, address, name) {
  if (!shots) return;
  for (const [width, colorScheme] of [[1400, "light"], [1400, "dark"], [390, "light"], [390, "dark"]]) {
    const page = await openPage(browser, address, { viewport: { width, height: 900 }, colorScheme });
    await openHistory(page);
    await page.locator("#history figure.chart").first().waitFor({ timeout: wait_ms });
    await page.screenshot({ path: join(shots, `${name}-${width}-${colorScheme}.png`), fullPage: true });
    await page.context().close();
  }
}

let browser = null;
try {
  browser = await launch();

  // ---- months

  // For 120 days: load is a triangle over the day, and a setting changes every ten days.
  const DAY_S = 86400;
  const begin_s = Date.now() / 1000 - 120 * DAY_S;
  const wave = (t) => 1 - Math.abs(((t / DAY_S) % 1) * 2 - 1);
  const value = { metric: (t) => 0.6 - 0.2 * wave(t), paused: (t) => 0.03 * wave(t), utilisation: (t) => 0.2 + 0.6 * wave(t), coverage: () => 0.99, rpg_ai_rate: (t) => 5 + Math.floor((t - begin_s) / DAY_S / 10) };
  const prometheus = createHttp((request, response) => {
    const at = new URL(request.url, "http://here").searchParams;
    const [start, end, step] = ["start", "end", "step"].map((key) => Number(at.get(key)));
    const is_setting = at.get("query").includes("anole_controller_setting");
    const times = Array.from({ length: Math.floor((end - start) / step) + 1 }, (_t, i) => start + i * step).filter((t) => t > begin_s);
    const over = (name, t) => Array.from({ length: 25 }, (_x, i) => value[name](t - (step * i) / 24));
    const fold = at.get("query").includes("min_over_time") ? (l) => Math.min(...l) : at.get("query").includes("max_over_time") ? (l) => Math.max(...l) : (l) => l.reduce((a, b) => a + b, 0) / l.length;
    const names = is_setting ? ["rpg_ai_rate"] : ["metric", "paused", "utilisation", "coverage"];
    const result = names.map((name) => ({ metric: { [is_setting ? "knob" : "series"]: name }, values: times.map((t) => [t, String(is_setting ? value[name](t) : fold(over(name, t)))]) }));
    response.end(JSON.stringify({ status: "success", data: { resultType: "matrix", result } }));
  });
  await new Promise((done) => prometheus.listen(0, "127.0.0.1", done));
  const port = await freePort();
  writeFileSync(join(folder, "controller.yaml"), `name: c1\nlisten: 127.0.0.1:${port}\nstate: state\ntuner: expert\nprometheus: http://127.0.0.1:${prometheus.address().port}\nhttp: {listen: "127.0.0.1:0"}\n`);
  const controller = start(anole, ["controller", "controller.yaml"]);
  await until("an address", () => /http at (\S+)/.test(controller.log));
  const months = `http://${controller.log.match(/http at (\S+)/)[1]}/`;
  const past = await openPage(browser, months);
  const history = past.locator("#history");
  const axis = () => past.evaluate(() => document.querySelector("#history .hint")?.textContent ?? "");
  await check("history: 90 days, with only as many points as fit, and settings", async () => {
    await openHistory(past);
    await history.locator("select").selectOption({ label: "90 days" });
    await until("months", async () => (await axis()).includes("from Prometheus"));
    await history.locator("figure.chart", { hasText: "Metric that decides" }).waitFor({ timeout: wait_ms });
    await history.locator("figure.chart", { hasText: "rpg_ai_rate" }).waitFor({ timeout: wait_ms });
    const marks = await marksOf(past);
    holds(marks > 1000 && marks <= MARKS_MAX, `${marks} marks`);
    return `${marks} points and cells`;
  });
  await check("history: the page shows what Prometheus has", async () => {
    const answer = await past.evaluate(async () => (await (await fetch("/api/history/90d")).json()).series.utilisation);
    const known = answer.mean.filter((value) => value !== null);
    // A triangle from 0.2 to 0.8 over the day.
    const mean = known.reduce((a, b) => a + b, 0) / known.length;
    holds(Math.abs(mean - 0.5) < 0.01, `the mean is ${mean}`);
    holds(Math.min(...answer.least.filter((v) => v !== null)) < 0.21 && Math.max(...answer.most.filter((v) => v !== null)) > 0.79, "least and most");
  });
  await check("history: earlier and later periods", async () => {
    await history.locator("select").selectOption({ label: "30 days" });
    await until("30 days", async () => /A point is [4-6] hours/.test(await axis()));
    await history.getByRole("button", { name: "Earlier" }).click();
    await until("a way back", async () => await history.getByRole("button", { name: "Later" }).isEnabled());
    await history.getByRole("button", { name: "Later" }).click();
    await until("now", async () => !(await history.getByRole("button", { name: "Later" }).isEnabled()));
  });
  await check("history: axe finds nothing", async () => equal(await violations(past), [], "list of violations"));
  await check("history: no error", () => equal(past.problems, [], "list of problems"));
  await shoot(browser, months, "history");
  await past.context().close();
  controller.kill("SIGTERM");
  await controller.ended;
  prometheus.close();

  // ---- 10,000 devices

  const page_port = await freePort();
  const fleet = `http://127.0.0.1:${page_port}/`;
  const load = start(join(bin, "live_load"), [anole, "relay", String(DEVICES), "3000", "600", "32"], { LIVE_LOAD_HTTP: `127.0.0.1:${page_port}` });
  const ask = async (path) => {
    try {
      const reply = await fetch(`${fleet}${path}`);
      return reply.ok ? await reply.json() : null;
    } catch {
      return null;
    }
  };
  // As long as devices come, a busy machine has time.
  for (let total = 0; total < DEVICES; ) {
    const before = total;
    await until(`more than ${before} of ${DEVICES} devices`, async () => {
      holds(load.exitCode === null, `the load has ended: ${load.log}`);
      total = (await ask("api/overview"))?.devices_total ?? 0;
      return total > before;
    });
  }
  const page = await openPage(browser, fleet);
  await check("fleet: a cell for each rack of 10,000 devices", async () => {
    const cells = Math.ceil(DEVICES / 32);
    await page.waitForFunction((n) => document.querySelectorAll(".device-map .cell").length === n, cells, { timeout: wait_ms, polling: "raf" });
    const took = performance.now() - page.began;
    const paint = await page.evaluate(() => performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? null);
    return `first paint after ${Math.round(paint)} ms, the map after ${Math.round(took)} ms`;
  });
  await check("fleet: an event brings a sample to the screen", async () => {
    // From the time of the controller's measurement, as it reports it, to the frame that shows it; both on
    // one clock.
    const late = await page.evaluate(
      () =>
        new Promise((done) => {
          const found = [];
          const events = new EventSource("/api/events");
          events.addEventListener("state", (event) => {
            const at = JSON.parse(event.data).timeline.t_ms.at(-1);
            requestAnimationFrame(() => requestAnimationFrame(() => found.push(Date.now() - at) >= 6 && (events.close(), done(found))));
          });
        }),
    );
    const changed = await page.evaluate(
      () =>
        new Promise((done) => {
          const events = new EventSource("/api/events");
          let seen = 0;
          events.addEventListener("cells", (event) => {
            if (++seen < 2) return; // the first contains all devices
            events.close();
            done(JSON.parse(event.data).cells.length);
          });
        }),
    );
    holds(changed >= 1, "no cell has changed");
    return `${late.slice(1).map(Math.round).join(", ")} ms`;
  });
  await check("fleet: never more than 5,000 marks, with all lists open", async () => {
    await page.locator("#devices details.racks > summary").click();
    await page.locator("#devices > div > details:last-child > summary").click();
    await page.locator(".virtual .row [role=rowheader]", { hasText: "rack0-host0" }).first().waitFor({ timeout: wait_ms });
    const marks = await marksOf(page);
    holds(marks > 500 && marks <= MARKS_MAX, `${marks} marks`);
    return `${marks} marks, ${await page.evaluate(() => document.querySelectorAll("*").length)} elements`;
  });
  await check("fleet: the list goes to the selected rack, and renders only visible rows", async () => {
    const last = `rack${Math.ceil(DEVICES / 32) - 1}-host0/mlx5_0`;
    await page.locator(".device-map .cell").last().click();
    await page.locator(".virtual .row [role=rowheader]", { hasText: last }).waitFor({ timeout: wait_ms });
    holds((await page.locator(".virtual .rows .row").count()) < 40, "all rows are there");
  });
  await check("fleet: never more than 5,000 marks after many trials and months of changes", async () => {
    const full = await (await browser.newContext({ viewport: { width: 1400, height: 900 } })).newPage();
    const now = Date.now();
    const list = (count, of) => Array.from({ length: count }, (_item, i) => of(i));
    const knob = (i) => Object.fromEntries(list(12, (k) => [`knob${k}`, (i * (k + 1)) % 7]));
    await full.route("**/api/overview", async (route) => {
      const o = await (await route.fetch()).json();
      for (const key of Object.keys(o.timeline)) o.timeline[key] = list(900, (i) => (key === "t_ms" ? now - (900 - i) * 1000 : i % 90));
      o.knobs = list(100, (i) => ({ t_ms: now - (100 - i) * 9000, confirmed: knob(i), trial: i, phase: "run", stage: "halves", tried: knob(i + 1) }));
      o.cells.names = list(512, (i) => [`r${i}h0/a`, `r${i}h31/a`, i * 32, 32]);
      await route.fulfill({ json: o });
    });
    await full.route("**/api/history/**", async (route) => {
      const series = () => list(720, (i) => i % 50);
      const names = ["coverage", "metric", "paused", "utilisation", "cnps", "tried", "with", "without"];
      const from_ms = now - 86400e3;
      await route.fulfill({
        json: {
          from_ms, until_ms: now, oldest_ms: from_ms, step_ms: 120e3, source: "Prometheus", t_ms: list(720, (i) => from_ms + i * 120e3),
          series: Object.fromEntries(names.map((name) => [name, { mean: series(), least: series(), most: series() }])),
          knobs: list(500, (i) => ({ t_ms: from_ms + i * 170e3, confirmed: knob(i) })), decisions: [],
        },
      });
    });
    await full.goto(fleet);
    await openHistory(full);
    await full.locator("#history figure.chart").nth(10).waitFor({ timeout: wait_ms });
    await full.waitForFunction(() => document.querySelectorAll(".device-map .cell").length === 512, null, { timeout: wait_ms });
    await full.locator("#devices details.racks > summary").click();
    await full.locator("#devices > div > details:last-child > summary").click();
    const marks = await marksOf(full);
    await full.context().close();
    holds(marks > 3000 && marks <= MARKS_MAX, `${marks} marks`);
    return `${marks} marks`;
  });
  await check("fleet: axe finds nothing", async () => equal(await violations(page), [], "list of violations"));
  await check("fleet: no error", () => equal(page.problems, [], "list of problems"));
  await shoot(browser, fleet, "fleet");
  load.kill("SIGTERM");
  await load.ended;
} finally {
  await browser?.close();
  for (const child of children) if (child.exitCode === null) child.kill("SIGTERM");
  await Promise.all(children.map((child) => child.ended));
  rmSync(folder, { recursive: true, force: true });
}
process.exitCode = failures() > 0 ? 1 : 0;
