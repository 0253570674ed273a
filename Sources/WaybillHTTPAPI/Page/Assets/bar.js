// The bar on top: name, search, how fresh everything is, choices, whose key it is.

import { fill, h } from "./dom.js";
import { age } from "./format.js";
import { liveState, round, setPaused, watchLive } from "./live.js";
import { searchBox } from "./search.js";
import { currentSession } from "./session.js";
import { keep, setting } from "./settings.js";
import { foreign } from "./text.js";
import { clock, setTimeMode, timeMode } from "./time.js";

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
            h("a", { href: "/", class: "brand", "aria-label": "Waybill, first screen" }, logo(), h("span", null, "Waybill")),
            session && searchBox(),
            h(
                "div",
                { class: "bar-tools" },
                session && freshness(),
                h(
                    "details",
                    { class: "account", "data-key": "account" },
                    h("summary", { id: "account", "data-key": "account-summary", "aria-label": session ? `${session.key.name}: settings, log out` : "Settings" }, gear(), h("span", { class: "account-name" }, session ? session.key.name : "Settings")),
                    h(
                        "div",
                        { class: "menu" },
                        session && [
                            h("p", { class: "account-who" }, h("b", null, session.key.name), h("br", null), h("span", { class: "dim" }, session.role, ", ", scopeText(session))),
                            session.expires_at && h("p", { class: "dim" }, "Session until ", clock(Date.parse(session.expires_at))),
                        ],
                        chooser("Times", "time-mode", { utc: "UTC", local: "Local", relative: "Relative" }, timeMode(), (chosen) => {
                            setTimeMode(/** @type {import("./time.js").TimeMode} */ (chosen));
                            does.redraw();
                        }),
                        chooser("Colours", "scheme", { system: "System", light: "Light", dark: "Dark" }, setting("scheme", "system"), (chosen) => {
                            if (chosen === "system") delete document.documentElement.dataset.scheme;
                            else document.documentElement.dataset.scheme = chosen;
                            keep("scheme", chosen === "system" ? null : chosen);
                            does.redraw();
                        }),
                        h("button", { type: "button", id: "show-keys", on: { click: does.help } }, "Keys ", h("kbd", null, "?")),
                        session && h("button", { type: "button", id: "log-out", on: { click: does.logOut } }, "Log out"),
                    ),
                ),
            ),
        ),
        h("div", { id: "trouble", class: "trouble", role: "alert", hidden: true }),
    );
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
    const tell = () => {
        const { isPaused, trouble } = liveState();
        button.setAttribute("aria-pressed", String(isPaused));
        button.dataset.state = trouble ? "old" : isPaused ? "paused" : "live";
        says.textContent = trouble ? "Old" : isPaused ? "Paused" : "Live";
        button.setAttribute("aria-label", isPaused ? "Paused; go on asking every five seconds" : "Live: asks every five seconds; pause");
        const place = document.getElementById("trouble");
        if (!place) return;
        place.hidden = !trouble;
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

/**
 * @param {string} label
 * @param {string} name
 * @param {Record<string, string>} choices
 * @param {string} chosen
 * @param {(chosen: string) => void} choose
 */
function chooser(label, name, choices, chosen, choose) {
    return h(
        "fieldset",
        { class: "chooser" },
        h("legend", null, label),
        Object.entries(choices).map(([value, text]) => {
            const input = h("input", { type: "radio", name, id: `${name}-${value}`, "data-key": `${name}-${value}`, on: { change: () => choose(value) } });
            input.checked = value === chosen;
            return h("span", null, input, h("label", { for: `${name}-${value}` }, text));
        }),
    );
}

const logo = () =>
    h("svg", { class: "logo", viewBox: "0 0 32 32", "aria-hidden": "true" }, h("rect", { width: 32, height: 32, rx: 7 }), h("path", { d: "M6 10l5 13 5-11 5 11 5-13" }));

const gear = () =>
    h(
        "svg",
        { class: "icon", viewBox: "0 0 16 16", "aria-hidden": "true" },
        h("path", { d: "M8 2.200a2.800 2.800 0 1 0 0 5.600a2.800 2.800 0 1 0 0-5.600M2.500 14c.4-3 2.600-4.500 5.500-4.500s5.100 1.500 5.500 4.500" }),
    );
