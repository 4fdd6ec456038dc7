// SPDX-License-Identifier: BSD-3-Clause
// dom.js: elements. Texts become text nodes, never markup.

const SVG = "http://www.w3.org/2000/svg";

function fill(element, attributes, children) {
    for (const [name, value] of Object.entries(attributes || {})) {
        if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
        else if (value !== null && value !== undefined && value !== false)
            element.setAttribute(name, value === true ? "" : String(value));
    }
    for (const child of children.flat(Infinity))
        if (child !== null && child !== undefined)
            element.append(child.nodeType ? child : document.createTextNode(String(child)));
    return element;
}

export const h = (tag, attributes, ...children) => fill(document.createElement(tag), attributes, children);
export const s = (tag, attributes, ...children) => fill(document.createElementNS(SVG, tag), attributes, children);

// A section of the page with a heading; `note` stands below it.
export function section(id, title, note, ...children) {
    return h("section", { id }, h("h2", {}, title), note ? h("p", { class: "note" }, note) : null, ...children);
}

// Buttons of which one is on. `choose(key)` is called with the key of the one that was pressed.
export function choice(label, options, chosen, choose) {
    const box = h("div", { class: "choice", role: "group", "aria-label": label });
    for (const [key, text] of options) {
        const button = h("button", {
            type: "button",
            "aria-pressed": key === chosen ? "true" : "false",
            onclick: () => {
                for (const other of box.children) other.setAttribute("aria-pressed", other === button ? "true" : "false");
                choose(key);
            },
        }, text);
        box.append(button);
    }
    return box;
}

export function clear(element, ...children) {
    element.replaceChildren(...children.flat(Infinity).filter(Boolean));
    return element;
}

/* A name in one line: where there is no room for it, its middle is left out (style.css). */
export function name(text) {
    const letters = String(text), tail = letters.length > 24 ? 12 : 0;
    return h("span", { class: "name", title: tail ? letters : null }, h("span", {}, letters.slice(0, letters.length - tail)), tail ? h("span", {}, letters.slice(-tail)) : null);
}

// Draws again when the element has another width: draw(width).
export function onWidth(element, draw) {
    let drawn = 0;
    new ResizeObserver(() => {
        if (element.clientWidth && element.clientWidth !== drawn) {
            drawn = element.clientWidth;
            draw(drawn);
        }
    }).observe(element);
}

// A number that the same text always has.
export function hash(text) {
    let value = 2166136261;
    for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 16777619);
    return value >>> 0;
}

// The value of a colour of style.css.
export const color = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

// Colours that people with any kind of colour vision tell apart (Okabe and Ito).
export const SERIES = 7;
export const seriesColor = (i) => color(`series-${i % SERIES}`);
