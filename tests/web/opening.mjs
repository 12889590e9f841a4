// opening.mjs REPORT.html... - measures how long a browser needs to draw a report completely, and the CPU
// time of its renderer.
import { statSync } from "node:fs";
import { resolve } from "node:path";
import { launch, open } from "./checks.mjs";

const browser = await launch();
const system = await browser.newBrowserCDPSession();
const renderers = async () =>
  (await system.send("SystemInfo.getProcessInfo")).processInfo.filter((p) => p.type === "renderer").reduce((sum, p) => sum + p.cpuTime, 0);
for (const file of process.argv.slice(2)) {
  const before = await renderers();
  const page = await open(browser, resolve(file));
  const cpu_s = (await renderers()) - before;
  console.log(`${file}: ${Math.round(statSync(file).size / 1000)} KB, ${cpu_s.toFixed(2)} s of processor time, ${(page.open_ms / 1000).toFixed(2)} s in all`);
  await page.close();
}
await browser.close();
