// SPDX-License-Identifier: BSD-3-Clause
// data.js: the document of the page, and what its parts have to do with each other.

const OCTAVE = 64; // bins from a value to its double: mastermind/page/grid.h
const TIME_BIN_NS = 1024;

// Order of modes by their values.
function byValues(a, b) {
    for (let i = 0; i < a.values.length; i++)
        if (a.values[i] !== b.values[i]) return a.values[i] - b.values[i];
    return 0;
}

export function load() {
    const page = JSON.parse(document.getElementById("document").textContent);
    const report = page.documents.report;
    const called = page.methods.map((method, index) => ({ ...method, index })).filter((method) => method.called);

    page.lines = called.map((method, i) => ({ ...report.methods[i], index: method.index, values: method.values, models: method.models, one_in: method.one_in }));
    for (const calls of page.calls) calls.modes.sort(byValues);
    page.callsOf = new Map(page.calls.map((calls) => [calls.index, calls]));
    page.byIndex = new Map(page.lines.map((line) => [line.index, line]));
    return page;
}

// Cells of a grid as rectangles [x0, x1, y0, y1, calls]; y in ns. `bins` turns a bin into a place on x.
function cellsOf(grid, bins) {
    const cells = [];
    let x = 0;
    for (let i = 0; i < grid.cells.length; i += 3) {
        x += grid.cells[i];
        const y = grid.cells[i + 1];
        cells.push([
            bins(x * 2 ** grid.shift_x), bins((x + 1) * 2 ** grid.shift_x),
            2 ** ((y * 2 ** grid.shift_y) / OCTAVE), 2 ** (((y + 1) * 2 ** grid.shift_y) / OCTAVE),
            grid.cells[i + 2],
        ]);
    }
    return cells;
}

export const logCells = (grid) => cellsOf(grid, (bin) => 2 ** (bin / OCTAVE));
export const timeCells = (grid) => cellsOf(grid, (bin) => (bin * TIME_BIN_NS) / 1e9);

export function modeText(line, values) {
    const words = [];
    line.values.forEach((value, i) => {
        if (value.kind !== "mode" || values[i] === null) return;
        const label = (value.labels || []).find((entry) => entry.value === values[i]);
        words.push(`${value.name} ${label ? label.text : values[i]}`);
    });
    return words.join(", ") || "all calls";
}

// The model of a method for the modes `values`, with its curves; null: there is none.
export function modelOf(page, line, values) {
    if (line.models < 0) return null;
    const method = page.documents.model.methods[line.models];
    const at = method.models.findIndex((model) =>
        line.values.every((value, i) => value.kind !== "mode" || values[i] === null || model.modes[value.name] === values[i]));
    return at < 0 ? null : { model: method.models[at], curves: page.curves[line.models][at], method };
}
