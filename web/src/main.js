// SPDX-License-Identifier: BSD-3-Clause
// main.js: the page: its sections, and the method that is looked at.
import { clear, h } from "./dom.js";
import { load } from "./data.js";
import { bytes, count, plural, time } from "./format.js";
import "./diff.js";
import { drawings } from "./graph.js";
import { findings } from "./findings.js";
import { flame } from "./flame.js";
import { method } from "./method.js";
import { more } from "./more.js";
import { profile } from "./profile.js";
import { mpi, ranks } from "./ranks.js";
import { shares } from "./shares.js";
import { timeline } from "./timeline.js";

function head(page, sections, redraw) {
    const { run } = page, { report } = page.documents, program = report.time;
    const facts = [
        program ? ["program ran", time(program.elapsed_ns)] : null,
        program ? ["CPU time", time(program.cpu_ns)] : null,
        program?.peak_bytes ? ["peak memory", bytes(program.peak_bytes)] : null,
        ...(report.host_ns === undefined ? [] : [["wall time", time(report.wall_ns)], ["the host took", time(report.host_ns)], ["waiting", time(report.wait_ns)]]),
        [`${program ? "own time of recorded calls" : "own time"}${run.finished ? "" : " so far"}`, time(run.total_ns)],
        ["methods", count(page.lines.length)],
        ["calls", count(page.lines.reduce((sum, line) => sum + line.calls, 0))],
        ["ranks", count(run.ranks)], ["threads", count(run.threads)],
        run.host ? ["host", run.host] : null, run.cpu ? ["CPU", run.cpu] : null, run.started ? ["started", run.started] : null,
    ].filter(Boolean);
    const dark = matchMedia("(prefers-color-scheme: dark)");
    dark.addEventListener("change", redraw);
    const turn = () => {
        const now = document.documentElement.dataset.theme || (dark.matches ? "dark" : "light");
        document.documentElement.dataset.theme = now === "dark" ? "light" : "dark";
        redraw();
    };
    return [
        h("nav", {}, h("strong", {}, "Mastermind"), sections.map((one) => h("a", { href: `#${one.id}` }, one.querySelector("h2").textContent)),
            h("button", { type: "button", id: "theme", onclick: turn }, "dark / light")),
        h("header", {}, h("h1", {}, run.name), run.command.length ? h("code", {}, run.command.join(" ")) : null,
            h("dl", { class: "facts" }, facts.map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value)))),
            run.finished ? null : h("p", { class: "warn" }, "This run has not ended in order: its numbers are as far as it came."),
            page.notes.map((note) => h("p", { class: "warn" }, note)),
            run.not_seen.length ? h("details", {}, h("summary", {}, `Calls that were not seen (${run.not_seen.length})`), run.not_seen.map((cause) => h("p", { class: "note" }, cause))) : null),
    ];
}

function start() {
    const page = load(), watchers = [];
    const shared = {
        picked: null,
        redraw: [],
        placed: [], // called once the sections are in the page
        watch: (watcher) => watchers.push(watcher),
        pick(index, go) {
            if (!page.byIndex.has(index)) return;
            shared.picked = index;
            watchers.forEach((watcher) => watcher(index));
            if (go) document.getElementById("method").scrollIntoView({ behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "instant" : "smooth", block: "start" });
        },
    };
    const root = document.getElementById("page");
    document.title = `${page.run.name} - Mastermind`;
    if (!page.lines.length) {
        clear(root, ...head(page, [], () => {}).slice(1), h("p", {}, "This run has no recorded calls."));
        return;
    }
    const sections = [findings(page, shared), shares(page), timeline(page, shared), profile(page, shared), drawings(page, shared), method(page, shared), flame(page, shared), ranks(page, shared), mpi(page), ...more(page)].filter(Boolean);
    clear(root, ...head(page, sections, () => shared.redraw.forEach((redraw) => redraw())), h("main", {}, sections),
        h("footer", {}, `Made by mastermind report --html of ${plural(page.run.rows, "row")}. This page asks for nothing from anywhere.`));
    shared.placed.forEach((show) => show());
    const first = [...page.lines].sort((a, b) => b.exclusive_ns - a.exclusive_ns)[0];
    shared.pick(first.index, false);
    document.documentElement.dataset.ready = String(Math.round(performance.now()));
}

start();
