// SPDX-License-Identifier: BSD-3-Clause
// more.js: documents of other verbs (--with). A verb whose document deserves a panel of its own has one
// in `panels`; all others are shown as they are: facts, and a table for each list.
import { h, section } from "./dom.js";
import { amount, percent, time } from "./format.js";
import { table } from "./table.js";

const panels = new Map();

// A panel for documents of "mastermind/VERB/1": show(document) returns children of a section.
export const register = (verb, title, show) => panels.set(verb, { title, show });

const words = (key) => key.replace(/_ns$|_s$/, "").replaceAll("_", " ");
function text(key, value) {
    if (value === null || value === undefined) return "";
    if (typeof value === "number") return key.endsWith("_ns") ? time(value) : key.endsWith("_s") ? time(value * 1e9) : key.endsWith("share") ? percent(value) : amount(value);
    return typeof value === "object" ? JSON.stringify(value) : String(value);
}

// Members of members become columns: {a: {b: 1}} is {"a b": 1}.
function flat(row, before = "", into = Object.create(null)) {
    for (const [key, value] of Object.entries(row)) {
        if (value !== null && typeof value === "object" && !Array.isArray(value) && before.split(" ").length < 3) flat(value, `${before}${key} `, into);
        else into[before + key] = value;
    }
    return into;
}

function listTable(list) {
    const rows = list.map((item) => (item !== null && typeof item === "object" && !Array.isArray(item) ? flat(item) : { value: item }));
    const keys = [...new Set(rows.flatMap((row) => Object.keys(row)))].slice(0, 24);
    const left = new Set(keys.filter((key) => rows.some((row) => row[key] !== undefined && typeof row[key] !== "number")));
    return table({
        rows,
        columns: keys.map((key) => ({
            key, title: words(key), left: left.has(key), value: (row) => (typeof row[key] === "object" && row[key] !== null ? JSON.stringify(row[key]) : row[key] ?? (left.has(key) ? "" : null)),
            text: (value) => text(key, value),
        })),
    }).element;
}

function plain(value, depth = 0) {
    const facts = [], parts = [];
    for (const [key, member] of Object.entries(value)) {
        if (key === "schema") continue;
        if (Array.isArray(member)) parts.push(h("details", { open: depth < 1 }, h("summary", {}, `${words(key)} (${member.length})`), member.length ? listTable(member) : null));
        else if (member !== null && typeof member === "object") parts.push(h("details", {}, h("summary", {}, words(key)), depth < 5 ? plain(member, depth + 1) : JSON.stringify(member)));
        else facts.push(h("dt", {}, words(key)), h("dd", {}, text(key, member)));
    }
    return [facts.length ? h("dl", { class: "call" }, facts) : null, ...parts].flat();
}

export function more(page) {
    return (page.more || []).map((document, i) => {
        const verb = String(document.schema).split("/")[1] || String(document.schema);
        const panel = panels.get(verb);
        return section(`more-${i}`, panel ? panel.title : words(verb), panel ? null : `The document ${document.schema}.`, panel ? panel.show(document) : plain(document));
    });
}
