// The bar on top of the page for people: name, choices, the way out.

import { brand, choosers, person } from "./bar-parts.js";
import { fill, h } from "./dom.js";

/**
 * @param {HTMLElement} place
 * @param {object} does
 * @param {boolean} does.isIn whether somebody is logged in
 * @param {() => void} does.redraw
 * @param {() => void} does.logOut
 */
export function showBar(place, { isIn, redraw, logOut }) {
    const menu = h(
        "details",
        {
            class: "account",
            "data-key": "account",
            on: {
                keydown: (/** @type {KeyboardEvent} */ event) => {
                    if (event.key !== "Escape" || !menu.open) return;
                    menu.open = false;
                    menu.querySelector("summary")?.focus();
                },
            },
        },
        h("summary", { id: "account", "data-key": "account-summary", "aria-label": isIn ? "Settings, log out" : "Settings" }, person(), h("span", { class: "account-name" }, isIn ? "Account" : "Settings")),
        h("div", { class: "menu" }, choosers(redraw), isIn && h("button", { type: "button", id: "log-out", on: { click: logOut } }, "Log out")),
    );
    fill(place, h("div", { class: "bar" }, brand("/app"), h("div", { class: "bar-tools" }, menu)));
}
