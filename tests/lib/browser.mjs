// SPDX-License-Identifier: BSD-3-Clause
// browser.mjs: drive a headless Chromium over its debugging pipe, without packages.
//
//     const browser = await open({ width: 1200, height: 800, dark: false, phone: false });
//     await browser.load("file:///page.html");
//     await browser.run("document.title")      the value of an expression; an exception is thrown here
//     await browser.press("#theme", 0)         a press of the mouse on the middle of the nth match
//     await browser.shot("page.png")           a picture of the window
//     browser.faults                           console errors, exceptions, requests beyond the page
//     await browser.close()
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export async function open({ width = 1200, height = 800, dark = false, phone = false } = {}) {
    const home = mkdtempSync(join(tmpdir(), "browser-"));
    const child = spawn(process.env.CHROMIUM || "chromium", [
        "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--disable-extensions",
        "--disable-background-networking", "--disable-sync", "--mute-audio", "--remote-debugging-pipe", `--user-data-dir=${home}`,
        `--window-size=${width},${height}`, "about:blank",
    ], { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"], env: { ...process.env, HOME: home } });
    const waiting = new Map(), faults = [], events = new Map();
    let number = 0, rest = "", session;
    const ended = new Promise((resolve) => child.on("exit", resolve));
    child.on("error", () => {});

    const send = (method, params = {}, to = session) => new Promise((resolve, reject) => {
        waiting.set(++number, { resolve, reject, method });
        child.stdio[3].write(`${JSON.stringify({ id: number, method, params, ...(to ? { sessionId: to } : {}) })}\0`);
    });
    const once = (event) => new Promise((resolve) => events.set(event, resolve));
    function take(message) {
        if (message.id) {
            const { resolve, reject, method } = waiting.get(message.id);
            waiting.delete(message.id);
            return message.error ? reject(new Error(`${method}: ${message.error.message}`)) : resolve(message.result);
        }
        const { method, params } = message;
        if (method === "Runtime.exceptionThrown") faults.push(params.exceptionDetails.exception?.description || params.exceptionDetails.text);
        if (method === "Runtime.consoleAPICalled" && ["error", "warning", "assert"].includes(params.type)) faults.push(params.args.map((one) => one.value ?? one.description).join(" "));
        if (method === "Log.entryAdded" && params.entry.level === "error") faults.push(params.entry.text);
        if (method === "Network.requestWillBeSent" && !/^(data|file|about|blob):/.test(params.request.url)) faults.push(`request of ${params.request.url}`);
        if (method === "Page.javascriptDialogOpening") faults.push(`dialogue: ${params.message}`);
        events.get(method)?.(params);
        return undefined;
    }
    child.stdio[4].setEncoding("utf8").on("data", (chunk) => {
        const parts = (rest + chunk).split("\0");
        rest = parts.pop();
        parts.forEach((part) => take(JSON.parse(part)));
    });
    ended.then(() => waiting.forEach(({ reject }) => reject(new Error("chromium has ended"))));

    const { targetId } = await send("Target.createTarget", { url: "about:blank" });
    ({ sessionId: session } = await send("Target.attachToTarget", { targetId, flatten: true }));
    for (const domain of ["Page", "Runtime", "Log", "Network"]) await send(`${domain}.enable`);
    await send("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: phone ? 2 : 1, mobile: phone });
    if (phone) await send("Emulation.setTouchEmulationEnabled", { enabled: true });
    await send("Emulation.setEmulatedMedia", { features: [{ name: "prefers-color-scheme", value: dark ? "dark" : "light" }, { name: "prefers-reduced-motion", value: "reduce" }] });

    async function run(expression) {
        const { result, exceptionDetails } = await send("Runtime.evaluate", { expression, returnByValue: true, awaitPromise: true });
        if (exceptionDetails) throw new Error(exceptionDetails.exception?.description || exceptionDetails.text);
        return result.value;
    }
    async function pressAt(x, y) {
        if (phone) {
            await send("Input.dispatchTouchEvent", { type: "touchStart", touchPoints: [{ x, y }] });
            await send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
        } else
            for (const type of ["mouseMoved", "mousePressed", "mouseReleased"]) await send("Input.dispatchMouseEvent", { type, x, y, button: type === "mouseMoved" ? "none" : "left", clickCount: 1 });
        await run("new Promise((done) => requestAnimationFrame(() => setTimeout(done, 60)))");
    }
    return {
        faults, run, send, pressAt,
        async load(url) {
            const loaded = once("Page.loadEventFired");
            await send("Page.navigate", { url });
            await loaded;
            await run("new Promise((done) => requestAnimationFrame(() => setTimeout(done, 60)))");
        },
        async press(selector, n = 0) {
            const at = await run(`(() => { const e = document.querySelectorAll(${JSON.stringify(selector)})[${n}]; if (!e) return null;
                e.scrollIntoView({ block: "center", inline: "center", behavior: "instant" }); const b = e.getBoundingClientRect();
                return { x: b.x + b.width / 2, y: b.y + b.height / 2 }; })()`);
            if (!at) throw new Error(`nothing to press: ${selector} ${n}`);
            await pressAt(at.x, at.y);
        },
        async shot(path, whole = false) {
            const { data } = await send("Page.captureScreenshot", { format: "png", captureBeyondViewport: whole, ...(whole ? { clip: { x: 0, y: 0, scale: 1, ...(await run("({ width: innerWidth, height: document.documentElement.scrollHeight })")) } } : {}) });
            writeFileSync(path, Buffer.from(data, "base64"));
        },
        async close() {
            await Promise.race([send("Browser.close", {}, null).catch(() => {}), ended]);
            await Promise.race([ended, new Promise((done) => setTimeout(done, 3000))]);
            child.kill("SIGKILL");
            rmSync(home, { recursive: true, force: true, maxRetries: 5 });
        },
    };
}
