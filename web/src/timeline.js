// SPDX-License-Identifier: BSD-3-Clause
// timeline.js: the outermost calls of each thread and rank over time, and the calls in them.
import { SERIES, clear, h, onWidth, s, section } from "./dom.js";
import { count, evenTicks, middle, percent, plural, time } from "./format.js";

const NUMBERS = 7; // of a bar in the document: mastermind/page/timeline_json.c
const FEW = 48; // threads at first
const LETTER = 6.6, GAP = 4, AXIS = 20;

function barsOf(thread) {
    const bars = [];
    for (let i = 0; i < thread.bars.length; i += NUMBERS) {
        const [start, width, level, method, calls, covered, mpi] = thread.bars.slice(i, i + NUMBERS);
        bars.push({ start, width, level, method, calls, covered: covered / 100, mpi: mpi / 100 });
    }
    return bars;
}

export function timeline(page, shared) {
    const line = page.timeline;
    if (!line) return null;
    const span = Math.max(1, (line.end_ns - line.start_ns) / line.unit_ns);
    const threads = line.threads.map((thread) => ({ ...thread, bars: barsOf(thread) }));
    const several = new Set(threads.map((thread) => thread.rank)).size > 1;
    const perRank = new Map();
    for (const thread of threads) perRank.set(thread.rank, (perRank.get(thread.rank) || 0) + 1);
    const label = (thread) => (several ? `rank ${thread.rank}${perRank.get(thread.rank) > 1 ? `.${thread.thread}` : ""}` : `thread ${thread.thread}`);
    // Colours by class, or by name where classes are few; those with most time differ.
    const few = new Set(page.lines.map((method) => method.class)).size < 3, kind = (method) => (few ? method.name : method.class);
    const kinds = [...new Set([...page.lines].sort((a, b) => b.inclusive_ns - a.inclusive_ns).map(kind))];
    const holder = h("div", { class: "timeline" }), more = h("p", { class: "note" });
    const about = h("p", { class: "facts", id: "timeline-about", "aria-live": "polite" }, " ");
    let shown = FEW;

    const say = (thread, bar) => clear(about, document.createTextNode(
        `${page.methods[bar.method].name}, ${label(thread)}: ${bar.calls > 1 ? `most of ${plural(bar.calls, "short call")}, ${percent(bar.covered)} of ` : ""}`
        + `${time(bar.width * line.unit_ns)} from ${time(line.start_ns + bar.start * line.unit_ns)} on${bar.mpi ? `; ${percent(bar.mpi)} of it in MPI` : ""}`));

    function drawBar(svg, thread, bar, box) {
        const name = page.methods[bar.method].name, letters = Math.floor((box.width - 6) / LETTER);
        const group = s("g", { class: `bar c${kinds.indexOf(kind(page.methods[bar.method])) % SERIES}`, "data-method": bar.method },
            s("title", {}, `${name}\n${plural(bar.calls, "call")}, ${time(bar.width * line.unit_ns)}`),
            s("rect", { x: box.x, y: box.y, width: box.width, height: box.height, style: `fill-opacity:${0.15 + 0.45 * bar.covered}` }),
            bar.mpi > 0.01 && box.width < 60 ? s("rect", { class: "in-mpi", x: box.x, y: box.y + box.height - 3, width: box.width * bar.mpi, height: 3 }) : null,
            letters > 3 && box.height > 10 ? s("text", { x: box.x + 3, y: box.y + box.height - 4 }, middle(name.split(".").pop(), letters)) : null);
        group.addEventListener("pointerenter", () => say(thread, bar));
        group.addEventListener("click", () => {
            say(thread, bar);
            shared.pick(bar.method, false);
        });
        svg.append(group);
    }
    function draw(width) {
        const list = threads.slice(0, shown), left = 8 + LETTER * Math.max(...list.map((thread) => label(thread).length));
        const lane = list.length > 24 ? 6 : list.length > 8 ? 11 : 16, room = Math.max(50, width - left - 2), tops = [];
        let height = 0;
        for (const thread of list) {
            tops.push(height);
            height += (1 + Math.max(0, ...thread.bars.map((bar) => bar.level))) * lane + GAP;
        }
        const svg = s("svg", { width, height: height + AXIS, role: "img", "aria-label": "timeline of threads and ranks" });
        list.forEach((thread, i) => {
            const bottom = i + 1 < list.length ? tops[i + 1] : height;
            svg.append(s("rect", { class: "lane", x: left, y: tops[i], width: room, height: bottom - tops[i] - GAP }),
                s("text", { x: left - 6, y: tops[i] + Math.max(9, lane - 3), "text-anchor": "end" }, label(thread)));
            for (const bar of thread.bars)
                drawBar(svg, thread, bar, { x: left + (bar.start / span) * room, y: tops[i] + bar.level * lane, width: Math.max(0.4, (bar.width / span) * room - 0.2), height: lane - 1 });
        });
        for (const tick of evenTicks(line.start_ns, line.end_ns)) {
            const x = left + ((tick - line.start_ns) / (line.end_ns - line.start_ns)) * room;
            svg.append(s("line", { x1: x, x2: x, y1: height - GAP, y2: height + 4 }), s("text", { x: Math.min(x, left + room - 24), y: height + 16, "text-anchor": "middle" }, time(tick)));
        }
        clear(holder, svg);
        clear(more, threads.length > shown ? h("button", { type: "button", onclick: () => { shown = threads.length; draw(holder.clientWidth); mark(shared.picked); } }, `Show all ${plural(threads.length, "thread")}`) : null);
    }
    function mark(index) {
        for (const bar of holder.querySelectorAll("g.bar")) bar.classList.toggle("picked", bar.dataset.method === String(index));
    }
    onWidth(holder, (width) => {
        draw(width);
        mark(shared.picked);
    });
    shared.watch(mark);
    const note = `The outermost calls of ${several ? "ranks" : "threads"} over time, and the calls in them; calls shorter than ${time(line.resolution_ns)} share a bar, paler where less of it is in calls.`
        + `${threads.some((thread) => thread.bars.some((bar) => bar.mpi > 0.01)) ? " Dark below: the part in MPI." : ""}`
        + `${line.summed ? ` ${plural(line.summed, "call")} kept as sums ${line.summed === 1 ? "has" : "have"} no place in it.` : ""}`
        + `${line.left_out ? ` ${plural(line.left_out, "thread")} left out.` : ""}`;
    return section("timeline", "Timeline", note, about, holder, more);
}
