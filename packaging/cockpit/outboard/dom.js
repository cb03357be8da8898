// Elements of the page. A string is always text, never markup.
import { fill, texts } from "./texts.js";

/** @typedef {string | Node | null | undefined | false} Child */

/** Makes an element.
 * @param {string} name
 * @param {Record<string, any>} [attributes] on...: a listener; class, aria-...: attributes
 * @param {...(Child | Child[])} children
 * @returns {any} */
export function make(name, attributes = {}, ...children) {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) {
        if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
        else if (typeof value === "boolean") made.toggleAttribute(key, value);
        else made.setAttribute(key, value);
    }
    show(made, ...children);
    return made;
}

/** Replaces the content of an element.
 * @param {Element} place
 * @param {...(Child | Child[])} children */
export function show(place, ...children) {
    place.replaceChildren(.../** @type {(string | Node)[]} */ (children.flat().filter(child => child)));
}

/** The same, but only what differs is changed: focus and selection stay while figures change. Elements
 * have no listeners of their own then.
 * @param {Element} place
 * @param {...(Child | Child[])} children */
export function update(place, ...children) {
    const made = place.cloneNode(false);
    show(/** @type {Element} */ (made), ...children);
    merge(place, made);
}

/** @param {Node} old
 *  @param {Node} made */
function merge(old, made) {
    if (old.isEqualNode(made)) return;
    if (old instanceof Element && made instanceof Element) {
        for (const { name } of [...old.attributes]) if (!made.hasAttribute(name)) old.removeAttribute(name);
        for (const { name, value } of made.attributes) if (old.getAttribute(name) !== value) old.setAttribute(name, value);
    } else {
        old.nodeValue = made.nodeValue;
    }
    const [before, after] = [[...old.childNodes], [...made.childNodes]];
    for (const [index, child] of after.entries()) {
        const present = before[index];
        if (!present) old.appendChild(child);
        else if (present.nodeName === child.nodeName) merge(present, child);
        else old.replaceChild(child, present);
    }
    before.slice(after.length).forEach(child => old.removeChild(child));
}

/** Shows a text unless it is there: a screen reader repeats what is written again.
 * @param {Element} place
 * @param {string} text */
export function write(place, text) {
    if (place.textContent !== text) place.textContent = text;
}

/** A table that becomes a list of labelled values where the page is narrow.
 * @param {string} caption
 * @param {string[]} titles
 * @param {{ cells: Child[] }[]} rows */
export function table(caption, titles, rows) {
    const cell = (child, index) => index === 0
        ? make("th", { scope: "row", "data-title": titles[index] }, child)
        : make("td", { "data-title": titles[index] }, child);
    return make("table", {}, caption && make("caption", {}, caption),
        make("thead", {}, make("tr", {}, titles.map(title => make("th", { scope: "col" }, title)))),
        make("tbody", {}, rows.map(row => make("tr", {}, row.cells.map(cell)))));
}

/** A notice: its tone is a word for the eye and the class, and its text stands alone.
 * @param {import("./rows.js").Notice} notice
 * @param {Child} [button] that does the next step */
export function notice({ tone, text, next }, button) {
    return make("div", { class: `notice ${tone}` }, make("p", {}, text), next && make("p", { class: "next" }, fill(texts.next, next)), button);
}
