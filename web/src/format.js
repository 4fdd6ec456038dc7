// SPDX-License-Identifier: BSD-3-Clause
// format.js: numbers for people.

// About three digits: 18,231  1,162  12.4  0.031
export function amount(value) {
    if (value === null || value === undefined || !isFinite(value)) return "";
    const size = Math.abs(value);
    if (size >= 1e15) return value.toExponential(2);
    if (size >= 100 || size === 0) return Math.round(value).toLocaleString("en-US");
    if (size < 1e-4) return value.toExponential(1);
    return String(Number(value.toPrecision(3)));
}

const UNITS = [["min", 60e9, 600e9], ["s", 1e9, 1e9], ["ms", 1e6, 1e6], ["us", 1e3, 1e3], ["ns", 1, 0]];

// 14.1 min, 18.2 s, 804 ms, 31.2 us, 12 ns
export function time(ns) {
    if (ns === null || ns === undefined || !isFinite(ns)) return "";
    const size = Math.abs(ns);
    const [unit, factor] = UNITS.find((entry) => size >= entry[2]);
    const value = ns / factor;
    return `${Math.abs(value) >= 100 ? Math.round(value).toLocaleString("en-US") : Number(value.toPrecision(3))} ${unit}`;
}

export const count = (value) => (value === null || value === undefined ? "" : Math.round(value).toLocaleString("en-US"));
export const percent = (share) => (share === null || share === undefined || !isFinite(share) ? "" : `${(100 * share).toFixed(share < 0.0995 ? 2 : 1)} %`);
export const plural = (value, noun) => `${count(value)} ${noun}${value === 1 ? "" : "s"}`;

// Memory: "8.31 MiB".
export function bytes(value) {
    const units = ["B", "KiB", "MiB", "GiB", "TiB"];
    let unit = 0;
    for (; value >= 1000 && unit + 1 < units.length; unit++) value /= 1024;
    return `${Number(value.toPrecision(3))} ${units[unit]}`;
}

// A long text without its middle: "integrate_a_lo…l_intervals".
export function middle(text, most) {
    if (text.length <= most) return text;
    const tail = Math.floor((most - 1) * 0.45);
    return `${text.slice(0, most - 1 - tail)}…${tail > 0 ? text.slice(-tail) : ""}`;
}

// Places of ticks from low to high: powers of ten with 2 and 5, or even steps where these are few.
export function logTicks(low, high) {
    const ticks = [];
    const decades = Math.log10(high / low);
    const steps = decades > 6 ? [1] : decades > 2.5 ? [1, 3] : [1, 2, 5];
    for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); power++)
        for (const step of steps) {
            const value = step * 10 ** power;
            if (value >= low && value <= high) ticks.push(value);
        }
    return ticks.length >= 3 ? ticks : evenTicks(low, high);
}

export function evenTicks(low, high) {
    const raw = (high - low) / 5;
    const power = 10 ** Math.floor(Math.log10(raw));
    const step = [1, 2, 5, 10].map((factor) => factor * power).find((value) => value >= raw) || raw;
    const ticks = [];
    for (let i = Math.ceil(low / step); i * step <= high && ticks.length < 20; i++) ticks.push(i * step);
    return ticks;
}
