// SPDX-License-Identifier: BSD-3-Clause
// ready.mjs PAGE...: how long a page of `mastermind report --html` takes until it can be used, in a headless Chromium:
// the median of nine loads, wide and on a phone-sized window with a CPU four times as slow. Exit 1 where one takes a second or more.
import { statSync } from "node:fs";
import { resolve } from "node:path";
import { open } from "../../tests/lib/browser.mjs";

let failed = false;
for (const page of process.argv.slice(2))
    for (const window of [{ width: 1200, height: 900 }, { width: 390, height: 844, phone: true }]) {
        const browser = await open(window), times = [];
        if (window.phone) await browser.send("Emulation.setCPUThrottlingRate", { rate: 4 });
        for (let i = 0; i < 9; i++) {
            await browser.load(`file://${resolve(page)}`);
            times.push(Number(await browser.run("document.documentElement.dataset.ready")));
        }
        await browser.close();
        const median = times.sort((a, b) => a - b)[4];
        failed ||= !(median < 1000);
        console.log(`${page}: ${(statSync(page).size / 1e6).toFixed(2)} MB, ${window.width} pixels wide: ready after ${median} ms (${times[0]} to ${times[8]})`);
    }
process.exit(failed ? 1 : 0);
