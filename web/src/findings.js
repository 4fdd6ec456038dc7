// SPDX-License-Identifier: BSD-3-Clause
// findings.js: what the report and the properties have found, as sentences; the most important first.
import { h, section } from "./dom.js";
import { percent, plural, time } from "./format.js";

const MOST = 6; // properties with lines of their own
const whole = (share) => `${Math.round(100 * share)} %`;

// Sentences [start, rest, small, method] of the report's own numbers.
function costs(page) {
    const { report } = page.documents, list = [], total = report.total_ns || 1, program = report.time;
    const line = [...page.lines].sort((a, b) => b.exclusive_ns - a.exclusive_ns)[0];
    if (line.exclusive_ns > 0)
        list.push([line.name, ` is dearest: ${percent(line.exclusive_ns / total)} of the time of recorded calls, ${time(line.exclusive_ns)} in ${plural(line.calls, "call")}.`, "", line]);
    if (program && program.rest_ns > 0.5 * program.elapsed_ns)
        list.push([`${whole(program.rest_ns / program.elapsed_ns)} of the program's time`, " is outside of recorded calls.", ""]);
    if (report.wait_ns > 0.05 * total)
        list.push([`${time(report.wait_ns)} of ${time(total)}`, " was waiting: off the core of its own accord.", ""]);
    if (report.host_ns > 0.05 * report.wall_ns)
        list.push([`The host took ${time(report.host_ns)}`, ` of ${time(report.wall_ns)} in calls: threads were ready and had no core.`, ""]);
    return list;
}

function measuring(page) {
    const program = page.documents.report.time, list = [];
    if (program?.cpu_ns) list.push([`Measuring took ${percent(program.measuring_ns / program.cpu_ns)}`, ` of ${time(program.cpu_ns)} of CPU time.`, ""]);
    for (const cause of page.run.not_seen)
        if (/too short/.test(cause)) list.push([cause, "", ""]);
    return list;
}

// A sentence a property: its worst region first, then others that have it, too.
function problems(page, list) {
    const found = page.documents.properties, kinds = new Map();
    for (const finding of found?.findings || [])
        if (finding.confident) kinds.set(finding.property, [...(kinds.get(finding.property) || []), finding]);
    for (const [property, [first, ...others]] of [...kinds].slice(0, MOST)) {
        const range = first.low === undefined ? "" : ` (${whole(first.low)} to ${whole(first.high)})`;
        const where = first.region === "program" ? "" : ` in ${first.region}`;
        const unit = first.detail || first.unit, also = others.filter((other) => other.region && other.region !== first.region).slice(0, 3);
        list.push([`${property}: ${whole(first.severity)}${range}${where}`, `${unit ? `, ${unit}` : ""}${also.length ? `; also ${also.map((other) => `${other.region} ${whole(other.severity)}`).join(", ")}` : ""}.`,
            ` ${first.meaning || ""}`, page.lines.find((line) => line.name === first.region)]);
    }
    return kinds.size - MOST;
}

export function findings(page, shared) {
    const list = costs(page), left = problems(page, list);
    list.push(...measuring(page));
    const unlike = page.documents.report.time?.unlike;
    if (unlike) list.push(["Rows and samples differ", `: ${unlike.method} has ${time(unlike.rows_ns)} of CPU time by rows, ${time(unlike.samples_ns)} by samples (±${time(unlike.error_ns)}).`, ""]);
    const items = list.map(([start, rest, small, line]) => h("li", {},
        line ? h("button", { type: "button", onclick: () => shared.pick(line.index, true) }, h("strong", {}, start)) : h("strong", {}, start), rest, small ? h("small", {}, small) : null));
    return section("findings", "Findings", page.documents.properties ? "A share with its 95 % interval is a severity, by mastermind properties."
        : `Problems of a run of that many calls: mastermind properties ${page.run.name}`,
        h("ul", { class: "findings" }, items), left > 0 ? h("p", { class: "note" }, `${plural(left, "more property").replace("propertys", "properties")} by mastermind properties.`) : null);
}
