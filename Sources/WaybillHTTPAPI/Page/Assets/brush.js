// Choosing a span of time in the chart: by mouse, finger and keyboard.

import { announce, h } from "./dom.js";

/** A drag that is shorter is a click. */
const SHORTEST = 6;

/**
 * @param {HTMLElement} plot holds the canvas
 * @param {object} what
 * @param {() => {since: number, length: number, number: number} | null} what.steps
 * @param {() => {left: number, right: number, top: number, bottom: number} | null} what.area of the canvas that is painted on
 * @param {(index: number) => string} what.describe
 * @param {(since: number, until: number) => void} what.choose
 */
export function brush(plot, { steps, area, describe, choose }) {
    const selection = h("div", { class: "brush", hidden: true });
    const handle = h("div", {
        class: "brush-keys",
        role: "slider",
        tabindex: "0",
        "aria-label": "Step of the chart. Arrows move, Shift and arrows select, Enter narrows the time to the selection",
        "aria-valuemin": "0",
        "aria-valuemax": "0",
        "aria-valuenow": "0",
        on: { keydown: (/** @type {KeyboardEvent} */ event) => key(event), blur: () => (anchor = null, hide()) },
    });
    plot.append(selection, handle);

    /**
     * Where a drag began, in pixels.
     *
     * @type {number | null}
     */
    let start = null;
    /** The step at which the keyboard is. */
    let cursor = -1;
    /**
     * The step at which a selection by the keyboard began.
     *
     * @type {number | null}
     */
    let anchor = null;

    const hide = () => (selection.hidden = true);
    const stepAt = (/** @type {number} */ x) => {
        const [all, place] = [steps(), area()];
        if (!all || !place) return null;
        const share = (x - place.left) / (place.right - place.left);
        return Math.min(all.number - 1, Math.max(0, Math.floor(share * all.number)));
    };
    const show = (/** @type {number} */ from, /** @type {number} */ to) => {
        const [all, place] = [steps(), area()];
        if (!all || !place) return;
        const width = (place.right - place.left) / all.number;
        selection.hidden = false;
        selection.style.left = `${place.left + Math.min(from, to) * width}px`;
        selection.style.width = `${(Math.abs(to - from) + 1) * width}px`;
        selection.style.top = `${place.top}px`;
        selection.style.height = `${place.bottom - place.top}px`;
    };
    const finish = (/** @type {number} */ from, /** @type {number} */ to) => {
        const all = steps();
        if (!all) return;
        hide();
        choose(all.since + Math.min(from, to) * all.length, all.since + (Math.max(from, to) + 1) * all.length);
    };

    plot.addEventListener("pointerdown", (event) => {
        if (event.button !== 0 || !area()) return;
        start = event.clientX - plot.getBoundingClientRect().left;
        plot.setPointerCapture(event.pointerId);
    });
    plot.addEventListener("pointermove", (event) => {
        if (start === null) return;
        const x = event.clientX - plot.getBoundingClientRect().left;
        const [from, to] = [stepAt(start), stepAt(x)];
        if (from === null || to === null || Math.abs(x - start) < SHORTEST) return;
        show(from, to);
    });
    plot.addEventListener("pointerup", (event) => {
        if (start === null) return;
        const x = event.clientX - plot.getBoundingClientRect().left;
        const [from, to] = [stepAt(start), stepAt(x)];
        const isDrag = Math.abs(x - start) >= SHORTEST;
        start = null;
        hide();
        if (isDrag && from !== null && to !== null) finish(from, to);
    });
    plot.addEventListener("pointercancel", () => {
        start = null;
        hide();
    });

    /** @param {KeyboardEvent} event */
    function key(event) {
        const all = steps();
        if (!all) return;
        const move = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageUp: 10, PageDown: -10, Home: -all.number, End: all.number }[event.key];
        if (move !== undefined) {
            if (event.shiftKey) anchor ??= Math.max(0, cursor);
            else anchor = null;
            cursor = Math.min(all.number - 1, Math.max(0, (cursor < 0 ? all.number : cursor) + move));
            show(anchor ?? cursor, cursor);
            value();
        } else if (event.key === "Enter" && cursor >= 0) {
            finish(anchor ?? cursor, cursor);
            announce("The time is narrowed to the selection");
            anchor = null;
        } else if (event.key === "Escape" && !selection.hidden) {
            anchor = null;
            hide();
        } else return;
        event.preventDefault();
        event.stopPropagation();
    }

    function value() {
        const all = steps();
        if (!all) return;
        const at = cursor < 0 ? all.number - 1 : Math.min(cursor, all.number - 1);
        handle.setAttribute("aria-valuemax", String(all.number - 1));
        handle.setAttribute("aria-valuenow", String(at));
        handle.setAttribute("aria-valuetext", describe(at));
    }

    return { refresh: value };
}
