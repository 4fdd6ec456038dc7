// SPDX-License-Identifier: BSD-3-Clause
// shares.js: where the time of the whole program went: libraries, MPI, measuring and the rest.
import { h, section } from "./dom.js";
import { count, percent, time } from "./format.js";
import { table } from "./table.js";

/* The rest by samples: functions with much of it, and others in one row. */
function outside(sums) {
    const lines = sums.rest ?? [];
    const all = lines.reduce((sum, line) => sum + line.samples, 0);
    const isShown = (line, i) => i < 10 && line.samples >= 0.02 * all;
    const rows = lines.filter(isShown).map((line) => ({
        name: `\u2003of the rest: ${[line.file, line.function].filter(Boolean).join(": ")}${line.line ? `  ${line.line}` : ""}`, ns: line.ns,
    }));
    const others = lines.filter((line, i) => !isShown(line, i)).reduce((sum, line) => sum + line.ns, 0);
    if (others) rows.push({ name: "\u2003of the rest: others", ns: others });
    const idle = sums.rest_ns - lines.reduce((sum, line) => sum + line.ns, 0);
    if (lines.length && idle > 0) rows.push({ name: "\u2003of the rest, on no core: waiting, and the host", ns: idle });
    return rows;
}

export function shares(page) {
    const sums = page.documents.report.time;
    if (!sums) return null;
    const rows = sums.instances.map((share) => ({ name: share.instance, ns: share.own_ns, calls: share.calls }));
    if (sums.mpi_ns) rows.push({ name: "MPI", ns: sums.mpi_ns });
    if (sums.host_ns) rows.push({ name: "the host, of the calls above", ns: sums.host_ns });
    rows.push({ name: "measuring", ns: sums.measuring_ns });
    if (sums.rest_ns !== undefined) rows.push({ name: "the rest: the program itself, and unmeasured functions", ns: sums.rest_ns });
    rows.push(...outside(sums));
    const note = sums.rest_ns === undefined
        ? "Several threads called measured functions side by side: the time of the program itself is not known."
        : `The program ran ${time(sums.elapsed_ns)}${page.run.ranks > 1 ? ", summed over all ranks," : ""} and used ${time(sums.cpu_ns)} CPU.`;
    return section("shares", "Time of the program", note, table({
        id: "shares-table", rows, sort: { id: "time", desc: true },
        columns: [
            { key: "name", title: "where", left: true, value: (row) => row.name },
            { key: "time", title: "time", value: (row) => row.ns, text: time, bar: (row) => row.ns / sums.elapsed_ns },
            { key: "share", title: "%", value: (row) => row.ns / sums.elapsed_ns, text: percent },
            { key: "calls", title: "calls", value: (row) => row.calls ?? null, text: count },
        ],
    }).element, h("p", { class: "note" }, rows.length && sums.load_ns ? `Loading took ${time(sums.load_ns)} before.` : ""));
}
