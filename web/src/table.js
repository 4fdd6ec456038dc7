// SPDX-License-Identifier: BSD-3-Clause
// table.js: tables that are sorted by a press on a heading.
//
// A column: {key, title, value(row), text(value, row), left, minor, bar, hint}. `minor` columns are
// left out on narrow screens; `bar` (0..1 of a row) draws a bar behind the text.
import { createTable, getCoreRowModel, getFilteredRowModel, getSortedRowModel } from "@tanstack/table-core";
import { clear, h, name } from "./dom.js";
import { plural } from "./format.js";

const FIRST = 40; // rows shown before somebody asks for more

function cell(column, row) {
    const value = column.value(row);
    const text = column.text ? column.text(value, row) : value;
    const td = h("td", { class: `${column.left ? "left" : ""} ${column.minor ? "minor" : ""}` }, column.left && column.key !== "formula" && typeof text === "string" ? name(text) : h("span", {}, text));
    if (column.bar) {
        const bar = h("i", { class: "bar" });
        bar.style.width = `${Math.max(0, Math.min(1, column.bar(row) || 0)) * 100}%`;
        td.prepend(bar);
        td.classList.add("with-bar");
    }
    return td;
}

export function table({ id, columns, rows, sort, pick, key, filter }) {
    const body = h("tbody");
    const head = h("tr");
    const more = h("p", { class: "note" });
    let shown = FIRST, state = { sorting: sort ? [sort] : [], globalFilter: "" }, picked = null;
    const model = createTable({
        data: rows,
        columns: columns.map((column) => ({
            id: column.key,
            accessorFn: (row) => column.value(row),
            sortingFn: (a, b, columnId) => {
                const [left, right] = [a.getValue(columnId), b.getValue(columnId)];
                return typeof left === "string" || typeof right === "string"
                    ? String(left).localeCompare(String(right), "en", { numeric: true })
                    : (left ?? -Infinity) - (right ?? -Infinity);
            },
            sortDescFirst: !column.left,
        })),
        state: { columnPinning: { left: [], right: [] }, ...state },
        globalFilterFn: (row, columnId, words) => String(row.getValue(columnId)).toLowerCase().includes(words.toLowerCase()),
        getColumnCanGlobalFilter: () => true,
        getCoreRowModel: getCoreRowModel(),
        getSortedRowModel: getSortedRowModel(),
        getFilteredRowModel: getFilteredRowModel(),
        onStateChange: (update) => {
            state = typeof update === "function" ? update(model.getState()) : update;
            model.setOptions((before) => ({ ...before, state }));
            draw();
        },
        renderFallbackValue: "",
        enableSortingRemoval: false,
    });
    model.setOptions((before) => ({ ...before, state: { ...model.initialState, ...state } }));

    for (const column of columns) {
        const button = h("button", { type: "button", onclick: () => model.getColumn(column.key).toggleSorting() }, column.title);
        head.append(h("th", { scope: "col", "data-key": column.key, class: `${column.left ? "left" : ""} ${column.minor ? "minor" : ""}`, title: column.hint }, button));
    }
    function draw() {
        const all = model.getRowModel().rows;
        const sorting = model.getState().sorting[0];
        for (const th of head.children)
            th.setAttribute("aria-sort", !sorting || sorting.id !== th.dataset.key ? "none" : sorting.desc ? "descending" : "ascending");
        clear(body, all.slice(0, shown).map(({ original }) => {
            const tr = h("tr", {}, columns.map((column) => cell(column, original)));
            if (pick) {
                tr.tabIndex = 0;
                tr.dataset.key = key(original);
                tr.setAttribute("aria-selected", picked === key(original) ? "true" : "false");
                tr.addEventListener("click", () => pick(original));
                tr.addEventListener("keydown", (event) => {
                    if (event.key === "Enter" || event.key === " ") {
                        event.preventDefault();
                        pick(original);
                    }
                });
            }
            return tr;
        }));
        clear(more, all.length > shown ? h("button", { type: "button", onclick: () => { shown = all.length; draw(); } }, `Show all ${plural(all.length, "row")}`) : null);
    }
    const search = filter ? h("input", {
        type: "search", placeholder: filter, "aria-label": filter,
        oninput: (event) => model.setGlobalFilter(event.target.value),
    }) : null;
    const element = h("div", {}, search, h("div", { class: "scroll" }, h("table", { id }, h("thead", {}, head), body)), more);
    draw();
    return {
        element,
        select(what) {
            picked = what;
            for (const tr of body.children) tr.setAttribute("aria-selected", tr.dataset.key === what ? "true" : "false");
        },
    };
}
