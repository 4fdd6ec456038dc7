// SPDX-License-Identifier: BSD-3-Clause
// flame.js: time by calling context, the callers above their callees.
import { clear, h, hash, onWidth, s, section } from "./dom.js";
import { count, middle, percent, plural, time } from "./format.js";

const ROW = 22, LETTER = 6.6, LEAST = 0.8;
const DEEP = 100; // levels below the one that is enlarged: deep recursion goes on when its last part is pressed

function tree(page) {
    const { contexts } = page;
    const nodes = contexts.parent.map((parent, i) => {
        const method = contexts.method[i] < 0 ? null : page.methods[contexts.method[i]];
        return {
            i, parent, method, index: contexts.method[i], name: method ? method.name : contexts.names[i],
            kind: method ? method.class : "", calls: contexts.calls[i], exclusive: contexts.exclusive_ns[i], total: contexts.inclusive_ns[i], below: [],
        };
    });
    const roots = [];
    for (const node of nodes) (node.parent < 0 ? roots : nodes[node.parent].below).push(node);
    const all = { i: -1, name: "all", parent: -1, method: null, index: -1, calls: 0, exclusive: 0, total: roots.reduce((sum, node) => sum + node.total, 0), below: roots, kind: "" };
    return roots.length === 1 ? roots[0] : all;
}

export function flame(page, shared) {
    const root = tree(page), holder = h("div", { class: "flame" }), about = h("p", { class: "facts", id: "flame-about", "aria-live": "polite" }, " ");
    // Colours by class, or by name where classes are few.
    const few = new Set(page.lines.map((line) => line.class)).size < 3;
    let top = root, words = "";

    const say = (node) => clear(about, document.createTextNode(
        `${node.name}${node.kind ? ` (${node.kind})` : ""}: ${time(node.total)}, ${percent(node.total / (root.total || 1))}; exclusive ${time(node.exclusive)}; ${plural(node.calls, "call")}`));

    function draw() {
        const width = holder.clientWidth || 300, rects = [];
        let depth = 0;
        const path = [];
        for (let node = top; node && node !== root; node = parentOf(node)) path.unshift(node);
        if (top !== root) path.unshift(root);
        path.splice(1, Math.max(0, path.length - 12)); // the root, and the nearest callers
        path.forEach((node, i) => { if (node !== top) rects.push([node, 0, width, i]); });
        const base = Math.max(0, path.length - 1);
        const stack = [[top, 0, width, base]];
        while (stack.length) {
            const [node, x, w, level] = stack.pop();
            rects.push([node, x, w, level]);
            depth = Math.max(depth, level);
            let left = x;
            for (const child of node.below) {
                const size = node.total > 0 ? (w * Math.max(0, child.total)) / node.total : 0;
                if (size >= LEAST && level - base < DEEP) stack.push([child, left, size, level + 1]);
                left += size;
            }
        }
        const svg = s("svg", { width, height: (depth + 1) * ROW, role: "img", "aria-label": "flame graph" });
        for (const [node, x, w, level] of rects) {
            const letters = Math.floor((w - 6) / LETTER);
            const found = words && node.name.toLowerCase().includes(words);
            const group = s("g", { class: `part c${node.method ? hash(few ? node.name : node.kind) % 7 : "x"}${words ? (found ? " found" : " dim") : ""}`, "data-context": node.i, tabindex: w > 20 ? 0 : null },
                s("title", {}, `${node.name}\n${time(node.total)}, ${count(node.calls)} calls`),
                s("rect", { x: x + 0.5, y: level * ROW + 0.5, width: Math.max(0.5, w - 1), height: ROW - 1 }),
                letters > 2 ? s("text", { x: x + 4, y: level * ROW + 15 }, middle(node.name, letters)) : null);
            group.addEventListener("click", () => {
                top = node;
                say(node);
                if (node.method) shared.pick(node.index, false);
                draw();
            });
            group.addEventListener("pointerenter", () => say(node));
            svg.append(group);
        }
        clear(holder, svg);
    }
    const byId = new Map();
    for (const stack = [root]; stack.length;) {
        const node = stack.pop();
        byId.set(node.i, node);
        for (const child of node.below) stack.push(child);
    }
    const parentOf = (node) => (node === root ? null : byId.get(node.parent) || root);
    onWidth(holder, draw);
    const search = h("input", { type: "search", placeholder: "Find in the flame graph", "aria-label": "Find in the flame graph", oninput: (event) => { words = event.target.value.toLowerCase(); draw(); } });
    const left = page.contexts.left_out ? ` Contexts with less than ${time(page.contexts.least_ns)} are left out.` : "";
    return section("flame", "Flame graph", `Width: time of a method with all it called. Press a part to enlarge it.${left}`,
        h("div", { class: "choices" }, search, h("button", { type: "button", onclick: () => { top = root; draw(); } }, "whole")), about, holder);
}
