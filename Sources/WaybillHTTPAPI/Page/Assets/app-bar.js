// The bar on top of the page for people: name, choices, the way out.

import { brand, choosers, person } from "./bar-parts.js";
import { href } from "./app-route.js";
import { fill, h } from "./dom.js";

/**
 * @param {HTMLElement} place
 * @param {object} does
 * @param {boolean} does.isIn whether somebody is logged in
 * @param {string} does.view what is shown
 * @param {() => void} does.redraw
 * @param {() => void} does.logOut
 */
export function showBar(place, { isIn, view, redraw, logOut }) {
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
    fill(place, h("div", { class: "bar" }, brand("/app"), isIn && h("nav", { class: "bar-views", "aria-label": "Views" }, link("account", "You", view === "account"), link("notifications", "Notifications", view === "notifications"), link("services", "Services", view.startsWith("service"))), h("div", { class: "bar-tools" }, menu)));
}

/** @param {string} view @param {string} text @param {boolean} isHere */
const link = (view, text, isHere) => h("a", { href: href(view), "data-key": `view-${view}`, "aria-current": isHere ? "page" : null }, text);
