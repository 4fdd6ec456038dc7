// SPDX-License-Identifier: BSD-3-Clause
// page.mjs PAGE HOSTILE MORE: pages in a browser: they load without errors, sort, pick and zoom. Prints failures.
import { open } from "../lib/browser.mjs";

const [page, hostile, rich] = process.argv.slice(2);
let failures = 0;
function claim(is, words) {
    if (is) return;
    failures++;
    console.log(`FAILED: ${words}`);
}
const quiet = (browser, words) => claim(browser.faults.length === 0, `${words}: ${browser.faults.join("; ")}`);
const column = (browser, n) => browser.run(`[...document.querySelectorAll("#profile-table tbody tr")].map((row) => row.children[${n}].textContent)`);
const doc = "JSON.parse(document.getElementById('document').textContent)";

const wide = await open({ width: 1200, height: 900 });
try {
    await wide.load(`file://${page}`);
    claim(await wide.run("Number(document.documentElement.dataset.ready)") > 0, "the page is ready");
    quiet(wide, "loading");

    // Sorting: the lines are in the order of the numbers of the document, either way.
    const sums = await wide.run(`Object.fromEntries(${doc}.documents.report.methods.map((m) => [m.name, [m.exclusive_ns, m.calls]]))`);
    const order = (names, i) => names.map((name) => sums[name][i]);
    const falls = (values) => values.every((value, i) => !i || values[i - 1] >= value);
    let names = await column(wide, 0);
    claim(names.length === Object.keys(sums).length && falls(order(names, 0)), "the first order is by exclusive time");
    await wide.press('#profile-table th[data-key="calls"] button');
    names = await column(wide, 0);
    claim(falls(order(names, 1)), "a press sorts by calls");
    claim(await wide.run(`document.querySelector('#profile-table th[data-key="calls"]').ariaSort`) === "descending", "aria-sort");
    await wide.press('#profile-table th[data-key="calls"] button');
    claim(falls(order(await column(wide, 0), 1).reverse()), "another press turns the order");
    await wide.press('#profile-table th[data-key="name"] button');
    names = await column(wide, 0);
    claim(names.join() === [...names].sort().join(), "names ascend");

    // Finding
    await wide.run(`(() => { const i = document.querySelector("#profile input"); i.value = "solver"; i.dispatchEvent(new Event("input")); })()`);
    claim((await column(wide, 0)).join() === "solver.s.step", "the filter leaves solver.s.step");
    await wide.run(`(() => { const i = document.querySelector("#profile input"); i.value = ""; i.dispatchEvent(new Event("input")); })()`);

    // Picking a method in the table and in the drawing
    const title = () => wide.run(`document.querySelector("#method h3").textContent`);
    for (const name of names) {
        const at = (await column(wide, 0)).indexOf(name);
        await wide.press("#profile-table tbody tr", at);
        claim(await title() === name, `${name} is picked`);
        claim(await wide.run(`document.querySelector("g.node.picked title").textContent.split("\\n")[0]`) === name, `${name} in the drawing`);
    }
    await wide.press("g.node.live", 0);
    claim(await title() === await wide.run(`document.querySelector("g.node.live title").textContent.split("\\n")[0]`), "a box picks");

    // Picking a call: the slowest one of the axis, whose place the plot itself tells.
    await wide.run(`document.querySelector(".plot").scrollIntoView({ block: "center", behavior: "instant" })`);
    const call = await wide.run(`(() => { const index = ${doc}.methods.findIndex((m) => m.name === document.querySelector("#method h3").textContent);
        const w = ${doc}.calls.find((c) => c.index === index).whole, n = ${doc}.methods[index].values.findIndex((v) => v.name === "n"), i = w.ns.indexOf(Math.max(...w.ns));
        const u = document.querySelector(".plot").plot, b = u.over.getBoundingClientRect();
        return { n: w.in[n][i], invocation: w.invocation[i], x: b.x + u.valToPos(w.in[n][i], "x"), y: b.y + u.valToPos(w.ns[i], "y") }; })()`);
    await wide.pressAt(call.x, call.y);
    const told = await wide.run(`Object.fromEntries([...document.querySelectorAll("#picked dt")].map((d) => [d.textContent, d.nextSibling.textContent]))`);
    claim(told.invocation?.replaceAll(",", "") === String(call.invocation), `the call of invocation ${call.invocation}: ${JSON.stringify(told)}`);

    // Zooming by a drag, and back by a double press
    const scales = () => wide.run(`(() => { const { x, y } = document.querySelector(".plot").plot.scales; return [x.min, x.max, y.min, y.max]; })()`);
    const whole = await scales();
    const [left, top] = await wide.run(`(() => { const b = document.querySelector(".plot").plot.over.getBoundingClientRect(); return [b.x, b.y]; })()`);
    const want = await wide.run(`(() => { const u = document.querySelector(".plot").plot; return [u.posToVal(200, "x"), u.posToVal(500, "x"), u.posToVal(160, "y"), u.posToVal(60, "y")]; })()`);
    const mouse = (type, x, y, more) => wide.send("Input.dispatchMouseEvent", { type, x: left + x, y: top + y, button: "left", clickCount: 1, ...more });
    await mouse("mousePressed", 200, 60);
    for (let i = 1; i <= 10; i++) await mouse("mouseMoved", 200 + 30 * i, 60 + 10 * i, { buttons: 1 });
    await mouse("mouseReleased", 500, 160);
    const zoomed = await scales();
    claim(zoomed.every((value, i) => Math.abs(Math.log(value / want[i])) < 0.05), `a drag zooms: ${zoomed}, expected ${want}`);
    for (const clickCount of [1, 2]) for (const type of ["mousePressed", "mouseReleased"]) await mouse(type, 300, 100, { clickCount });
    claim((await scales()).join() === whole.join(), "a double press shows all again");

    // It opens with findings; a press on a bar of the timeline picks its method.
    claim(await wide.run(`document.querySelector("main section").id`) === "findings", "findings are first");
    const dearest = names.reduce((best, one) => (sums[one][0] > sums[best][0] ? one : best));
    claim((await wide.run(`document.querySelector("#findings li").textContent`)).startsWith(`${dearest} is dearest`), "the dearest method");
    const bars = await wide.run(`document.querySelectorAll("#timeline g.bar").length`);
    claim(bars > 20 && bars <= 3000, `${bars} bars`);
    await wide.run(`document.querySelectorAll("#timeline g.bar")[5].dispatchEvent(new MouseEvent("click"))`);
    claim(await title() === await wide.run(`document.querySelectorAll("#timeline g.bar title")[5].textContent.split("\\n")[0]`), "a bar picks");

    // Other axes and modes, the wiring, the flame graph, the other colours
    const painted = () => wide.run(`(() => { const c = document.querySelector(".plot canvas"), d = c.getContext("2d").getImageData(0, 0, c.width, c.height).data; let n = 0; for (let i = 3; i < d.length; i += 4) n += d[i] > 0; return n; })()`);
    claim(await painted() > 2000, "the plot is drawn");
    for (let i = 0; i < await wide.run(`document.querySelectorAll("#method .choices button").length`); i++) {
        await wide.press("#method .choices button", i);
        claim(await painted() > 1000, `plot ${i} is drawn`);
    }
    await wide.press("#flame g.part", 1);
    const root = await wide.run(`document.querySelector("#flame-about").textContent`);
    claim(/\d+(\.\d+)? (ns|us|ms|s), /.test(root), `the flame graph tells: ${root}`);
    const paper = () => wide.run("getComputedStyle(document.body).backgroundColor");
    const light = await paper();
    await wide.press("#theme");
    claim(await paper() !== light, "dark and light");
    quiet(wide, "using");

    // Markup in names stays text.
    await wide.load(`file://${hostile}`);
    claim(await wide.run("Number(document.documentElement.dataset.ready)") > 0, "the hostile page is ready");
    claim(await wide.run(`document.querySelectorAll("img, b, script").length`) === 2, "names have made elements");
    claim((await column(wide, 0)).includes("a</script><script>alert(1)</script>.p.m"), "the name is there as text");
    for (let i = 0; i < 2; i++) await wide.press("#profile-table tbody tr", i);
    await wide.press("#flame g.part", 1);
    quiet(wide, "hostile names");
    claim(await wide.run("document.title") === "<i>h.mm - Mastermind", "the title");

    // Ranks, MPI and documents of other verbs
    await wide.load(`file://${rich}`);
    await wide.press("#drawings .choice button", 1);
    claim(await wide.run(`document.querySelector("svg.picture").dataset.picture`) === "wiring", "the wiring");
    claim(await wide.run(`[...document.querySelectorAll("g.edge title")].map((t) => t.textContent).join()`) === "driver.flux uses solver.s", "its connection");
    await wide.press("#ranks .cell", 4);
    const facts = await wide.run(`[...document.querySelectorAll("header .facts div")].slice(0, 3).map((d) => d.textContent)`);
    claim(facts.join() === "program ran1 us,CPU time900 ns,peak memory5.06 MiB", `the page opens with ${facts}`);
    claim(/ on rank 1: /.test(await wide.run(`document.querySelector("#ranks .facts").textContent`)), "a cell tells its rank");
    claim(await wide.run("Number(document.documentElement.dataset.ready)") > 0, "the page with more is ready");
    claim(await wide.run(`document.querySelectorAll("#more-0 table").length > 0`), "a document of another verb");
    claim((await wide.run(`document.querySelector("#diff-table").textContent`)).includes("solver.s.step"), "the panel of diff");
    claim((await wide.run(`document.querySelector("#more-0").textContent`)).includes("<b>x</b>"), "texts of documents stay text");
    claim(await wide.run(`document.querySelectorAll("#ranks .heat title")[0].textContent`) === "solver.s.step", "labels have the whole name as title");
    claim((await wide.run(`[...document.querySelectorAll("#findings li")].map((li) => li.textContent).join()`)).includes("LoadBalanceLoss: 40 % (30 % to 50 %) in solver.s.step, rank 2."), "a property as a sentence");
    quiet(wide, "documents of other verbs");
} finally {
    await wide.close();
}

const phone = await open({ width: 390, height: 844, dark: true, phone: true });
try {
    await phone.load(`file://${page}`);
    claim(await phone.run("document.documentElement.scrollWidth <= innerWidth"), "the page is as wide as the phone");
    claim(await phone.run("getComputedStyle(document.body).backgroundColor") === "rgb(20, 23, 28)", "dark where people have asked for it");
    await phone.press("#profile-table tbody tr", 1);
    claim(await phone.run(`document.querySelector("#method h3").textContent`) === (await column(phone, 0))[1], "a touch picks");
    claim(await phone.run("document.documentElement.scrollWidth <= innerWidth"), "and stays so");
    quiet(phone, "on a phone");
} finally {
    await phone.close();
}
// Drawings are as wide as the page has room for.
for (const width of [600, 1800]) {
    const other = await open({ width, height: 900 });
    try {
        await other.load(`file://${page}`);
        for (const drawing of ["#drawings svg.picture", "#timeline svg", "#flame svg", ".plot canvas"]) {
            const [size, room] = await other.run(`(() => { const svg = document.querySelector(${JSON.stringify(drawing)}); return [svg.getBoundingClientRect().width, svg.closest("section").clientWidth]; })()`);
            claim(size <= room && (drawing.includes("picture") || size > 0.9 * room), `${drawing} has ${size} of ${room} pixels at ${width}`);
        }
        claim(await other.run("document.documentElement.scrollWidth <= innerWidth"), `the page is ${width} wide`);
    } finally {
        await other.close();
    }
}
process.exit(failures ? 1 : 0);
