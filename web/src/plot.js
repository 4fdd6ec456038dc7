// SPDX-License-Identifier: BSD-3-Clause
// plot.js: densities, curves with bands and single calls over one axis; cost is on y, in ns.
import uPlot from "uplot";
import { clear, color, h, seriesColor } from "./dom.js";
import { evenTicks, logTicks, amount, time } from "./format.js";

const PICK_PIXELS = 22;
const DASHES = [[], [9, 4], [3, 3], [14, 4, 3, 4]]; // told apart without colours, too
const pad = (low, high, log) => {
    if (log) {
        const room = Math.max(1.05, (high / low) ** 0.04);
        return [low / room, high * room];
    }
    const room = (high - low) * 0.02 || 1;
    return [low - room, high + room];
};

function extent(values) {
    let low = Infinity, high = -Infinity;
    for (const value of values) {
        if (value === null || !isFinite(value)) continue;
        low = Math.min(low, value);
        high = Math.max(high, value);
    }
    return [low, high];
}

// Where it is drawn: values [low, high] of both axes that all calls and curves need.
function limits(series, log) {
    const xs = [], ys = [];
    for (const one of series) {
        for (const [x0, x1, y0, y1] of one.cells) {
            xs.push(x0, x1);
            ys.push(y0, y1);
        }
        if (one.curve) {
            xs.push(...one.curve.x);
            ys.push(...one.curve.typ);
        }
    }
    let [xl, xh] = extent(xs), [yl, yh] = extent(ys.filter((y) => y > 0));
    if (!isFinite(xl)) [xl, xh] = log ? [1, 10] : [0, 1];
    if (!isFinite(yl)) [yl, yh] = [1, 10];
    if (yh / yl < 1.2) [yl, yh] = [yl / 1.1, yh * 1.1];
    return [pad(xl, xh, log), pad(yl, yh, true)];
}

function drawCells(u, one, most) {
    const { ctx } = u, box = u.bbox;
    ctx.save();
    ctx.beginPath();
    ctx.rect(box.left, box.top, box.width, box.height);
    ctx.clip();
    ctx.fillStyle = one.color;
    const least = 2.5 * devicePixelRatio;
    for (const [x0, x1, y0, y1, calls] of one.cells) {
        const left = u.valToPos(x0, "x", true), right = u.valToPos(x1, "x", true);
        const top = u.valToPos(y1, "y", true), bottom = u.valToPos(y0, "y", true);
        const width = Math.max(least, right - left), height = Math.max(least, bottom - top);
        ctx.globalAlpha = 0.18 + 0.72 * Math.log1p(calls) / Math.log1p(most);
        ctx.fillRect((left + right - width) / 2, (top + bottom - height) / 2, width, height);
    }
    ctx.restore();
}

function drawCalls(u, calls, picked) {
    const { ctx } = u;
    ctx.save();
    ctx.beginPath();
    ctx.rect(u.bbox.left, u.bbox.top, u.bbox.width, u.bbox.height);
    ctx.clip();
    ctx.lineWidth = devicePixelRatio;
    for (const call of calls) {
        const x = u.valToPos(call.x, "x", true), y = u.valToPos(call.y, "y", true);
        const size = (call === picked ? 6 : call.slow ? 3 : 1.6) * devicePixelRatio;
        ctx.strokeStyle = color(call === picked ? "pick" : "ink");
        ctx.globalAlpha = call === picked ? 1 : 0.55;
        ctx.lineWidth = (call === picked ? 2.5 : 1) * devicePixelRatio;
        ctx.beginPath();
        ctx.arc(x, y, size, 0, 2 * Math.PI);
        ctx.stroke();
    }
    ctx.restore();
}

// uPlot wants one x for all series: curves side by side with gaps.
function columns(series) {
    const tables = [], shape = [];
    for (const one of series)
        if (one.curve) {
            const c = one.curve;
            const low = c.low.map((y) => (y > 0 ? y : null)), fitLow = c.fit_low.map((y) => (y > 0 ? y : null));
            tables.push([c.x, c.typ, low, c.high, fitLow, c.fit_high]);
            shape.push(one);
        }
    return { data: tables.length ? uPlot.join(tables) : [[1, 2]], shape };
}

/* series: [{name, color, cells, curve}], calls: [{x, y, slow, ...}]; `pick(call)` gets the one that was
 * pressed. Returns {element, draw, destroy}. */
export function plot({ series, calls, log, xLabel, pick, height }) {
    const frame = h("div", { class: "plot" });
    const { data, shape } = columns(series);
    const [xRange, yRange] = limits(series, log);
    const most = Math.max(1, ...series.flatMap((one) => one.cells.map((cell) => cell[4])));
    let u = null, picked = null, view = null; // what has been zoomed to
    const lines = [{}], bands = [];
    shape.forEach((one, i) => {
        const at = 1 + 5 * i, plain = { stroke: "transparent", width: 0, points: { show: false }, spanGaps: true };
        lines.push({ stroke: one.color, width: 2.5, dash: DASHES[i % DASHES.length], points: { show: one.curve.x.length < 2 }, spanGaps: true, label: one.name }, { ...plain }, { ...plain }, { ...plain }, { ...plain });
        bands.push({ series: [at + 2, at + 1], fill: `${one.color}22` }, { series: [at + 4, at + 3], fill: `${one.color}44` });
    });
    const axis = { stroke: color("ink"), grid: { stroke: color("grid"), width: 1 }, ticks: { stroke: color("grid"), width: 1 }, font: "12px system-ui, sans-serif", filter: (_, splits) => splits };
    const options = {
        width: 600, height: height || 360, series: lines, bands,
        legend: { show: false },
        cursor: { drag: { x: true, y: true, uni: 20, setScale: false }, points: { show: false }, bind: { dblclick: () => () => zoom(null) } },
        scales: {
            x: { time: false, distr: log ? 3 : 1, range: () => (view ? view[0] : xRange) },
            y: { distr: 3, range: () => (view ? view[1] : yRange) },
        },
        axes: [
            { ...axis, label: xLabel, labelSize: 22, splits: (v, i, low, high) => (log ? logTicks(low, high) : evenTicks(low, high)), values: (_, splits) => splits.map(amount) },
            { ...axis, size: 64, splits: (v, i, low, high) => logTicks(low, high), values: (_, splits) => splits.map(time) },
        ],
        hooks: {
            drawAxes: [(v) => series.forEach((one) => drawCells(v, one, most))],
            draw: [(v) => drawCalls(v, calls, picked)],
            setSelect: [(v) => {
                const { left, top, width, height: high } = v.select;
                if (width < 3 && high < 3) return;
                zoom([[v.posToVal(left, "x"), v.posToVal(left + width, "x")], [v.posToVal(top + high, "y"), v.posToVal(top, "y")]]);
                v.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
            }],
        },
    };
    function zoom(to) {
        view = to;
        u.batch(() => ["x", "y"].forEach((key, i) => {
            const [min, max] = view ? view[i] : i ? yRange : xRange;
            u.setScale(key, { min, max });
        }));
    }
    function nearest(x, y) {
        let best = null, least = PICK_PIXELS ** 2;
        for (const call of calls) {
            const d = (u.valToPos(call.x, "x") - x) ** 2 + (u.valToPos(call.y, "y") - y) ** 2;
            if (d < least) [best, least] = [call, d];
        }
        return best;
    }
    function press(event) {
        const box = u.over.getBoundingClientRect();
        picked = nearest(event.clientX - box.left, event.clientY - box.top);
        u.redraw(false, false);
        pick(picked);
    }
    function draw() {
        const width = frame.clientWidth;
        if (!width) return;
        if (u) u.destroy();
        clear(frame);
        u = new uPlot({ ...options, width }, data, frame);
        u.over.addEventListener("click", press);
        frame.plot = u;
    }
    const watch = new ResizeObserver(() => {
        if (!u || u.width !== frame.clientWidth) draw();
    });
    watch.observe(frame);
    return { element: frame, draw, calls, destroy: () => { watch.disconnect(); if (u) u.destroy(); } };
}

export const legend = (series) => h("ul", { class: "legend" }, series.map((one) => {
    const mark = h("i");
    mark.style.background = one.color;
    return h("li", {}, mark, one.name, one.note ? h("small", {}, one.note) : null);
}));
export { seriesColor };
