// shot.mjs REPORT.html PICTURE.png [WIDTH HEIGHT] - saves the first screen of a page as a picture.
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { launch } from "./checks.mjs";

const [file, picture, width = 1280, height = 900] = process.argv.slice(2);
const browser = await launch();
const page = await (await browser.newContext({ viewport: { width: Number(width), height: Number(height) } })).newPage();
await page.goto(pathToFileURL(resolve(file)).href);
await page.waitForTimeout(1000);
await page.screenshot({ path: picture });
await browser.close();
