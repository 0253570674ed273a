// The fields of a form with several kinds of input: each a label, its input, and a word of help.

import { h } from "./dom.js";

/**
 * @typedef {object} Field
 * @property {any} input
 * @property {any} parts label, input and help
 */

/** @param {string} id @param {string} label @param {any} input @param {string} [help] @returns {Field} */
function field(id, label, input, help) {
    if (help) input.setAttribute("aria-describedby", `${id}-help`);
    return { input, parts: h("div", { class: "field" }, h("label", { for: id }, label), input, help && h("p", { class: "note", id: `${id}-help` }, help)) };
}

/**
 * @param {string} id
 * @param {string} label
 * @param {{type?: string, help?: string, placeholder?: string, list?: string, required?: boolean}} [more]
 */
export const textField = (id, label, { type = "text", help, placeholder, list, required } = {}) =>
    field(id, label, h("input", { id, name: id, type, placeholder, list, required, min: type === "number" ? "1" : null, autocomplete: "off", spellcheck: String(id === "compose-title") }), help);

/** @param {string} id @param {string} label @param {string} [help] */
export const areaField = (id, label, help) => field(id, label, h("textarea", { id, name: id, rows: "4" }), help);

/** A list, one a line. @param {string} id @param {string} label @param {string} [help] */
export const listField = (id, label, help) => field(id, label, h("textarea", { id, name: id, rows: "3", autocomplete: "off", spellcheck: "false" }), help);

/** @param {string} id @param {string} label @param {[string, string][]} options value and text @param {string} value */
export const selectField = (id, label, options, value) =>
    field(id, label, h("select", { id, name: id }, options.map(([each, text]) => h("option", { value: each, selected: each === value }, text))));

/** The lines of a text that say something. @param {string} text */
export const lines = (text) => text.split("\n").map((each) => each.trim()).filter((each) => each !== "");

/** What stands between commas. @param {string} text */
export const words = (text) => text.split(",").map((each) => each.trim()).filter((each) => each !== "");
