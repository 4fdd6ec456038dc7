// SPDX-License-Identifier: BSD-3-Clause
// method.js: the calls of one method with the curves of its models.
import { choice, clear, h, section, seriesColor } from "./dom.js";
import { amount, count, percent, plural, time } from "./format.js";
import { logCells, modelOf, modeText, timeCells } from "./data.js";
import { legend, plot } from "./plot.js";

// The calls that are kept whole, each as an object.
function wholeCalls(calls) {
    const { whole } = calls;
    return whole.ns.map((ns, i) => ({
        ns, i, slow: i < whole.slowest, rank: whole.rank[i], thread: whole.thread[i],
        invocation: whole.invocation[i], start_ns: whole.start_ns[i], in: whole.in.map((column) => column[i]),
    }));
}

const derived = (value) => Boolean(value.expression) && value.expression !== value.name;

// A model that depends on nothing, as a level line over the cells.
function level(all, cells) {
    if (!all || !cells.length) return null;
    const x = [Math.min(...cells.map((cell) => cell[0])), Math.max(...cells.map((cell) => cell[1]))];
    return Object.fromEntries(Object.entries(all).map(([key, value]) => [key, key === "parameter" ? value : key === "x" ? x : [value[0], value[0]]]));
}

// Parameters along which calls differ, most first where the model's formula has them.
function parametersOf(page, line, calls) {
    return line.values.map((value, i) => ({ ...value, at: i }))
        .filter((value) => value.kind === "param" && calls.modes.some((mode) => mode.grids[value.at]))
        .map((value) => {
            const uses = calls.modes.filter((mode) => {
                const found = modelOf(page, line, mode.values);
                return found && found.model.terms.some((term) => term.factors.some((factor) => factor.parameter === value.name));
            }).length;
            const columns = Math.max(...calls.modes.map((mode) => new Set((mode.grids[value.at] ? logCells(mode.grids[value.at]) : []).map((cell) => cell[0])).size));
            return { ...value, weight: uses * 1e6 + columns + (derived(value) ? 0.5 : 0) };
        })
        .sort((a, b) => b.weight - a.weight);
}

function seriesAlong(page, line, calls, parameter, only) {
    const series = [];
    calls.modes.forEach((mode, i) => {
        if (only !== null && only !== i) return;
        const found = modelOf(page, line, mode.values);
        const cells = mode.grids[parameter.at] ? logCells(mode.grids[parameter.at]) : [];
        const curve = found && (found.curves.along.find((one) => one.parameter === parameter.name) || (found.curves.along.length ? null : level(found.curves.all, cells)));
        series.push({
            name: modeText(line, mode.values), color: seriesColor(i), curve, cells,
            note: found ? found.model.formula : "no model",
        });
    });
    return series;
}

function formulas(page, line, calls) {
    const rows = calls.modes.map((mode, i) => {
        const found = modelOf(page, line, mode.values);
        const mark = h("i", { class: "swatch" });
        mark.style.background = seriesColor(i);
        if (!found) return h("tr", {}, h("td", { class: "left" }, mark, modeText(line, mode.values)), h("td", { class: "left" }, "no model"), h("td", {}, count(mode.calls)), h("td", {}, time(mode.sum_ns / mode.calls)), h("td"));
        const { model } = found;
        return h("tr", {},
            h("td", { class: "left" }, mark, modeText(line, mode.values)),
            h("td", { class: "left formula" }, model.formula),
            h("td", {}, count(mode.calls)),
            h("td", {}, time(mode.sum_ns / mode.calls)),
            h("td", {}, model.error === undefined ? "" : percent(model.error)));
    });
    return h("div", { class: "scroll" }, h("table", {},
        h("thead", {}, h("tr", {}, ["mode", "a typical call costs", "calls", "mean", "error elsewhere"].map((title, i) => h("th", { class: i < 2 ? "left" : "" }, title)))),
        h("tbody", {}, rows)));
}

function details(line, call) {
    if (!call) return [h("p", { class: "note" }, `Press a circle to see its call.${matchMedia("(hover: hover)").matches ? " Drag to zoom, press twice to go back." : ""}`)];
    const rows = [
        ["cost", `${time(call.ns)} exclusive`], ["began at", time(call.start_ns)],
        ["rank", call.rank], ["thread", call.thread], ["invocation", count(call.invocation)],
        ...line.values.map((value, i) => {
            const label = (value.labels || []).find((entry) => entry.value === call.in[i]);
            return [value.name, call.in[i] === null ? "absent" : label ? label.text : amount(call.in[i])];
        }),
    ];
    return [h("dl", { class: "call" }, rows.map(([name, value]) => [h("dt", {}, name), h("dd", {}, value)]))];
}

export function method(page, shared) {
    const title = h("h3", {}), body = h("div");
    let made = null;

    function show(index) {
        const line = page.byIndex.get(index), calls = page.callsOf.get(index);
        if (made) made.destroy();
        made = null;
        clear(title, document.createTextNode(line.name));
        if (!calls || !calls.timed) {
            clear(body, h("p", { class: "note" }, "No call of this method has a time."));
            return;
        }
        const whole = wholeCalls(calls), along = parametersOf(page, line, calls);
        const holder = h("div"), picked = h("div", { id: "picked", "aria-live": "polite" }), marks = h("div");
        let axis = along.length ? along[0].at : "start", only = null;

        function draw() {
            const parameter = along.find((value) => value.at === axis);
            const series = parameter
                ? seriesAlong(page, line, calls, parameter, only)
                : [{ name: "all calls", color: seriesColor(0), curve: null, cells: calls.starts ? timeCells(calls.starts) : [] }];
            const inMode = (call) => only === null || line.values.every((value, i) => value.kind !== "mode" || call.in[i] === calls.modes[only].values[i]);
            const points = whole.map((call) => ({ ...call, x: parameter ? call.in[axis] : call.start_ns / 1e9, y: Math.max(call.ns, 0.5) }))
                .filter((call) => call.x !== null && (!parameter || call.x > 0) && (!parameter || inMode(call)));
            if (made) made.destroy();
            made = plot({
                series, calls: points, log: Boolean(parameter), xLabel: parameter ? parameter.name + (derived(parameter) ? ` = ${parameter.expression}` : "") : "start, s",
                pick: (call) => clear(picked, details(line, call)),
            });
            clear(holder, made.element);
            clear(marks, legend(series));
            clear(picked, details(line, null));
            made.draw();
        }
        const axes = [...along.map((value) => [value.at, value.name]), ...(calls.starts ? [["start", "start of the call"]] : [])];
        const modes = [[null, "all modes"], ...calls.modes.map((mode, i) => [i, modeText(line, mode.values)])];
        const notes = [];
        if (line.one_in > 1) notes.push(`Models are fitted to a fair sample of the rows, one of ${line.one_in}; the density has all calls.`);
        if (calls.other_modes) notes.push(`${plural(calls.other_modes, "call")} with further modes or unknown values are left out.`);
        if (calls.untimed) notes.push(`${plural(calls.untimed, "call")} without a time.`);
        const absent = along.length ? calls.modes.reduce((sum, mode) => sum + mode.left_out[along[0].at], 0) : 0;
        if (absent) notes.push(`${plural(absent, "call")} without ${along[0].name} above 0 are left out.`);
        clear(body,
            h("p", { class: "facts" }, `${line.class}: ${plural(line.calls, "call")}, ${time(line.exclusive_ns)} exclusive, ${time(line.inclusive_ns)} inclusive`),
            h("div", { class: "choices" },
                axes.length > 1 ? choice("axis", axes, axis, (key) => { axis = key; draw(); }) : null,
                calls.modes.length > 1 ? choice("mode", modes, null, (key) => { only = key; draw(); }) : null),
            holder, marks, picked, formulas(page, line, calls),
            notes.length ? h("p", { class: "note" }, notes.join(" ")) : null);
        draw();
    }
    shared.watch(show);
    shared.redraw.push(() => shared.picked !== null && show(shared.picked));
    return section("method", "Calls of a method", "Darker: more calls. Line: the model's typical call; bands: of the curve (90 %), of one call (95 %).",
        title, body);
}
