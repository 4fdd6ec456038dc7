// SPDX-License-Identifier: BSD-3-Clause
// speedscope.mjs SPEEDSCOPE FILE...: each file opened by speedscope in a browser. Prints its name and what speedscope
// calls it, or FAILED.
import { readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { open } from "../lib/browser.mjs";

const [home, ...files] = process.argv.slice(2);
const browser = await open({ width: 1000, height: 700 });
for (const file of files) {
    const script = join(process.cwd(), `${basename(file)}.js`);
    // speedscope is told of a local file by a script that hands it over, as its own command does.
    writeFileSync(script, `speedscope.loadFileFromBase64(${JSON.stringify(basename(file))}, ${JSON.stringify(readFileSync(file).toString("base64"))})`);
    browser.faults.length = 0;
    try {
        await browser.load("about:blank"); // else only the place in the page changes
        await browser.load(`file://${home}/dist/release/index.html#localProfilePath=${script}`);
        let title = "", shown = "";
        for (let i = 0; i < 100; i++) {
            title = await browser.run("document.title");
            shown = await browser.run("document.body.innerText");
            if (/^\[/.test(title) || / - speedscope$/.test(title) || /Something went wrong|Unrecognized/.test(shown)) break;
            await new Promise((resolve) => setTimeout(resolve, 50));
        }
        const canvas = await browser.run("document.querySelectorAll('canvas').length");
        if (/Something went wrong|Unrecognized/.test(shown) || !canvas || browser.faults.some((f) => !/WebGL|GPU/i.test(f)))
            console.log(`FAILED: ${file}: ${shown.slice(0, 100).replace(/\s+/g, " ")} ${browser.faults.join("; ").slice(0, 600)}`);
        else
            console.log(`${basename(file)} is read: ${title}`);
    } catch (error) {
        console.log(`FAILED: ${file}: ${error.message}`);
    }
}
await browser.close();
