// serve.mjs ANOLE RESULTS - `anole serve` in a browser: results appear as they are written, without
// reloading.
import { spawn, spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { check, equal, failures, holds, launch, texts, violations } from "./checks.mjs";

const [anole, results] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), "anole-serve-"));
const scenario = join(folder, "s.yaml");
writeFileSync(
  scenario,
  "topology: {kind: star, hosts: 9, rate: 100Gbps, delay: 1us}\nrun: 1000s\ninterval: 20us\n" +
    "traffic: [{kind: poisson, sizes: WebSearch, load: 30%}]\n",
);

// The first line that a program prints.
function firstLine(child) {
  return new Promise((done, fail) => {
    let text = "";
    child.stdout.on("data", (data) => {
      text += data;
      if (text.includes("\n")) done(text.split("\n")[0]);
    });
    child.on("exit", (code) => fail(new Error(`it ended with ${code}`)));
  });
}

const server = spawn(anole, ["serve", folder, "--listen", "127.0.0.1:0"], { stdio: ["ignore", "pipe", "inherit"] });
const address = await firstLine(server);
const browser = await launch();
let run = null;
try {
  const page = await (await browser.newContext({ viewport: { width: 1300, height: 900 } })).newPage();
  page.problems = [];
  page.on("console", (message) => message.type() === "error" && page.problems.push(message.text()));
  page.on("pageerror", (error) => page.problems.push(error.message));
  await page.goto(address);
  await check("serve: an empty folder says so", async () => {
    await page.getByText("following").waitFor({ timeout: 90000 });
    equal(await texts(page.locator(".nothing")), ["No results are complete yet."]);
    holds(await page.locator("#running").isHidden(), "something runs");
    equal(await texts(page.locator("nav a:visible")), ["Results"], "ways to go");
  });
  await check("serve: a running run is drawn and grows", async () => {
    run = spawn(anole, ["run", scenario, "--quiet", "--out", join(folder, "long")], { stdio: "ignore" });
    await page.locator("#running figure.chart").first().waitFor({ timeout: 90000 });
    await page.locator("nav a", { hasText: "Running now" }).waitFor({ timeout: 90000 });
    const count = async () => Number((await page.locator("#running .hint").first().textContent()).match(/^[\d,]+/)[0].replaceAll(",", ""));
    const first = await count();
    await page.waitForFunction((was) => Number(document.querySelector("#running .hint").textContent.match(/^[\d,]+/)[0].replaceAll(",", "")) > was, first, { timeout: 90000 });
    holds(first > 0, "no interval");
  });
  await check("serve: a stopped run disappears from the page", async () => {
    run.kill("SIGTERM");
    await page.locator("#running").waitFor({ state: "hidden", timeout: 90000 });
  });
  await check("serve: new results appear and open", async () => {
    cpSync(results, join(folder, "run1"), { recursive: true });
    const link = page.locator("#results a", { hasText: /^run1$/ });
    await link.waitFor({ timeout: 90000 });
    await link.click();
    await page.locator("#figures b[data-metric]").first().waitFor({ timeout: 90000 });
    await page.goBack();
  });
  await check("serve: a table has the runs of a campaign", async () => {
    const made = spawnSync(anole, ["compare", "scenarios/incast.yaml", "--vary", "kmin=100KB,400KB", "--seeds", "2", "--quiet", "--out", join(folder, "cmp")]);
    equal(made.status, 0, "status of compare");
    await page.locator("#campaigns tbody tr", { hasText: "kmin=400KB" }).waitFor({ timeout: 90000 });
    const runs = page.locator("#campaigns tbody td:nth-of-type(1)");
    for (let i = 0; i < 100 && (await texts(runs)).join() !== "2,2"; i++) await page.waitForTimeout(100); // the last are announced a moment later
    equal(await texts(runs), ["2", "2"], "runs");
  });
  await check("serve: axe finds nothing", async () => equal(await violations(page), [], "list of violations"));
  await check("serve: no error", () => equal(page.problems, [], "list of problems"));
} finally {
  run?.kill("SIGKILL");
  await browser.close();
  server.kill("SIGTERM");
  rmSync(folder, { recursive: true, force: true });
}
process.exitCode = failures() > 0 ? 1 : 0;
