// Text that others wrote: shown as it was typed, whatever it holds.

import { h } from "./dom.js";
import { hiddenIn, number, shown, written } from "./hidden.js";

/** How much of a long text is shown at first. */
const CUT = 160;

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
    return shown(String(value).slice(0, 400));
}

/** @param {string} text @param {boolean} hasLines @returns {(Node | string)[]} */
function visible(text, hasLines) {
    /** @type {(Node | string)[]} */
    const parts = [];
    let end = 0;
    for (const { index, character } of hiddenIn(text)) {
        if (hasLines && LINES.test(character)) continue;
        if (index > end) parts.push(text.slice(end, index));
        parts.push(h("span", { class: "hidden-character", title: number(character) }, written(character)));
        end = index + character.length;
    }
    if (end < text.length) parts.push(text.slice(end));
    return parts;
}
