// A part of a view that is asked for, drawn, and asked for again: skeleton, answer, old answer, error.

import { ApiError } from "./api.js";
import { fill, h, isBeingRead } from "./dom.js";
import { everyRound, forgetTrouble, noteAnswer, noteQuestion, noteTrouble, staleness, watchLive } from "./live.js";

/** Milliseconds until what has never been answered is asked for again. */
const RETRY = 2000;

/**
 * @typedef {object} Panel
 * @property {HTMLElement} element
 * @property {HTMLElement} tools beside the heading
 * @property {() => Promise<void>} reload asks again now
 * @property {() => void} redraw draws the last answer again
 * @property {() => void} stop asks no more
 */

/**
 * @param {object} what
 * @param {string} what.name its `id`, and a word for tests
 * @param {string | null} what.title
 * @param {(signal: AbortSignal) => Promise<any>} what.load
 * @param {(answer: any, stale: {seconds: number, answered: number} | null) => any} what.draw children from the answer
 * @param {number} [what.lines] of the skeleton
 * @param {() => boolean} [what.isLive] whether it is asked for in this round, too; else once
 * @param {boolean} [what.agesAloud] whether it is drawn anew while its answer is late, each second
 * @param {any} [what.tools] beside the heading
 * @returns {Panel}
 */
export function panel({ name, title, load, draw, lines = 4, isLive = () => true, agesAloud = false, tools }) {
    const body = h("div", { class: "panel-body" }, skeleton(lines));
    const toolbar = h("div", { class: "tools" }, tools);
    const element = h(
        "section",
        { class: "panel", id: name, "aria-labelledby": title ? `${name}-title` : null, "aria-busy": "true" },
        title && h("div", { class: "panel-head" }, h("h2", { id: `${name}-title` }, title), toolbar),
        body,
    );
    let shown = "";
    /** @type {any} */
    let last;
    let controller = new AbortController();
    let isAsking = false;
    let hasStopped = false;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    let retrying;

    const redraw = () => {
        if (last === undefined) return;
        const drawn = draw(last, staleness(name));
        // What draws into the same element again is left where it is: a canvas would flicker.
        if (drawn !== body.firstChild || body.childNodes.length > 1) fill(body, drawn);
    };
    const reload = async () => {
        controller.abort();
        controller = new AbortController();
        clearTimeout(retrying);
        const { signal } = controller;
        isAsking = true;
        noteQuestion(name);
        try {
            const answer = await load(signal);
            if (signal.aborted || hasStopped) return;
            isAsking = false;
            noteAnswer(name);
            element.removeAttribute("aria-busy");
            const text = JSON.stringify(answer);
            if (text === shown || (last !== undefined && isBeingRead(body))) return;
            shown = text;
            last = answer;
            redraw();
        } catch (error) {
            if (signal.aborted || hasStopped) return;
            isAsking = false;
            element.removeAttribute("aria-busy");
            const isPassing = !(error instanceof ApiError) || error.isPassing;
            if (isPassing) noteTrouble(name, /** @type {Error} */ (error));
            else noteAnswer(name);
            // What is there stays: it is old, and the band on top says so.
            if (last === undefined || !isPassing) {
                shown = "";
                last = undefined;
                fill(body, problemBox(error));
                if (isPassing) retrying = setTimeout(reload, RETRY);
            }
        }
    };
    const end = everyRound(async () => {
        if (!isAsking && isLive()) await reload();
    });
    let agedBy = "";
    const endWatch = watchLive(() => {
        const stale = last === undefined ? null : staleness(name);
        element.toggleAttribute("data-stale", stale !== null);
        const age = stale ? `${stale.seconds}` : "";
        if (!agesAloud || age === agedBy || isBeingRead(body)) return;
        agedBy = age;
        redraw();
    });
    reload();
    return {
        element,
        tools: toolbar,
        reload,
        redraw,
        stop: () => {
            hasStopped = true;
            clearTimeout(retrying);
            controller.abort();
            endWatch();
            forgetTrouble(name);
            end();
        },
    };
}

/**
 * Lines in the place of what will come.
 *
 * @param {number} lines
 */
export function skeleton(lines) {
    return h("div", { class: "skeleton", "aria-hidden": "true" }, Array.from({ length: lines }, () => h("span", null)));
}

/**
 * What went wrong, in the API's words.
 *
 * @param {any} error
 */
export function problemBox(error) {
    const isApi = error instanceof ApiError;
    if (!isApi) console.error(error);
    return h(
        "div",
        { class: "problem", role: "alert" },
        h("strong", null, isApi ? problemTitle(error.status) : "The page has a fault"),
        h("p", null, String(error?.message ?? error)),
        isApi && error.requestId && h("p", { class: "dim" }, "Request ", h("code", null, error.requestId), ", as in the log line api.request"),
    );
}

/** @param {number} status */
function problemTitle(status) {
    if (status === 0) return "No answer";
    if (status === 403) return "You may not see this";
    if (status === 404) return "Nothing is there";
    if (status === 429) return "Asked too often; it goes on in a moment";
    if (status === 503) return "Not available now; it is asked again";
    return status < 500 ? "That cannot be asked" : "An error of the server";
}
