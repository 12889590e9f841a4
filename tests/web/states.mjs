// states.mjs - the page of a controller in states that are rare in real processes: calm with a trial, an
// alarm, a trial that waits for approval. A small server replaces the controller: it serves `states` and
// records orders.
import { createServer } from "node:http";
import { join } from "node:path";
import { check, equal, failures, holds, launch, LOOKS, texts, violations, words } from "./checks.mjs";
import { pageOf } from "./page.mjs";

const shots = process.env.WEB_SHOTS;
const NOW = Date.parse("2026-11-17T12:00:56Z");
const timeline = Object.fromEntries(
  ["t_ms", "coverage", "metric", "paused", "utilisation", "cnps", "trial", "with", "without"].map((key) => [
    key,
    Array.from({ length: 60 }, (_x, i) => ({ t_ms: NOW - (60 - i) * 1000, coverage: 1, metric: 0.5 + 0.1 * Math.sin(i), paused: null, utilisation: 0.4, cnps: 0, trial: i > 30 ? 5 : 0, with: null, without: null })[key]),
  ]),
);
const units = { kmin: "KB", kmax: "KB", rpg_ai_rate: "Mbps", rpg_hai_rate: "Mbps", rate_to_set_on_first_cnp: "Mbps", rpg_time_reset: "us" };
const help = { rate_to_set_on_first_cnp: "rate and target at the first CNP of a flow; 0: automatic (85 % of line rate)" };
const was = { kmin: 400, kmax: null, rpg_ai_rate: 5, rate_to_set_on_first_cnp: 0 };
const set = { kmin: 16, kmax: 31, rpg_ai_rate: 2, rpg_hai_rate: 6, rate_to_set_on_first_cnp: 850 };
const pairs = Array.from({ length: 53 }, (_x, i) => i + 1);
const calm = {
  version: 1, name: "twin", role: "active", mode: "auto", term: 65537, now_ms: NOW, interval_ms: 20, frozen: "", obstacle: "", declined: "", standby: "",
  coverage: 1, noise_pairs: 10, noise_e: 1, devices_total: 7, states: { tuned: 6, "held back": 1 }, has_history: false, agreement: [], knobs: [], audit: [],
  in_effect: { set, was, since_ms: NOW - 113000, trial: 1, by: "the rule of mode auto", why: "evidence of a gain reached 101" },
  drill: { passed_ms: NOW - 50000000, last_ms: NOW - 50000000, is_passed: true, took_ms: 2100, device: "h2", why: "" },
  unguarded: { devices: 0, what: "", example: "" }, breach: { devices: 0, example: "", why: "" }, reach: { trial: 3, settable: 6 },
  refused: { total: 3, last: "no certificate", last_ms: NOW - 9000, reasons: { "no certificate": 3 } },
  trial: { number: 5, phase: "run", stage: "halves", set: { rpg_time_reset: 313 }, was: { rpg_time_reset: 300 }, why: "tuner chameleon: one step", by: "", intervals: 500, pairs: 53, gain: 0.002, gain_at_least: -0.041, e_gain: 0.51, e_harm: 0.37, accept_e: 100, reject_e: 20 },
  evidence: { trial: 5, stage: "halves", pairs, gain: pairs.map((p) => 1 - p / 110), harm: pairs.map((p) => 1 + Math.sin(p) / 3), accept_e: 100, reject_e: 20, ends_at: 67 },
  timeline, next: "trial 5 is under way: on two halves that take turns", tuner: { name: "chameleon", has_begun: true, has_failed: false },
  cells: { version: 1, names: [["h1", "h1", 0, 1]] },
  decisions: [{ trial: 1, term: 1, began: "2026-11-17T11:58:35Z", ended: "2026-11-17T11:59:03Z", set, why: "first", outcome: "kept", end: "the evidence for a gain is large enough", steps: [] }],
};
const states = {
  calm,
  alarm: {
    ...calm,
    obstacle: "a guardrail is broken", breach: { devices: 1, example: "h1", why: "paused 50 % of the time in 2 reports in a row, limit 5 %" },
    next: "nothing is tried: a guardrail is broken", trial: { number: 2, phase: "none", set: {}, why: "", by: "", intervals: 0 }, reach: { trial: 0, settable: 6 },
    evidence: { ...calm.evidence, trial: 2 },
    decisions: [...calm.decisions, { trial: 2, term: 1, began: "2026-11-17T11:59:03Z", ended: "2026-11-17T11:59:32Z", set: { rpg_time_reset: 313 }, was: { rpg_time_reset: 300 }, why: "next", outcome: "dropped", end: "h1: a guardrail is broken", steps: [] }],
  },
  waiting: { ...calm, mode: "approve", trial: { ...calm.trial, number: 6, phase: "waiting", code: "abc123", pairs: undefined }, evidence: null, next: "trial 6 waits for approval" },
};
const device = { name: "h1", kind: "NIC", state: "tuned", why: "", has_trial: true, metric: null, age_ms: null, rate_bps: null, utilisation: null, paused: null, cnps: null, changed: { kmin: 16 }, was: { kmin: 400 } };

let state = "calm";
const posted = [];
const server = createServer((request, reply) => {
  const json = (value) => (reply.setHeader("Content-Type", "application/json"), reply.end(JSON.stringify(value)));
  if (request.method === "POST") {
    let body = "";
    request.on("data", (data) => (body += data));
    request.on("end", () => (posted.push([request.url, JSON.parse(body)]), json({})));
  } else if (request.url === "/") (reply.setHeader("Content-Type", "text/html"), reply.end(pageOf({ kind: "live", version: "0", title: "controller", runs: [], units, help })));
  else if (request.url === "/api/overview") json(states[state]);
  else if (request.url.startsWith("/api/devices/")) json({ devices: [device] });
  else if (request.url === "/api/events") {
    reply.setHeader("Content-Type", "text/event-stream");
    reply.write(`event: cells\ndata: ${JSON.stringify({ version: 1, cells: [[0, null, null, null, null, null, 1, 0, 0, 0, 0, 0, 0, 1, 0]] })}\n\n`);
  } else reply.writeHead(404).end();
});
await new Promise((done) => server.listen(0, "127.0.0.1", done));
const address = `http://127.0.0.1:${server.address().port}/`;
const browser = await launch();

async function show(name, options = {}) {
  state = name;
  const page = await (await browser.newContext({ viewport: { width: 1400, height: 900 }, ...options })).newPage();
  page.problems = [];
  page.on("pageerror", (error) => page.problems.push(error.message));
  await page.goto(address);
  await page.locator("#now .headline").waitFor();
  await page.locator("#devices tbody tr").waitFor();
  return page;
}

// Gives an order: opens its dialog, types a reason, confirms.
async function confirm(page, order, reason) {
  await page.locator(`[data-order="${order}"]`).click();
  await page.locator("dialog[open]").waitFor();
  const effects = await texts(page.locator("dialog li"));
  const button = words(await page.locator("dialog [type=submit]").textContent());
  await page.locator("dialog [type=submit]").click();
  holds(await page.locator("dialog[open]").isVisible(), "an order without a reason was given");
  await page.locator("#why").fill(reason);
  await page.locator("dialog [type=submit]").click();
  await page.locator("dialog[open]").waitFor({ state: "detached" });
  return { effects, button };
}

try {
  for (const name of ["calm", "alarm"])
    for (const { width, colorScheme } of LOOKS) {
      const page = await show(name, { viewport: { width, height: width > 600 ? 900 : 844 }, colorScheme });
      const seen = await page.evaluate(() => ({
        wide: document.documentElement.scrollWidth - document.documentElement.clientWidth,
        high: document.documentElement.scrollHeight,
        cards: document.querySelector(".three").getBoundingClientRect().bottom,
        headline: document.querySelector("#now .actions").getBoundingClientRect().bottom,
      }));
      await check(`${name} at ${width}, ${colorScheme}: the answer fits on the first screen, nothing is too wide`, async () => {
        equal(seen.wide, 0, "pixels too wide");
        holds(width > 600 ? seen.cards <= 900 : seen.headline <= 844, `it ends at ${Math.round(width > 600 ? seen.cards : seen.headline)}`);
        equal(await violations(page), [], "list of violations");
        equal(page.problems, [], "list of problems");
        return `${seen.high} pixels`;
      });
      if (shots) await page.screenshot({ path: join(shots, `live-${name}-${width}-${colorScheme}.png`), fullPage: true });
      await page.context().close();
    }

  const page = await show("calm");
  await check("calm: the current setting, since when, by whom, and the last drill of the dead-man switch", async () => {
    equal(await page.locator("#now .headline").textContent(), "Nothing is wrong");
    const now = words(await page.locator("#now").textContent());
    for (const part of ["Approved by: the rule of mode auto, trial 1", "Trial 5 is under way", "back after 2.1 s", "3, the last "]) holds(now.includes(part), `'${part}' is missing`);
  });
  await check("calm: a change shows old and new value with the knob's unit", async () => {
    const rows = await page.locator("#now .changes > div").evaluateAll((all) => all.map((row) => [row.querySelector("code").textContent, row.querySelector("dd").textContent]));
    equal(rows.map((row) => row.map(words)), [
      ["kmin", "400 → 16 KB"],
      ["kmax", "several values → 31 KB"],
      ["rpg_ai_rate", "5 → 2 Mb/s"],
      ["rpg_hai_rate", "6 Mb/s"], // the old value is unknown
      ["rate_to_set_on_first_cnp", "automatic → 850 Mb/s"],
    ]);
    equal(await texts(page.locator("#now .trial .lead code")), ["rpg_time_reset 300 → 313 µs"]);
    equal(words(await page.locator("#devices tbody tr").first().locator("td").last().textContent()), "kmin 400 → 16 KB");
  });
  await check("calm: the evidence is drawn over pairs, with both bounds", async () => {
    holds((await page.locator(".evidence-chart .area").getAttribute("aria-label")) === "Evidence after 53 pairs: 0.518 for a gain, bound 100; 1.13 for harm, bound 20", "label");
    equal((await page.locator(".evidence-chart .hue-0 polyline").getAttribute("points")).split(" ").length, 54, "points: one for each pair, and the start");
    equal(await texts(page.locator(".evidence-chart .bound")), ["keep: evidence of a gain reaches 100", "take back: evidence of harm reaches 20"]);
  });
  await check("calm: metrics that a device does not report are unknown, not 0", async () =>
    equal((await texts(page.locator("#devices tbody tr").first().locator("td"))).slice(1, 6), ["never", "unknown", "unknown", "unknown", "unknown"]),
  );
  await check("calm: a rollback states its effect and the number of devices, and needs a reason", async () => {
    const { effects, button } = await confirm(page, "rollback", "storage team asked");
    equal(button, "Roll back 6 devices");
    holds(effects[1].startsWith("6 devices that hold a setting of Anole return to the baseline"), effects.join(" / "));
    equal(posted.pop(), ["/api/rollback", { why: "storage team asked" }]);
  });
  await check("calm: a freeze says that it reverts the trial", async () => {
    const { effects } = await confirm(page, "freeze", "maintenance");
    equal(effects[0], "Trial 5 is taken back: 3 devices return to the setting in effect.");
    equal(posted.pop(), ["/api/freeze", { why: "maintenance" }]);
  });
  await page.context().close();

  const alarm = await show("alarm");
  await check("alarm: which device and why, in the page, in the tab, and to screen readers; freezing is the first button", async () => {
    equal(await alarm.locator("#now .headline").textContent(), "A guardrail is broken at h1");
    equal(await alarm.title(), "! A guardrail is broken at h1 · Anole twin");
    const card = alarm.locator("#now [role=alert]");
    holds((await card.textContent()).includes("h1: paused 50 % of the time in 2 reports in a row, limit 5 %"), "the reason is missing");
    equal(await alarm.locator('[data-order="freeze"]').getAttribute("class"), "primary");
    equal(await texts(alarm.locator("[data-trial='2'] .change code")), ["rpg_time_reset 300 → 313 µs"]);
    equal(await texts(alarm.locator(".three h2")), ["In effect", "Stopped: trial 2", "What happens next"]);
    holds((await texts(alarm.locator(".checks .not")))[0].includes("Guardrail broken at h1"), "the check is missing");
  });
  await alarm.context().close();

  const waiting = await show("waiting");
  await check("waiting: an approval names the trial, its code and its limits", async () => {
    const { effects, button } = await confirm(waiting, "approve", "looks fine");
    equal(button, "Start trial 6 on up to 6 devices");
    equal(words(effects[0]), "It tries rpg_time_reset 300 → 313 µs.");
    equal(posted.pop(), ["/api/approve", { number: 6, code: "abc123", why: "looks fine" }]);
  });
  await waiting.context().close();
} finally {
  await browser.close();
  server.closeAllConnections();
  server.close();
}
process.exitCode = failures() > 0 ? 1 : 0;
