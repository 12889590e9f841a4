// live.mjs ANOLE - the page of a controller in a browser. First with real agents and NICs as file trees; then
// with a simulated network (anole twin) and an influx; then with a tuner that has a twin; then with access
// from other machines.
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { check, equal, failures, holds, launch, texts, violations } from "./checks.mjs";

const [anole] = process.argv.slice(2);
const shots = process.env.SHOTS;
const folder = mkdtempSync(join(tmpdir(), "anole-live-"));
const children = [];
// Ends all child processes if the test is stopped from outside.
process.on("SIGTERM", () => {
  for (const child of children) child.kill("SIGTERM");
  process.exit(1);
});
const TOKEN = "a-token-for-this-test";
const wait_ms = 90000;

function freePort() {
  return new Promise((done) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => done(port));
    });
  });
}

function start(...args) {
  const child = spawn(anole, args, { cwd: folder, stdio: ["ignore", "ignore", "pipe"] });
  child.log = "";
  child.stderr.on("data", (data) => (child.log += data));
  children.push(child);
  return child;
}

async function until(what, isSo) {
  for (const end = Date.now() + wait_ms; Date.now() < end; await new Promise((done) => setTimeout(done, 100))) if (isSo()) return;
  throw new Error(`it never came: ${what}`);
}

function makeNic(root) {
  const ib = join(root, "sys/class/infiniband/mlx5_0/ports/1");
  const ecn = join(root, "sys/class/net/eth7/ecn/roce_rp");
  for (const path of [join(ib, "counters"), join(ib, "hw_counters"), join(ib, "gid_attrs/ndevs"), ecn, join(root, "ethtool")])
    mkdirSync(path, { recursive: true });
  writeFileSync(join(ib, "gid_attrs/ndevs/0"), "eth7\n");
  writeFileSync(join(root, "sys/class/net/eth7/speed"), "100000\n");
  writeFileSync(join(ecn, "rpg_ai_rate"), "5\n");
  writeFileSync(join(ecn, "rpg_hai_rate"), "50\n");
  writeFileSync(join(ib, "counters/port_xmit_data"), "1000\n");
  writeFileSync(join(root, "ethtool/eth7"), "rx_prio3_pause_duration: 0\n");
  return join(ib, "counters/port_xmit_data");
}

// ---- a simulated network behind it

// Gives an order: its dialog opens, takes a reason and perhaps the token, and is confirmed.
async function order(page, name, { why = "a test", token } = {}) {
  await page.locator(`[data-order="${name}"]`).click();
  await page.locator("dialog[open]").waitFor();
  await page.locator("#why").fill(why);
  if (token !== undefined) await page.locator("#token").fill(token);
  await page.locator("dialog [type=submit]").click();
}

async function checkTwin(browser) {
  writeFileSync(
    join(folder, "influx.yaml"),
    "topology: {kind: clos, tors: 2, hosts_per_tor: 2, spines: 1, rate: 1Gbps, delay: 5us}\nswitch: {buffer: 64MB}\n" +
      "traffic:\n  - {kind: permutation, name: first, size: 1KB}\n  - {kind: poisson, name: usual, load: 0.1, sizes: FB_Hadoop}\n" +
      "  - {kind: poisson, name: influx, influx: yes, load: 0.7, sizes: FB_Hadoop, start: 12s, stop: 1000s}\n" +
      "tuner: bdp\ninterval: 20ms\nrun: 1000s\n",
  );
  const twin = start("twin", "influx.yaml", "--page", "127.0.0.1:0", "--out", "twin");
  await until("a twin's address", () => /http at (\S+)/.test(twin.log));
  const page = await (await browser.newContext({ viewport: { width: 1300, height: 900 } })).newPage();
  page.setDefaultTimeout(wait_ms);
  await page.goto(`http://${twin.log.match(/http at (\S+)/)[1]}/`);
  const use = page.locator("#devices tbody tr").nth(6);
  await check("live: hosts and switches of a twin", async () => {
    await use.waitFor();
    equal((await texts(page.locator("#devices tbody th"))).sort(), ["h0", "h1", "h2", "h3", "spine0", "tor0", "tor1"].map((name) => `twin/${name}`), "devices");
  });
  await check("live: the twin's links with both directions, as a map and as a table", async () => {
    await page.locator("#fabric canvas").first().waitFor();
    await page.locator("#fabric button", { hasText: "Show as table" }).click();
    await page.waitForFunction(() => {
      const rows = [...document.querySelectorAll("#fabric tbody tr")].map((tr) => [...tr.children].map((cell) => cell.textContent.trim()));
      const isKnown = ([name, use, paused, queue]) => /%$/.test(use) && /%$/.test(paused) && (/^h\d/.test(name) || /B$/.test(queue));
      return rows.length === 12 && rows.every(isKnown);
    });
    const names = await texts(page.locator("#fabric tbody th"));
    equal([...names].sort().slice(0, 3), ["h0 → tor0", "h1 → tor0", "h2 → tor1"], "directions");
    await page.locator("#fabric button", { hasText: "Show as chart" }).click();
    await page.mouse.move(1, 1);
    await page.locator("#fabric .plot").press("ArrowRight");
    await page.locator("#fabric .readout", { hasText: /→ .*: utilisation .*paused by .*longest queue/ }).waitFor();
    await page.locator("#fabric .plot").evaluate((plot) => plot.blur());
  });
  await check("live: an influx comes, and the page shows it", async () => {
    // Means over the devices of column "Use", smoothed, because a single interval may be a burst.
    const seen = await page.waitForFunction(
      () => {
        const column = [...document.querySelectorAll("#devices thead th")].findIndex((th) => th.textContent.trim() === "Use");
        const shares = [...document.querySelectorAll("#devices tbody tr")].map((tr) => parseFloat(tr.children[column].textContent)).filter((share) => share >= 0);
        const mean = shares.reduce((sum, share) => sum + share, 0) / shares.length;
        if (shares.length !== 7) return null;
        globalThis.level = (globalThis.level ?? mean) * 0.9 + mean * 0.1;
        globalThis.least = Math.min(globalThis.least ?? 100, globalThis.level);
        return globalThis.level > 50 && globalThis.least < 30 ? [globalThis.least, globalThis.level] : null;
      },
      null,
      { timeout: 3 * wait_ms, polling: 300 }, // on a slow machine the network runs slower
    );
    const [before, after] = await seen.jsonValue();
    return `${before.toFixed(0)} % in use, then ${after.toFixed(0)} %`;
  });
  await page.context().close();
  twin.kill("SIGTERM");
}

// ---- settings that are first tried on a twin of the network

async function checkRehearsal(browser) {
  const rows = "#next details.twin tbody tr";
  writeFileSync(
    join(folder, "rehearse.yaml"),
    "topology: {kind: star, hosts: 8, rate: 100Gbps, delay: 1us}\nhost: {mtu: 4096}\ntraffic:\n  - {kind: poisson, load: 0.4, sizes: FB_Hadoop}\n" +
      "tuner: {kind: rehearse, budget: 2}\ninterval: 1ms\nrun: 1000s\n",
  );
  const twin = start("twin", "rehearse.yaml", "--interval", "200", "--page", "127.0.0.1:0", "--out", "rehearse");
  await until("the address of a twin that rehearses", () => /http at (\S+)/.test(twin.log));
  const page = await (await browser.newContext({ viewport: { width: 1300, height: 900 } })).newPage();
  page.setDefaultTimeout(3 * wait_ms);
  const address = `http://${twin.log.match(/http at (\S+)/)[1]}/`;
  await page.goto(address);
  await check("live: settings tried on a twin of the network, with their predicted gains", async () => {
    await page.locator(rows).first().waitFor();
    const answer = await (await page.request.get(`${address}api/overview`)).json();
    const shown = await page.locator(rows).evaluateAll((all) => all.map((tr) => [...tr.children].map((cell) => cell.textContent.trim())));
    holds(shown.length > 2 && shown.at(-1)[0] === "Scale", `${shown.length} rows`);
    equal(shown.filter((row) => row[5] === "current" && row[2] === "–").length, 1, "rows of the current setting");
    equal(shown.filter((row) => row[5] !== "current" && row[0] !== "Scale").every((row) => /%$/.test(row[2]) && /% to .*%$/.test(row[3])), true, "predictions with intervals");
    holds(answer.tuner.search.tried.every((t) => t.low <= t.gain && t.gain <= t.high), "a prediction lies within its interval");
    return `${shown.length - 1} settings`;
  });
  await page.context().close();
  twin.kill("SIGTERM");
}

// ---- clients on another machine

async function checkStranger(browser) {
  writeFileSync(
    join(folder, "elsewhere.yaml"),
    `name: c2\nlisten: unix:${join(folder, "c2")}\nstate: statec2\ntuner: expert\ngather: 1s\nhttp: {listen: "0.0.0.0:0", token: token, cert: twin/controller.pem, key: twin/controller.key, client_ca: twin/ca.pem}\n`,
  );
  const controller = start("controller", "elsewhere.yaml");
  makeNic(join(folder, "nic5"));
  writeFileSync(join(folder, "agent5.yaml"), `name: host5\ncontroller: unix:${join(folder, "c2")}\nstate: state5\nroot: nic5\ndriver: mlx5\nfreeze_file: freeze\n`);
  await until("an address", () => /http at (\S+)/.test(controller.log));
  const address = `https://localhost:${controller.log.match(/http at \S*:(\d+)/)[1]}/`;
  const page = await (await browser.newContext({ ignoreHTTPSErrors: true })).newPage();
  page.setDefaultTimeout(wait_ms);
  await page.goto(address);
  await check("live: an unauthorized client gets 401 and an empty page", async () => {
    await page.locator("header [role=status]", { hasText: "remote access requires the controller's token" }).waitFor();
    equal(await page.evaluate(async () => (await Promise.all(["state", "overview", "events"].map((what) => fetch(`/api/${what}`)))).map(({ status }) => status)), [401, 401, 401]);
    equal(await page.locator("header .name").textContent(), "controller");
    holds(!(await page.locator("#now .headline").isVisible()), "a stranger sees the state");
  });
  await check("live: only the right token opens the page, which then updates automatically", async () => {
    await page.locator("#access-token").fill("not-the-token-of-this");
    await page.locator("#access-token").press("Enter");
    await page.getByText("that is not the controller's token").waitFor();
    await page.locator("#access-token").fill(TOKEN);
    await page.locator("#access-token").press("Enter");
    await page.locator("header .name", { hasText: "c2" }).waitFor();
    const answer = page.locator("header [role=status]", { hasText: /^as of/ });
    const was = await answer.textContent();
    await page.waitForFunction((was) => ![...document.querySelectorAll("header [role=status]")].some((e) => e.textContent === was || /lost|token/.test(e.textContent)), was);
  });
  await check("live: a client with a certificate needs no token, to read or to give orders", async () => {
    const client = { origin: new URL(address).origin, certPath: join(folder, "twin/operator.pem"), keyPath: join(folder, "twin/operator.key") };
    const known = await (await browser.newContext({ ignoreHTTPSErrors: true, clientCertificates: [client] })).newPage();
    known.setDefaultTimeout(wait_ms);
    await known.goto(address);
    await known.locator("header .name", { hasText: "c2" }).waitFor();
    await order(known, "freeze");
    await known.locator("#now", { hasText: "CN=operator" }).waitFor();
    await order(known, "thaw");
    await known.locator("#now .headline", { hasText: "frozen" }).waitFor({ state: "detached" });
    await known.context().close();
  });
  await check("live: an observing controller shows what it would do", async () => {
    start("agent", "agent5.yaml");
    await page.locator("#next p", { hasText: /Proposed change: .*rpg_ai_rate 5 → \d+\sMb\/s/ }).waitFor();
    equal(await page.locator("#fabric").isVisible(), false, "a map of unknown links");
  });
  await page.context().close();
}

const port = await freePort();
writeFileSync(join(folder, "token"), `${TOKEN}\n`, { mode: 0o600 });
writeFileSync(
  join(folder, "controller.yaml"),
  `name: c1\nlisten: 127.0.0.1:${port}\nstate: statec\nmode: auto\ntuner: expert\nstale: 15\nnoise_pairs: 3\nstage_pairs: 1\n` +
    `block: 4\nburn_in: 1\nhalves_max: 100000\naccept: 1000000\nhttp: {listen: "127.0.0.1:0", token: token}\n` +
    `topology: links.yaml\njobs: {training: ["host[12]/*"], storage: [host3/mlx5_0]}\n`,
);
writeFileSync(join(folder, "links.yaml"), "links:\n  - host1 - tor1:1\n  - host2/mlx5_0 - tor1:2\n  - host3 - tor1:3\n  - host4:mlx5_0 - tor1:4\n");
let browser = null;
let traffic = null;
try {
  const controller = start("controller", "controller.yaml");
  await until("an address", () => /http at (\S+)/.test(controller.log));
  const address = `http://${controller.log.match(/http at (\S+)/)[1]}/`;
  browser = await launch();
  const page = await (await browser.newContext({ viewport: { width: 1300, height: 900 } })).newPage();
  page.problems = [];
  page.on("pageerror", (error) => page.problems.push(error.message));
  page.setDefaultTimeout(wait_ms);
  await page.goto(address);
  // A client that connects at the start sees all later data.
  await page.locator("#history details summary").first().click();
  await page.locator("#history", { hasText: "Nothing is known of that time" }).waitFor();
  const counters = [1, 2, 3, 4].map((i) => {
    const counter = makeNic(join(folder, `nic${i}`));
    writeFileSync(join(folder, `agent${i}.yaml`), `name: host${i}\ncontroller: 127.0.0.1:${port}\nstate: state${i}\nroot: nic${i}\ndriver: mlx5\nwrite: yes\ngap: 100ms\npaused_max: 1\nfreeze_file: freeze\n`);
    start("agent", `agent${i}.yaml`);
    return counter;
  });
  let paused_us = 0;
  traffic = setInterval(() => {
    counters.forEach((file) => writeFileSync(file, `${Number(readFileSync(file, "utf8")) + 1e8}\n`));
    writeFileSync(join(folder, "nic1/ethtool/eth7"), `rx_prio3_pause_duration: ${(paused_us += 10000)}\n`);
  }, 100);
  await check("live: all devices, with their state, age and setting", async () => {
    await page.locator("#devices tbody tr").nth(3).waitFor({ timeout: wait_ms });
    equal((await texts(page.locator("#devices tbody th"))).sort(), [1, 2, 3, 4].map((i) => `host${i}/mlx5_0`), "devices");
    equal(await page.locator(".device-map .cell").count(), 4, "cells");
    holds((await texts(page.locator("#devices tbody td:nth-of-type(2)"))).every((text) => / ago$/.test(text)), "ages");
  });
  await check("live: the current trial with reason, evidence and knobs", async () => {
    await page.locator("#now h2", { hasText: "Being tried: trial" }).waitFor({ timeout: wait_ms });
    await page.locator("#now .evidence-chart polyline").first().waitFor({ timeout: wait_ms });
    await page.locator("#decisions details").first().waitFor({ timeout: wait_ms });
    await page.locator("#now .trial .lead code", { hasText: /^rpg_ai_rate 5 → \d+\sMb\/s$/ }).waitFor({ timeout: wait_ms });
    await page.locator("#time details.more > summary").waitFor({ timeout: wait_ms });
    await page.locator("#time details.more > summary").evaluate((summary) => (summary.parentElement.open = true));
    await page.locator("#time figure.chart", { hasText: "rpg_ai_rate" }).waitFor({ timeout: wait_ms });
    await page.locator("#time figure.chart", { hasText: "trial group and control group" }).waitFor({ timeout: wait_ms });
  });
  await check("live: updates automatically", async () => {
    const points = () => page.evaluate(async () => (await (await fetch("/api/state")).json()).timeline.t_ms.length);
    const was = await points();
    await page.waitForFunction(async (was) => (await (await fetch("/api/state")).json()).timeline.t_ms.length > was, was, { timeout: wait_ms });
    holds((await page.locator("#time figure.chart").count()) >= 3, "charts over time");
    await page.locator("#jobs tr", { hasText: "yes: paused" }).waitFor({ timeout: wait_ms });
    if (shots) await page.screenshot({ path: join(shots, "live.png"), fullPage: true, clip: { x: 0, y: 0, width: 1300, height: 1400 } });
  });
  // Each question of docs/live.md, "Twelve questions", that this page answers: the clicks, and what they
  // show.
  const questions = [
    ["what changed and did it help", ["#decisions details summary"], "#decisions details[open] table"],
    ["setting or workload", [], "#time figure.chart:has-text('trial group')"],
    ["which setting was live", ["#time details.more > summary"], "#time figure.chart:has-text('rpg_ai_rate')"],
    ["where is the congestion", [], "#devices .device-map .cell", "time paused"],
    ["who is paused by whom", ["#fabric .controls button:has-text('Show as table')"], "#fabric th:has-text('Paused by the receiver')"],
    ["what would it do", [], "#next p:has-text('The trial goes on')"],
    ["is job X slowed by the network", [], "#jobs tr:has-text('training') td:has-text('yes: paused')"],
    ["is job Y", [], "#jobs tr:has-text('storage') td:has-text('none seen')"],
    ["do devices agree", [], "#agreement table, #agreement p"],
    ["burst or level", ["#history details summary"], "#history figure.chart:has-text('most'), #history figure.chart:has-text('Metric')"],
    ["which agents are late", [], "#devices .device-map .cell", "age of the last report"],
    ["where did the time of a decision go", ["#decisions details summary"], "#decisions details[open] th:has-text('Duration')"],
  ];
  for (const [question, clicks, seen, colour] of questions)
    await check(`live: within two clicks: ${question}`, async () => {
      holds(clicks.length + (colour ? 1 : 0) <= 2, "too many clicks");
      await page.mouse.move(1, 1); // a chart under the mouse does not update
      if (colour) await page.locator("#devices select").selectOption({ label: colour });
      for (const click of clicks) {
        const place = page.locator(click).first();
        await place.waitFor({ timeout: wait_ms });
        await place.evaluate((summary) => summary.parentElement.open === true || summary.click()); // a real click would need an element that does not move
      }
      await page.locator(seen).first().waitFor({ timeout: wait_ms });
    });
  await check("live: an order without the token, or with a wrong one, is refused", async () => {
    const answer = page.locator("dialog [role=alert]");
    await order(page, "freeze");
    await answer.filter({ hasText: "Refused: the controller's token is needed" }).waitFor({ timeout: wait_ms });
    await page.locator("#token").fill("not-the-token-of-this");
    await page.locator("dialog [type=submit]").click();
    await answer.filter({ hasText: /^Refused: (?!the controller's token is needed)/ }).waitFor({ timeout: wait_ms });
    await page.locator("dialog button", { hasText: "Cancel" }).click();
    holds((await page.locator("#now .headline", { hasText: "frozen" }).count()) === 0, "it is frozen");
  });
  await check("live: a frozen fabric says so and stays frozen", async () => {
    await order(page, "freeze", { why: "maintenance", token: TOKEN });
    await page.locator("#now .headline", { hasText: "frozen" }).waitFor({ timeout: wait_ms });
    await page.waitForTimeout(2000);
    holds((await page.locator("#now").textContent()).includes("maintenance"), "the reason is missing");
  });
  await check("live: after a thaw, the audit log has both orders", async () => {
    await order(page, "thaw");
    await page.locator('[data-order="freeze"]').waitFor({ state: "visible", timeout: wait_ms });
    await page.waitForFunction(() => [...document.querySelectorAll("#audit tbody tr")].some((row) => row.textContent.includes("thaw")), null, { timeout: wait_ms });
    holds((await page.locator("#audit tbody tr", { hasText: "maintenance" }).count()) > 0, "the freeze is missing");
  });
  await check("live: axe finds nothing", async () => equal(await violations(page), [], "list of violations"));
  await check("live: no error", () => equal(page.problems, [], "list of problems"));
  await page.context().close();
  clearInterval(traffic);
  for (const child of children.splice(0)) child.kill("SIGTERM");
  await checkTwin(browser);
  await checkRehearsal(browser);
  await checkStranger(browser);
} finally {
  clearInterval(traffic);
  await browser?.close();
  for (const child of children) child.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
}
process.exitCode = failures() > 0 ? 1 : 0;
