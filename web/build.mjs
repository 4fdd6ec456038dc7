// SPDX-License-Identifier: BSD-3-Clause
// build.mjs: one page of src/: node build.mjs NODE_MODULES OUT
// The page asks for nothing beyond itself. Its document is put at the mark by mastermind/page.
import { createRequire } from "node:module";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const [modules, out] = process.argv.slice(2).map((path) => resolve(path));
const here = dirname(fileURLToPath(import.meta.url));
const MARK = "@MASTERMIND-DOCUMENT@";
const esbuild = createRequire(join(modules, "x.js"))("esbuild");

const options = {
    bundle: true,
    minify: true,
    charset: "ascii",
    legalComments: "none",
    nodePaths: [modules],
    write: false,
    logLevel: "warning",
};
const text = (entry, more) =>
    esbuild.buildSync({ ...options, ...more, entryPoints: [join(here, "src", entry)] }).outputFiles[0].text;
// The licences of the packages go along.
const licences = ["@dagrejs/dagre", "@dagrejs/graphlib", "@tanstack/table-core", "uplot"].map((name) => {
    const words = readFileSync(join(modules, name, "LICENSE"), "utf8");
    return `${name}\n${words}`;
});
const parts = {
    "@STYLE@": text("style.css"),
    "@LICENCES@": licences.join("\n").replaceAll("--", "- -"),
    "@CODE@": text("main.js", {
        format: "iife",
        target: "es2020",
        define: { "process.env.NODE_ENV": '"production"' },
    }),
};
let page = readFileSync(join(here, "src", "page.html"), "utf8");
for (const [mark, part] of Object.entries(parts)) {
    if (page.split(mark).length !== 2) throw new Error(`page.html: expected one ${mark}`);
    if (mark !== "@LICENCES@" && /<\/(script|style)/i.test(part)) throw new Error(`${mark} ends its element`);
    page = page.replace(mark, () => part);
}
if (page.split(MARK).length !== 2) throw new Error(`expected one ${MARK}`);
mkdirSync(dirname(out), { recursive: true });
writeFileSync(out, page);
