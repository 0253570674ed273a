// The live tail: records as they are written. It waits until somebody wants it.

import { address } from "./api.js";
import { copyMenu, curl, filterOptions, waybill } from "./copy.js";
import { announce, h } from "./dom.js";
import { count } from "./format.js";
import { recordTable } from "./records.js";
import { foreign } from "./text.js";
import { clock } from "./time.js";

/** Rows that are kept. */
const MOST = 100;
/** Milliseconds until it is asked for again, after the server has refused or ended it. */
const RETRY = 10_000;
/** Milliseconds between two drawings. */
const PACE = 250;
/** Milliseconds without a word after which it is not live: the server tells every three seconds that nothing is missing. */
const SILENCE = 5000;

/** @param {() => import("./api.js").Query} query the filters */
export function tailPanel(query) {
    /** @type {EventSource | null} */
    let source = null;
    /**
     * Newest first; a text is a gap.
     *
     * @type {(any | {gap: string, at: number})[]}
     */
    let rows = [];
    let shown = 0;
    let leftOut = 0;
    let wasHidden = false;
    /** When the server has told something last. */
    let heard = 0;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    let drawing;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    let retrying;

    const title = h("h2", { id: "tail-title" }, "Live");
    const says = h("span", { class: "tail-says dim", "aria-live": "off" }, "Off");
    const button = h("button", { type: "button", id: "tail-toggle", class: "primary small", "aria-pressed": "false", on: { click: () => (source ? stop() : start()) } }, "Start");
    const body = h("div", { class: "panel-body" });
    const element = h(
        "section",
        { class: "panel", id: "tail", "aria-labelledby": "tail-title" },
        h(
            "div",
            { class: "panel-head" },
            title,
            h(
                "div",
                { class: "tools" },
                says,
                button,
                copyMenu("tail", () => ({ curl: curl("/v1/tail", query(), { accept: "text/event-stream" }).replace("curl ", "curl -N "), waybill: waybill(["logs", "--follow"], filterOptions(query())) })),
            ),
        ),
        body,
    );

    const silence = () => (source?.readyState === EventSource.OPEN ? Date.now() - heard : 0);
    const say = () => {
        const isSilent = silence() >= SILENCE;
        title.textContent = isSilent ? "Not live" : "Live";
        button.textContent = source ? "Stop" : "Start";
        button.setAttribute("aria-pressed", String(Boolean(source)));
        if (!source) says.textContent = rows.length ? `Stopped; ${count(shown)} of ${count(shown + leftOut)} shown` : "Off";
        else if (source.readyState === EventSource.CONNECTING) says.textContent = "Connecting …";
        else if (isSilent) says.textContent = `Nothing heard for ${Math.round(silence() / 1000)} s`;
        else says.textContent = leftOut ? `${count(shown)} of ${count(shown + leftOut)} shown` : `${count(shown)} so far`;
        element.dataset.state = !source ? "off" : isSilent ? "silent" : "on";
    };
    const draw = () => {
        clearTimeout(drawing);
        drawing = undefined;
        say();
        if (!rows.length) {
            body.replaceChildren(h("p", { class: "empty" }, source ? "Waiting for the next record with these filters." : "Shows records with these filters as they are written, from now on."));
            return;
        }
        // Runs of records, with what is missing in between.
        /** @type {any[]} */
        const parts = [];
        /** @type {any[]} */
        let run = [];
        const close = () => {
            if (run.length) parts.push(recordTable(run, "date"));
            run = [];
        };
        for (const row of rows) {
            if (row.gap === undefined) {
                run.push(row);
                continue;
            }
            close();
            parts.push(h("p", { class: "gap", role: "note" }, `${clock(row.at)}: records may be missing before this point: `, foreign(row.gap)));
        }
        close();
        body.replaceChildren(...parts);
    };
    const drawSoon = () => {
        drawing ??= setTimeout(draw, PACE);
    };
    const add = (/** @type {any} */ row) => {
        rows.unshift(row);
        if (rows.length > MOST) rows.length = MOST;
        drawSoon();
    };
    /** @param {Event} event @returns {any} */
    const dataOf = (event) => {
        try {
            return JSON.parse(/** @type {MessageEvent} */ (event).data);
        } catch {
            return null;
        }
    };

    function start() {
        clearTimeout(retrying);
        source = new EventSource(address("/v1/tail", query()));
        const hear = () => {
            const wasSilent = silence() >= SILENCE;
            heard = Date.now();
            if (wasSilent) say();
        };
        for (const name of ["delivery", "sampled", "gap", "alive"]) source.addEventListener(name, hear);
        source.addEventListener("open", () => {
            heard = Date.now();
            say();
        });
        source.addEventListener("delivery", (event) => {
            const record = dataOf(event);
            if (!record) return;
            shown += 1;
            add(record);
        });
        source.addEventListener("sampled", (event) => {
            leftOut += Number(dataOf(event)?.left_out) || 0;
            drawSoon();
        });
        source.addEventListener("gap", (event) => add({ gap: String(dataOf(event)?.reason ?? "the stream was interrupted"), at: Date.now() }));
        source.addEventListener("error", () => {
            // What the server refuses ends the stream; a connection that was lost comes back by itself.
            if (source?.readyState === EventSource.CLOSED) {
                source = null;
                says.textContent = `Not available now; it is asked for again in ${RETRY / 1000} s`;
                button.textContent = "Start";
                retrying = setTimeout(() => {
                    add({ gap: "the server refused the stream, or ended it", at: Date.now() });
                    start();
                }, RETRY);
            } else say();
        });
        announce("The live tail is on");
        draw();
    }

    function stop() {
        clearTimeout(retrying);
        source?.close();
        source = null;
        draw();
    }

    const visibility = () => {
        if (document.hidden && source) {
            wasHidden = true;
            stop();
        } else if (!document.hidden && wasHidden) {
            wasHidden = false;
            add({ gap: "the page was hidden", at: Date.now() });
            start();
        }
    };
    document.addEventListener("visibilitychange", visibility);
    const listening = setInterval(() => {
        if (silence() >= SILENCE) say();
    }, 1000);
    draw();
    return {
        element,
        /** Other filters: what was shown belongs to the old ones. */
        restart: () => {
            const wasOn = Boolean(source);
            stop();
            rows = [];
            shown = 0;
            leftOut = 0;
            draw();
            if (wasOn) start();
        },
        stop: () => {
            document.removeEventListener("visibilitychange", visibility);
            clearTimeout(drawing);
            clearTimeout(retrying);
            clearInterval(listening);
            source?.close();
            source = null;
        },
    };
}
