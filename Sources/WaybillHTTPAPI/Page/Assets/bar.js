// The bar on top: name, search, how fresh everything is, choices, whose key it is.

import { brand, choosers, person } from "./bar-parts.js";
import { fill, h } from "./dom.js";
import { age } from "./format.js";
import { liveState, round, setPaused, watchLive } from "./live.js";
import { href } from "./route.js";
import { searchBox } from "./search.js";
import { currentSession } from "./session.js";
import { foreign } from "./text.js";
import { clock } from "./time.js";

/**
 * @param {HTMLElement} place
 * @param {object} does
 * @param {() => void} does.logOut
 * @param {() => void} does.help
 * @param {() => void} does.redraw
 */
export function showBar(place, does) {
    const session = currentSession();
    fill(
        place,
        h(
            "div",
            { class: "bar" },
            brand("/"),
            session && h("nav", { class: "bar-views", "aria-label": "Views" }, h("a", { id: "view-campaigns", href: href({ view: "campaigns", filters: {} }), "data-key": "view-campaigns" }, "Campaigns")),
            session && searchBox(),
            h(
                "div",
                { class: "bar-tools" },
                session && freshness(),
                h(
                    "details",
                    { class: "account", "data-key": "account" },
                    h("summary", { id: "account", "data-key": "account-summary", "aria-label": session ? `${session.key.name}: settings, log out` : "Settings" }, person(), h("span", { class: "account-name" }, session ? session.key.name : "Settings")),
                    h(
                        "div",
                        { class: "menu" },
                        session && [
                            h("p", { class: "account-who" }, h("b", null, session.key.name), h("br", null), h("span", { class: "dim" }, session.role, ", ", scopeText(session))),
                            session.expires_at && h("p", { class: "dim" }, "Session until ", clock(Date.parse(session.expires_at))),
                        ],
                        choosers(does.redraw),
                        h("button", { type: "button", id: "show-keys", on: { click: does.help } }, "Keys ", h("kbd", null, "?")),
                        session && h("button", { type: "button", id: "log-out", on: { click: does.logOut } }, "Log out"),
                    ),
                ),
            ),
        ),
        h("div", { id: "trouble", class: "trouble", role: "alert", hidden: true }),
    );
}

/** Milliseconds after which the age of what is shown is told anew. */
const RETOLD = 5000;

/** Says in the bar which view is shown. @param {string} view */
export function markView(view) {
    const link = document.getElementById("view-campaigns");
    if (["campaigns", "campaign", "compose"].includes(view)) link?.setAttribute("aria-current", view === "campaigns" ? "page" : "true");
    else link?.removeAttribute("aria-current");
}

/** @param {string} text */
const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

/** @param {import("./session.js").Session} session */
function scopeText(session) {
    if (session.clients === null) return "all clients";
    return session.clients.length > 3 ? `${session.clients.length} clients` : `client${session.clients.length === 1 ? "" : "s"} ${session.clients.join(", ")}`;
}

/** How old everything is, and a way to hold it. */
function freshness() {
    const says = h("span", { class: "fresh-says" }, "…");
    const button = h(
        "button",
        {
            type: "button",
            id: "pause",
            class: "quiet",
            "aria-pressed": "false",
            title: "Ask every five seconds, or hold",
            on: { click: () => setPaused(!liveState().isPaused) },
        },
        h("span", { class: "dot", "aria-hidden": "true" }),
        says,
    );
    let toldTrouble = "";
    const tell = () => {
        const { isPaused, trouble, late } = liveState();
        const state = trouble ? "old" : late ? "late" : isPaused ? "paused" : "live";
        const words = { old: "Old", late: `No answer for ${late} s`, paused: "Paused", live: "Live" }[state];
        button.setAttribute("aria-pressed", String(isPaused));
        button.dataset.state = state;
        if (says.textContent !== words) says.textContent = words;
        button.setAttribute("aria-label", `${words}: ${isPaused ? "go on asking every five seconds" : "asks every five seconds; pause"}`);
        const place = document.getElementById("trouble");
        if (!place) return;
        place.hidden = !trouble;
        // Whoever hears the page read is told of it once, and now and then how old it is.
        const told = trouble ? `${trouble.error.message} ${trouble.isPart} ${trouble.answered} ${Math.floor(Date.now() / RETOLD)}` : "";
        if (told === toldTrouble) return;
        toldTrouble = told;
        if (!trouble) return;
        const subject = trouble.isPart ? "Part of what you see" : "What you see";
        const known = trouble.answered ? `${subject} is from ${clock(trouble.answered)}, ${age(Date.now() - trouble.answered)} old.` : `${trouble.isPart ? "Part of the page" : "The page"} could not be shown yet.`;
        fill(
            place,
            h("strong", null, foreign(capital(trouble.error.message), { cut: 300 }), "."),
            ` ${known} It is asked again by itself. `,
            h("button", { type: "button", class: "link", "data-key": "retry", on: { click: () => round() } }, "Ask now"),
        );
    };
    watchLive(tell);
    tell();
    return button;
}
