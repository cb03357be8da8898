// A curve as SVG: hardware against software by size. The lines differ by dashes and markers, not by
// colour alone.
import { amount, number } from "./rows.js";
import { texts } from "./texts.js";

const SVG = "http://www.w3.org/2000/svg";
const [WIDTH, HEIGHT, LEFT, BOTTOM, TOP, RIGHT] = [520, 240, 64, 36, 36, 36];

/** @param {string} name
 * @param {Record<string, string | number>} attributes
 * @param {string} [text] */
function shape(name, attributes, text) {
    const made = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
    if (text !== undefined) made.textContent = text;
    return made;
}

/** @param {{ title: string, points: { bytes: number, software: number, hardware: number }[] }} curve
 * @returns {SVGElement} */
export function drawn({ title, points }) {
    const svg = shape("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": title, class: "curve" });
    const sizes = points.map(one => one.bytes);
    const [least, most] = [Math.min(...sizes), Math.max(...sizes)];
    const top = Math.max(...points.flatMap(one => [one.software, one.hardware]), 1e-9);
    const range = Math.log2(most / least) || 1;
    const x = bytes => LEFT + (WIDTH - LEFT - RIGHT) * (most === least ? 0.5 : Math.log2(bytes / least) / range);
    const y = speed => HEIGHT - BOTTOM - (HEIGHT - BOTTOM - TOP) * speed / top;
    for (const part of [0, 0.5, 1]) {
        svg.append(shape("line", { x1: LEFT, x2: WIDTH - RIGHT, y1: y(top * part), y2: y(top * part), class: "grid" }));
        svg.append(shape("text", { x: LEFT - 6, y: y(top * part) + 4, "text-anchor": "end" }, number(Number((top * part).toPrecision(3)), 2)));
    }
    svg.append(shape("text", { x: LEFT - 6, y: 16, "text-anchor": "end" }, "MB/s"));
    let free = -Infinity;
    for (const bytes of [...new Set(sizes)]) {
        if (x(bytes) < free) continue;
        free = x(bytes) + 64;
        svg.append(shape("text", { x: x(bytes), y: HEIGHT - BOTTOM + 18, "text-anchor": "middle" }, amount(bytes)));
    }
    for (const [index, way] of ["hardware", "software"].entries()) {
        const at = points.map(one => [x(one.bytes), y(one[way])]);
        svg.append(shape("polyline", { points: at.map(pair => pair.join(",")).join(" "), class: way }));
        const left = LEFT + 24 + index * 160;
        svg.append(shape("line", { x1: left, x2: left + 28, y1: 10, y2: 10, class: way }));
        svg.append(shape("text", { x: left + 36, y: 16 }, texts[way]));
        for (const [cx, cy] of [...at, [left + 14, 10]]) {
            svg.append(way === "hardware" ? shape("circle", { cx, cy, r: 4, class: way })
                : shape("rect", { x: cx - 4, y: cy - 4, width: 8, height: 8, class: way }));
        }
    }
    return svg;
}
