// SPDX-License-Identifier: BSD-3-Clause
// profile.js: where the time went, a line a method.
import { section } from "./dom.js";
import { count, percent, time } from "./format.js";
import { table } from "./table.js";

export function profile(page, shared) {
    const total = page.documents.report.total_ns || 1;
    const most = Math.max(1, ...page.lines.map((line) => line.exclusive_ns));
    const mpi = page.lines.some((line) => line.mpi_ns !== undefined);
    const columns = [
        { key: "name", title: "method", left: true, value: (line) => line.name },
        { key: "class", title: "class", left: true, minor: true, value: (line) => line.class },
        { key: "exclusive", title: "exclusive", hint: "without recorded callees", value: (line) => line.exclusive_ns, text: time, bar: (line) => line.exclusive_ns / most },
        { key: "share", title: page.documents.report.time ? "% of calls" : "% of run", hint: "exclusive time, of that of all recorded calls", value: (line) => line.exclusive_ns / total, text: percent },
        { key: "inclusive", title: "inclusive", hint: "from entry to return", value: (line) => line.inclusive_ns, text: time },
        { key: "calls", title: "calls", value: (line) => line.calls, text: count },
        { key: "percall", title: "per call", hint: "mean inclusive time of a call", value: (line) => line.mean_ns, text: time },
        { key: "sd", title: "sd", minor: true, hint: "standard deviation of a call's inclusive time", value: (line) => line.sd_ns, text: time },
        { key: "max", title: "longest", minor: true, value: (line) => line.max_ns, text: time },
        { key: "subrs", title: "calls made", minor: true, hint: "recorded calls that the method made", value: (line) => line.subrs, text: count },
    ];
    if (page.documents.report.host_ns !== undefined) columns.push(
        { key: "wall", title: "wall", minor: true, hint: "exclusive wall time", value: (line) => line.exclusive_ns + line.host_exclusive_ns, text: time },
        { key: "host", title: "host", minor: true, hint: "what the host took of the exclusive wall time", value: (line) => line.host_exclusive_ns, text: time },
        { key: "waiting", title: "waiting", minor: true, hint: "of the exclusive time: off the core of its own accord", value: (line) => line.wait_exclusive_ns, text: time });
    if (mpi) columns.push({ key: "mpi", title: "in MPI", hint: "inclusive time inside MPI", value: (line) => line.mpi_ns, text: time });
    const made = table({
        id: "profile-table", columns, rows: page.lines, sort: { id: "exclusive", desc: true },
        key: (line) => String(line.index), pick: (line) => shared.pick(line.index, true), filter: "Find a method or class",
    });
    shared.watch((index) => made.select(String(index)));
    return section("profile", "Profile", "Press a heading to sort, a method to see its calls.", made.element);
}
