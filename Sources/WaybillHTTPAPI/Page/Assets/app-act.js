// What the parts about services have in common: something is done, the page says so, and what has changed is asked for again.

import { toast } from "./copy.js";
import { announce, h } from "./dom.js";
import { sentence } from "./form.js";

/** @param {string} words */
export function say(words) {
    toast(words, 4000);
    announce(words);
}

/**
 * Does something, and says what came of it.
 *
 * @param {() => Promise<any>} work
 * @param {string | ((answer: any) => string)} words when it is done; what makes them of what the work returns
 * @param {() => any} after also when it was refused: the page may show what is no longer so
 */
export async function act(work, words, after) {
    try {
        const answer = await work();
        say(typeof words === "string" ? words : words(answer));
    } catch (error) {
        say(sentence(/** @type {Error} */ (error)));
    }
    await after();
}

/**
 * A choice of a few words.
 *
 * @param {string} id
 * @param {string} label
 * @param {[string, string][]} options value and text
 * @param {string} value
 * @param {(value: string) => void} [changed]
 */
export const choice = (id, label, options, value, changed) => [
    h("label", { for: id }, label),
    h("select", { id, name: id, value, "data-key": id, on: changed ? { change: (/** @type {any} */ event) => changed(event.target.value) } : {} }, options.map(([each, text]) => h("option", { value: each, selected: each === value }, text))),
];

/**
 * Boxes to be ticked.
 *
 * @param {string} id
 * @param {string} title
 * @param {[string, string][]} options value and text
 * @param {string[]} values
 */
export function boxes(id, title, options, values) {
    const inputs = options.map(([value]) => h("input", { type: "checkbox", id: `${id}-${value.replace(":", "-")}`, name: id, "data-value": value, checked: values.includes(value) }));
    const element = h(
        "fieldset",
        { id, class: "boxes" },
        h("legend", null, title),
        options.map(([, text], index) => h("label", { for: inputs[index].id }, inputs[index], " ", text)),
    );
    return { element, values: () => inputs.filter((each) => each.checked).map((each) => each.dataset.value) };
}

/**
 * What is shown once: to be copied before it is gone.
 *
 * @param {string} id
 * @param {string} words
 * @param {string} secret
 */
export const once = (id, words, secret) =>
    h("div", { class: "once", id, role: "status" }, h("strong", null, words), h("code", { tabindex: "0", "aria-label": "To be copied" }, secret), h("button", { type: "button", class: "small", on: { click: () => navigator.clipboard?.writeText(secret).then(() => say("Copied")) } }, "Copy"));
