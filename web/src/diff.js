// SPDX-License-Identifier: BSD-3-Clause
// diff.js: the panel of `mastermind diff --json`: what changed between two groups of runs.
import { h } from "./dom.js";
import { amount, percent, plural, time } from "./format.js";
import { register } from "./more.js";
import { table } from "./table.js";

const PARTS = ["calls", "sizes", "dearer", "rare"];
const signed = (text, value) => (value > 0 ? `+${text}` : text);
const verdicts = { worse: "worse", better: "better", same: "", open: "" };

function words(method) {
    const found = PARTS.filter((part) => ["worse", "better"].includes(method.parts[part]?.verdict));
    return found.map((part) => `${method.parts[part].verdict}: ${part === "calls" ? "number of calls" : part === "sizes" ? "parameters" : "dearer or cheaper at equal parameters"}`).join("; ") || verdicts[method.verdict] || "";
}

register("diff", "What changed", (document) => {
    const cost = document.unit === "ns" ? time : amount;
    const change = (value) => signed(cost(value), value);
    const most = Math.max(1, ...document.methods.map((method) => Math.abs(method.parts.all.change)));
    const part = (key) => ({ key, title: key, minor: key === "rare", value: (row) => row.parts[key]?.change ?? null, text: (value) => (value === null ? "" : change(value)) });
    const all = document.parts.all;
    return [
        h("p", { class: document.verdict === "worse" ? "warn" : "facts" },
            `${plural(document.runs_a, "run")} against ${plural(document.runs_b, "run")}, ${document.metric}: ${cost(document.a)} to ${cost(document.b)}, ${change(all.change)}`
            + (all.low === undefined ? "" : ` (95 %: ${change(all.low)} to ${change(all.high)})`)
            + (verdicts[document.verdict] ? `: ${document.verdict}` : "")),
        table({
            id: "diff-table", rows: document.methods, sort: { id: "change", desc: true },
            columns: [
                { key: "name", title: "method", left: true, value: (row) => row.name },
                { key: "a", title: "A", value: (row) => row.a, text: cost },
                { key: "b", title: "B", value: (row) => row.b, text: cost },
                { key: "change", title: "change", value: (row) => row.parts.all.change, text: change, bar: (row) => Math.abs(row.parts.all.change) / most },
                ...PARTS.map(part),
                { key: "percent", title: "dearer %", hint: "at equal parameters", value: (row) => row.dearer ?? null, text: (value) => (value === null ? "" : signed(percent(value), value)) },
                { key: "verdict", title: "verdict", left: true, value: words },
            ],
        }).element,
    ];
});
