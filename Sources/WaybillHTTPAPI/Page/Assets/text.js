// Text that others wrote: shown as it was typed, whatever it holds.

import { h } from "./dom.js";

/** Controls, marks that turn the direction of writing, what takes no place, and halves of a character. */
const HIDDEN =
    /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u115f\u1160\u180e\u200b\u200c\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\ufff9-\ufffb]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]|\u{e0001}|[\u{e0020}-\u{e007f}]/gu;

/** How much of a long text is shown at first. */
const CUT = 160;

/** Those that everybody knows by another name. */
const ESCAPES = /** @type {Record<string, string>} */ ({ "\0": "\\0", "\t": "\\t", "\n": "\\n", "\r": "\\r" });

/** What makes lines, where lines are wanted. */
const LINES = /[\n\t]/;

/**
 * A text of a record, isolated from the direction of its neighbours, with its hidden characters made visible.
 *
 * @param {unknown} value
 * @param {{cut?: number, lines?: boolean}} [how] `cut`: characters that are shown before one asks for all; `lines`: line feeds and
 *   tabs are followed, not shown
 * @returns {Node}
 */
export function foreign(value, how = {}) {
    const text = String(value);
    const cut = how.cut ?? CUT;
    const hasLines = how.lines ?? false;
    const element = h("bdi", null);
    if (text.length <= cut) {
        element.append(...visible(text, hasLines));
        return element;
    }
    element.append(...visible(text.slice(0, cut), hasLines));
    const more = h(
        "button",
        {
            type: "button",
            class: "more-text",
            title: `Show all ${text.length.toLocaleString("en")} characters`,
            on: {
                click: (/** @type {Event} */ event) => {
                    event.stopPropagation();
                    element.replaceChildren(...visible(text, hasLines));
                    element.classList.add("whole");
                },
            },
        },
        `… all ${text.length.toLocaleString("en")}`,
    );
    return h("span", { class: "cut-text" }, element, more);
}

/**
 * A text in one line, for attributes such as a title.
 *
 * @param {unknown} value
 * @returns {string}
 */
export function plain(value) {
    return String(value).slice(0, 400).replace(HIDDEN, (each) => `[${name(each)}]`);
}

/** @param {string} text @param {boolean} hasLines @returns {(Node | string)[]} */
function visible(text, hasLines) {
    /** @type {(Node | string)[]} */
    const parts = [];
    let end = 0;
    for (const match of text.matchAll(HIDDEN)) {
        if (hasLines && LINES.test(match[0])) continue;
        const start = match.index ?? 0;
        if (start > end) parts.push(text.slice(end, start));
        parts.push(h("span", { class: "hidden-character", title: name(match[0]) }, picture(match[0])));
        end = start + match[0].length;
    }
    if (end < text.length) parts.push(text.slice(end));
    return parts;
}

/** @param {string} character */
function name(character) {
    return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
}

/** @param {string} character */
function picture(character) {
    return ESCAPES[character] ?? name(character);
}
