// What both pages have in their bars: the name, and how one likes times and colours.

import { h } from "./dom.js";
import { keep, setting } from "./settings.js";
import { setTimeMode, timeMode } from "./time.js";

/**
 * @param {string} where the first screen
 */
export const brand = (where) => h("a", { href: where, class: "brand", "aria-label": "Waybill, first screen" }, logo(), h("span", null, "Waybill"));

/**
 * How times and colours are shown.
 *
 * @param {() => void} redraw after a choice
 */
export function choosers(redraw) {
    return [
        chooser("Times", "time-mode", { utc: "UTC", local: "Local", relative: "Relative" }, timeMode(), (chosen) => {
            setTimeMode(/** @type {import("./time.js").TimeMode} */ (chosen));
            redraw();
        }),
        chooser("Colours", "scheme", { system: "System", light: "Light", dark: "Dark" }, setting("scheme", "system"), (chosen) => {
            if (chosen === "system") delete document.documentElement.dataset.scheme;
            else document.documentElement.dataset.scheme = chosen;
            keep("scheme", chosen === "system" ? null : chosen);
            redraw();
        }),
    ];
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

/** A person, for the menu of whoever is logged in. */
export const person = () =>
    h(
        "svg",
        { class: "icon", viewBox: "0 0 16 16", "aria-hidden": "true" },
        h("path", { d: "M8 2.200a2.800 2.800 0 1 0 0 5.600a2.800 2.800 0 1 0 0-5.600M2.500 14c.4-3 2.600-4.500 5.500-4.500s5.100 1.500 5.500 4.500" }),
    );
