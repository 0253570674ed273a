// Points in time: in UTC, local, or relative, as the reader chose; always with the whole ISO form behind.

import { h } from "./dom.js";
import { age } from "./format.js";
import { keep, setting } from "./settings.js";

/** @typedef {"utc" | "local" | "relative"} TimeMode */

/** @type {TimeMode} */
let mode = /** @type {TimeMode} */ (["utc", "local", "relative"].find((each) => each === setting("time", "utc")) ?? "utc");

export const timeMode = () => mode;

/** @param {TimeMode} chosen */
export function setTimeMode(chosen) {
    mode = chosen;
    keep("time", chosen);
    for (const element of document.querySelectorAll("time[datetime]")) element.textContent = textOf(element);
}

/**
 * @param {string | number} date ISO 8601, or milliseconds since 1970
 * @param {{precise?: boolean}} [how] `precise`: with milliseconds
 */
export function time(date, how = {}) {
    const point = new Date(date);
    if (Number.isNaN(point.getTime())) return h("span", null, String(date));
    const element = h("time", {
        datetime: point.toISOString(),
        title: point.toISOString(),
        "data-precise": how.precise ? "" : null,
    });
    element.textContent = textOf(element);
    return element;
}

/** @param {number} milliseconds @param {boolean} [precise] */
export function clock(milliseconds, precise = false) {
    const point = new Date(milliseconds);
    const shifted = mode === "local" ? new Date(milliseconds - point.getTimezoneOffset() * 60_000) : point;
    const iso = shifted.toISOString();
    const now = new Date(mode === "local" ? Date.now() - point.getTimezoneOffset() * 60_000 : Date.now()).toISOString();
    const day = iso.slice(0, 10) === now.slice(0, 10) ? "" : `${iso.slice(iso.slice(0, 4) === now.slice(0, 4) ? 5 : 0, 10)} `;
    return `${day}${iso.slice(11, precise ? 23 : 19)}`;
}

/** The name of what times are in. */
export const zone = () => (mode === "local" ? "local time" : "UTC");

/** @param {Element} element */
function textOf(element) {
    const point = Date.parse(element.getAttribute("datetime") ?? "");
    if (mode !== "relative") return clock(point, element.hasAttribute("data-precise"));
    const difference = Date.now() - point;
    return difference < 0 ? `in ${age(-difference)}` : `${age(difference)} ago`;
}

// Relative times grow older by themselves.
setInterval(() => {
    if (mode !== "relative" || document.hidden) return;
    for (const element of document.querySelectorAll("time[datetime]")) element.textContent = textOf(element);
}, 5000);
