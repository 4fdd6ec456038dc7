// SPDX-License-Identifier: BSD-3-Clause
// graph.js: the assembly as it was built, and who called whom as it was measured.
import dagre from "@dagrejs/dagre";
import { choice, clear, h, onWidth, s, section } from "./dom.js";
import { count, middle, percent, plural, time } from "./format.js";

const LEAST_SCALE = 0.7; // letters stay legible
const LETTER = 7.4, LINE = 17;
const FEWER = [40, 28, 20, 14, 10, 7, 5]; // boxes, until they fit
const short = (text) => middle(text, innerWidth < 900 ? 24 : 34);

// A picture: nodes {id, lines, share, title, pick}, edges {from, to, label, weight, title}.
function dual(page, most) {
    const { graph } = page.documents;
    const called = page.methods.filter((method) => method.called);
    const all = graph.vertices.filter((vertex) => vertex.calls || vertex.instance === undefined);
    const kept = [...all].sort((a, b) => (b.instance === undefined) - (a.instance === undefined) || b.inclusive_ns - a.inclusive_ns).slice(0, most);
    const ids = new Set(kept.map((vertex) => vertex.id));
    const edges = graph.edges.filter((edge) => ids.has(edge.caller) && ids.has(edge.callee));
    const used = new Set(edges.flatMap((edge) => [edge.caller, edge.callee]));
    const longest = Math.max(1, ...edges.map((edge) => edge.inclusive_ns));
    return {
        left_out: all.length - kept.length,
        nodes: kept.filter((vertex) => vertex.instance !== undefined || used.has(vertex.id)).map((vertex) => ({
            id: String(vertex.id),
            lines: vertex.instance === undefined ? [vertex.name] : [short(vertex.name), short(vertex.class), `${percent(vertex.share)}  ${time(vertex.exclusive_ns)}`],
            share: vertex.instance === undefined ? null : vertex.share,
            title: vertex.instance === undefined ? vertex.name : `${vertex.name}\n${vertex.class}\n${plural(vertex.calls, "call")}\nexclusive ${time(vertex.exclusive_ns)}\ninclusive ${time(vertex.inclusive_ns)}`,
            pick: vertex.instance === undefined ? null : vertex.id,
        })),
        edges: edges.map((edge) => ({
            from: String(edge.caller), to: String(edge.callee), label: count(edge.calls), weight: edge.inclusive_ns / longest,
            title: `${plural(edge.calls, "call")}\n${time(edge.inclusive_ns)}`,
        })),
        called,
    };
}

function wiring(page, most) {
    const { instances, connections } = page.wiring, total = page.documents.report.total_ns || 1;
    const sums = new Map();
    for (const line of page.lines) {
        const sum = sums.get(line.instance) || { ns: 0, calls: 0, best: null };
        sum.ns += line.exclusive_ns;
        sum.calls += line.calls;
        if (!sum.best || line.exclusive_ns > sum.best.exclusive_ns) sum.best = line;
        sums.set(line.instance, sum);
    }
    const kept = [...instances].sort((a, b) => (sums.get(b.name)?.ns || 0) - (sums.get(a.name)?.ns || 0)).slice(0, most);
    const names = new Set(kept.map((instance) => instance.name));
    const rows = new Map(); // two instances may be connected more than once
    for (const c of connections) {
        if (!names.has(c.user) || !names.has(c.provider)) continue;
        const key = JSON.stringify([c.user, c.provider]);
        rows.set(key, [...(rows.get(key) || []), c]);
    }
    return {
        left_out: instances.length - kept.length,
        nodes: kept.map((instance) => {
            const sum = sums.get(instance.name);
            return {
                id: instance.name,
                lines: [short(instance.name), short(instance.class), sum ? `${percent(sum.ns / total)}  ${time(sum.ns)}` : "not measured"],
                share: sum ? sum.ns / total : null,
                title: `${instance.name}\n${instance.class}\nprovides: ${instance.provides.map((port) => `${port.name} (${port.type})`).join(", ") || "nothing"}\nuses: ${instance.uses.map((port) => `${port.name} (${port.type})`).join(", ") || "nothing"}`,
                pick: sum ? sum.best.index : null, instance: instance.name,
            };
        }),
        edges: [...rows.values()].map((list) => ({
            from: list[0].user, to: list[0].provider, weight: 0.2,
            label: list.length > 2 ? `${list.length} ports` : list.map((c) => short(c.provides)).join(", "),
            title: list.map((c) => `${c.user}.${c.uses} uses ${c.provider}.${c.provides}`).join("\n"),
        })),
    };
}

function place(picture, across) {
    const graph = new dagre.graphlib.Graph({ multigraph: true });
    graph.setGraph({ rankdir: across ? "LR" : "TB", nodesep: 24, ranksep: 46, marginx: 12, marginy: 12 });
    graph.setDefaultEdgeLabel(() => ({}));
    for (const node of picture.nodes)
        graph.setNode(node.id, { node, width: Math.max(...node.lines.map((line) => line.length)) * LETTER + 20, height: node.lines.length * LINE + 14 });
    picture.edges.forEach((edge, i) => graph.setEdge(edge.from, edge.to, { edge, width: edge.label.length * LETTER, height: 14, labelpos: "c" }, String(i)));
    dagre.layout(graph);
    return graph;
}

function path(points) {
    let text = `M${points[0].x},${points[0].y}`;
    for (let i = 1; i < points.length - 1; i++) {
        const middle = i === points.length - 2 ? points[i + 1] : { x: (points[i].x + points[i + 1].x) / 2, y: (points[i].y + points[i + 1].y) / 2 };
        text += `Q${points[i].x},${points[i].y} ${middle.x},${middle.y}`;
    }
    return points.length === 2 ? `${text}L${points[1].x},${points[1].y}` : text;
}

function drawNode(at, shared) {
    const { node } = at, left = at.x - at.width / 2, top = at.y - at.height / 2;
    const group = s("g", { class: `node${node.pick !== null && node.pick !== undefined ? " live" : ""}`, "data-pick": node.pick, "data-instance": node.instance, tabindex: node.pick === null ? null : 0 },
        s("title", {}, node.title),
        s("rect", { x: left, y: top, width: at.width, height: at.height, rx: 6, class: node.lines.length > 1 ? "box" : "word" }));
    if (node.share !== null)
        group.append(s("rect", { x: left + 6, y: top + at.height - 8, width: Math.max(0, Math.min(1, node.share)) * (at.width - 12), height: 4, class: "share" }));
    node.lines.forEach((line, i) => group.append(s("text", { x: at.x, y: top + 18 + i * LINE - (node.lines.length > 1 ? 1 : 0), "text-anchor": "middle", class: i ? "more" : "name" }, line)));
    if (node.pick !== null && node.pick !== undefined) {
        group.addEventListener("click", () => shared.pick(node.pick, true));
        group.addEventListener("keydown", (event) => event.key === "Enter" && shared.pick(node.pick, true));
    }
    return group;
}

// Makes a drawing larger and smaller in a frame that scrolls; a mouse drags it, too.
function moving(frame, svg, width, height) {
    const fit = () => Math.min(1.1, (frame.clientWidth || 600) / width);
    let scale = Math.max(fit(), LEAST_SCALE);
    function size(to, x = 0.5, y = 0) {
        const at = [(frame.scrollLeft + x * frame.clientWidth) / scale, (frame.scrollTop + y * frame.clientHeight) / scale];
        scale = Math.min(4, Math.max(0.1, to));
        svg.setAttribute("width", width * scale);
        svg.setAttribute("height", height * scale);
        frame.scrollTo(at[0] * scale - x * frame.clientWidth, at[1] * scale - y * frame.clientHeight);
    }
    let held = null;
    frame.addEventListener("pointerdown", (event) => { if (event.pointerType === "mouse") held = event; });
    addEventListener("pointerup", () => { held = null; });
    frame.addEventListener("pointermove", (event) => {
        if (!held) return;
        frame.scrollBy(held.clientX - event.clientX, held.clientY - event.clientY);
        held = event;
    });
    frame.addEventListener("wheel", (event) => {
        if (!event.ctrlKey) return;
        event.preventDefault();
        size(scale * (event.deltaY > 0 ? 1 / 1.15 : 1.15), 0.5, 0.5);
    }, { passive: false });
    svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    return {
        by: (factor) => size(scale * factor, 0.5, 0.5),
        fit: () => size(fit()),
        begin(x) { // with the place x in the middle
            size(Math.max(fit(), LEAST_SCALE));
            frame.scrollTo(x * scale - frame.clientWidth / 2, 0);
        },
    };
}

// Places the boxes, from the left or from above, whichever is larger in the room that there is.
function fitting(picture, room, name) {
    const sizeOf = (graph) => Math.min(1.1, room / graph.graph().width, (1.6 * innerHeight) / graph.graph().height);
    const [first, second] = [place(picture, name === "wiring"), place(picture, name !== "wiring")];
    return sizeOf(second) > 1.1 * sizeOf(first) ? { graph: second, scale: sizeOf(second) } : { graph: first, scale: sizeOf(first) };
}

function draw(picture, graph, shared, name) {
    const { width, height } = graph.graph();
    const svg = s("svg", { class: "picture", role: "img", "aria-label": name, "data-picture": name },
        s("defs", {}, s("marker", { id: `tip-${name}`, viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 8, markerHeight: 8, markerUnits: "userSpaceOnUse", orient: "auto" }, s("path", { d: "M0,0L8,4L0,8z", class: "tip" }))));
    for (const key of graph.edges()) {
        const at = graph.edge(key), { edge } = at;
        svg.append(s("g", { class: "edge" }, s("title", {}, edge.title),
            s("path", { d: path(at.points), "stroke-width": 1 + 4 * edge.weight, "marker-end": `url(#tip-${name})` }),
            edge.label ? s("text", { x: at.x, y: at.y + 4, "text-anchor": "middle" }, edge.label) : null));
    }
    for (const id of graph.nodes()) svg.append(drawNode(graph.node(id), shared));
    const frame = h("div", { class: "frame", tabindex: 0 }, svg), move = moving(frame, svg, width, height);
    const top = Math.min(...graph.nodes().map((id) => graph.node(id).y)), first = graph.nodes().map((id) => graph.node(id)).find((node) => node.y === top);
    const buttons = h("div", { class: "choice" },
        h("button", { type: "button", "aria-label": "larger", onclick: () => move.by(1.3) }, "+"),
        h("button", { type: "button", "aria-label": "smaller", onclick: () => move.by(1 / 1.3) }, "−"),
        h("button", { type: "button", onclick: move.fit }, "whole"));
    return { parts: [buttons, frame], begin: () => move.begin(first ? first.x : 0) };
}

export function drawings(page, shared) {
    const holder = h("div"), note = h("p", { class: "note" });
    let which = "dual", most = 0; // 0: as many as fit

    function fit() {
        const make = (count) => (which === "dual" ? dual(page, count) : wiring(page, count));
        if (most) {
            const picture = make(most);
            return { picture, ...fitting(picture, holder.clientWidth, which) };
        }
        for (const count of FEWER) {
            const picture = make(count), found = { picture, ...fitting(picture, holder.clientWidth, which) };
            if (found.scale >= LEAST_SCALE || count === FEWER.at(-1)) return found;
        }
    }
    function show() {
        const { picture, graph } = fit();
        clear(note, picture.left_out
            ? [document.createTextNode(`${plural(picture.left_out, "box")} with the least time left out. `.replace("boxs", "boxes")), h("button", { type: "button", onclick: () => { most = 3 * picture.nodes.length; show(); } }, "Show more")]
            : []);
        const drawn = draw(picture, graph, shared, which);
        clear(holder, drawn.parts);
        drawn.begin();
        mark(shared.picked);
    }
    function mark(index) {
        for (const node of holder.querySelectorAll("g.node")) node.classList.toggle("picked", node.dataset.pick === String(index) || (index !== null && node.dataset.instance === page.byIndex.get(index).instance));
    }
    shared.watch(mark);
    const kinds = [["dual", "as measured: who called whom"], ...(page.wiring && page.wiring.connections.length ? [["wiring", "as built: the wiring"]] : [])];
    const made = section("drawings", "Drawings", "Press a box to see its calls. Drag to move.",
        kinds.length > 1 ? choice("drawing", kinds, which, (key) => { which = key; most = 0; show(); }) : null, holder, note);
    onWidth(holder, show);
    return made;
}
