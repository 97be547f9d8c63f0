// SPDX-License-Identifier: MIT
// A picture of the top of a report, down to the end of an element: picture.mjs FILE.html SELECTOR OUT.png
import { writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { Browser, findChromium } from "../tests/browser/devtools.mjs";

const [, , file, selector, out] = process.argv;
const browser = new Browser(findChromium());
const page = await browser.page();
const width = 960;
await page.send("Emulation.setScrollbarsHidden", { hidden: true });
await page.show(resolve(file), { width, height: 1200, scale: 1.5 });
const height = await page.eval((s) => document.querySelector(s).getBoundingClientRect().bottom, selector);
const { data } = await page.send("Page.captureScreenshot", { format: "png", clip: { x: 0, y: 0, width, height, scale: 1 } });
writeFileSync(out, Buffer.from(data, "base64"));
await browser.close();
