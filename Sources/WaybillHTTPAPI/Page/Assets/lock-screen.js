// A notification as a phone shows it while it is locked: a long title is cut after a line, a long text after four.

import { h } from "./dom.js";
import { foreign } from "./text.js";

/** What is drawn of a text at most: no payload holds more. */
const MOST = 4200;

/**
 * @param {{app?: string, title?: string, subtitle?: string, body?: string}} content
 */
export const lockScreen = ({ app, title, subtitle, body }) =>
    h(
        "div",
        { class: "lock-screen", role: "group", "aria-label": "As on a lock screen" },
        h("p", { class: "lock-clock", "aria-hidden": "true" }, "9:41"),
        h(
            "div",
            { class: "lock-note" },
            h("span", { class: "lock-icon", "aria-hidden": "true" }),
            h(
                "div",
                null,
                h("p", { class: "lock-app" }, h("span", null, app ? foreign(app, { cut: MOST }) : "The app"), h("span", { class: "lock-now" }, "now")),
                title && h("p", { class: "lock-title" }, foreign(title, { cut: MOST })),
                subtitle && h("p", { class: "lock-title" }, foreign(subtitle, { cut: MOST })),
                h("p", { class: "lock-body" }, body ? foreign(body, { cut: MOST, lines: true }) : "…"),
            ),
        ),
    );
