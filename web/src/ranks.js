// SPDX-License-Identifier: BSD-3-Clause
// ranks.js: how unevenly ranks were loaded, and what they did in MPI.
import { clear, h, onWidth, s, section } from "./dom.js";
import { count, middle, percent, plural, time } from "./format.js";
import { table } from "./table.js";

const ROWS = 24, LETTER = 6.6;

// Methods by ranks; each row has its own scale, because a small one can be uneven, too.
function heat(page, shared) {
    const { ranks } = page, about = h("p", { class: "facts" }, "Press a cell to see its time."), holder = h("div", { class: "scroll" });
    const lines = page.lines.map((line) => ({ line, sums: ranks.exclusive_ns[line.index] }))
        .sort((a, b) => b.line.exclusive_ns - a.line.exclusive_ns).slice(0, ROWS);
    const size = 18;
    function draw(room) {
        const longest = Math.max(...lines.map(({ line }) => line.name.length));
        const letters = Math.min(longest, Math.floor((room * 0.32) / LETTER)), left = letters * LETTER + 8;
        const step = Math.max(3, Math.min(64, (room - left - 4) / ranks.count)), width = left + step * ranks.count + 4;
        const svg = s("svg", { class: "heat", role: "img", "aria-label": "time by rank", width, height: (lines.length + 1) * size });
        lines.forEach(({ line, sums }, y) => {
            const most = Math.max(1, ...sums);
            svg.append(s("text", { x: left - 6, y: y * size + 13, "text-anchor": "end" }, s("title", {}, line.name), middle(line.name, letters)));
            sums.forEach((ns, rank) => {
                const cell = s("rect", { x: left + rank * step, y: y * size + 1, width: Math.max(2, step - 1), height: size - 2, class: "cell", "fill-opacity": 0.06 + 0.94 * Math.max(0, ns) / most },
                    s("title", {}, `rank ${rank}: ${time(ns)}`));
                cell.addEventListener("click", () => {
                    clear(about, document.createTextNode(`${line.name} on rank ${rank}: ${time(ns)}`));
                    shared.pick(line.index, false);
                });
                svg.append(cell);
            });
        });
        for (let rank = 0; rank < ranks.count; rank += Math.max(1, Math.ceil(40 / step)))
            svg.append(s("text", { x: left + (rank + 0.5) * step, y: lines.length * size + 13, "text-anchor": "middle" }, rank));
        clear(holder, svg);
    }
    onWidth(holder, draw);
    return [holder, about];
}

const spread = (get) => [
    { key: "min", title: "least", value: (row) => get(row).min_ns, text: time },
    { key: "mean", title: "mean", value: (row) => get(row).mean_ns, text: time },
    { key: "max", title: "most", value: (row) => get(row).max_ns, text: time },
    { key: "imbalance", title: "imbalance", hint: "the most loaded rank over the mean", value: (row) => get(row).imbalance, text: percent, bar: (row) => get(row).imbalance },
    { key: "most", title: "rank with most", minor: true, value: (row) => get(row).most, text: count },
];

export function ranks(page, shared) {
    const rows = page.lines.filter((line) => line.ranks);
    if (!rows.length) return null;
    const made = table({
        id: "ranks-table", rows, sort: { id: "max", desc: true }, key: (line) => String(line.index), pick: (line) => shared.pick(line.index, true),
        columns: [{ key: "name", title: "method", left: true, value: (line) => line.name }, ...spread((line) => line.ranks)],
    });
    return section("ranks", "Ranks", `${plural(page.run.ranks, "rank")}: exclusive time of each, dark where it is most.`,
        page.ranks ? heat(page, shared) : null, made.element);
}

// How much of the time in MPI was waiting, from sampled messages.
function waiting(page) {
    const sums = page.documents.report.waiting;
    if (!sums || !sums.methods.length) return null;
    return [h("h3", {}, "Waiting"), h("p", { class: "note" }, `From ${plural(sums.samples, "sampled message")}.`), table({
        id: "waiting-table", rows: sums.methods, sort: { id: "late", desc: true },
        columns: [
            { key: "name", title: "method", left: true, value: (row) => row.method || "outside methods" },
            { key: "mpi", title: "in MPI", value: (row) => row.mpi_exclusive_ns ?? null, text: time },
            { key: "late", title: "late senders", hint: "waiting for messages not yet sent", value: (row) => row.late_sender_ns, text: time },
            { key: "collectives", title: "collectives", hint: "waiting for other ranks", value: (row) => row.collectives_ns, text: time },
            { key: "for", title: "mostly for", left: true, value: (row) => row.for_method || row.for_site || "" },
        ],
    }).element];
}

export function mpi(page) {
    const functions = page.documents.report.mpi;
    if (!functions || !functions.length) return null;
    const most = Math.max(1, ...functions.map((row) => row.inclusive_ns)), total = functions.reduce((sum, row) => sum + row.inclusive_ns, 0) || 1;
    const columns = [
        { key: "name", title: "function", left: true, value: (row) => row.name },
        { key: "time", title: "time", value: (row) => row.inclusive_ns, text: time, bar: (row) => row.inclusive_ns / most },
        { key: "share", title: "of MPI", value: (row) => row.inclusive_ns / total, text: percent },
        { key: "calls", title: "calls", value: (row) => row.calls, text: count },
        { key: "each", title: "per call", value: (row) => row.inclusive_ns / Math.max(1, row.calls), text: time },
    ];
    if (functions.some((row) => row.ranks)) columns.push(...spread((row) => row.ranks || {}));
    const ends = (page.documents.report.rank_ends || []).filter((end) => !end.finished);
    return section("mpi", "MPI", `${time(total)} in MPI, over all ranks.`,
        table({ id: "mpi-table", rows: functions, columns, sort: { id: "time", desc: true } }).element, waiting(page),
        ends.map((end) => h("p", { class: "warn" }, `rank ${end.rank} did not end in order${end.inside ? `, inside ${end.inside}` : ""}`)));
}
