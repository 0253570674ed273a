// Forms: labelled fields, a button, and what was wrong beneath them.

import { h } from "./dom.js";

/**
 * @typedef {object} Field
 * @property {string} name
 * @property {string} label
 * @property {string} [type] `text` by default; what is a `password` is emptied when it was sent
 * @property {string} [autocomplete]
 * @property {string} [value]
 * @property {string} [placeholder]
 * @property {number} [maxlength]
 * @property {boolean} [isOptional]
 * @property {any} [help] beneath it
 */

/**
 * A form that is sent to a function. What that throws is shown by `says`, and the first field has the focus then.
 *
 * @param {object} what
 * @param {string} what.id what the ids of all parts begin with
 * @param {Field[]} what.fields
 * @param {string} what.button
 * @param {(values: Record<string, string>) => Promise<void>} what.send
 * @param {(error: Error) => string} [what.says]
 * @param {any} [what.more] beneath the button
 * @param {boolean} [what.isDangerous]
 * @returns {HTMLFormElement}
 */
export function entryForm({ id, fields, button, send, says = sentence, more, isDangerous }) {
    const message = h("p", { class: "form-error", id: `${id}-error`, role: "alert" });
    const submit = h("button", { type: "submit", class: isDangerous ? "danger" : "primary", id: `${id}-button` }, button);
    const inputs = fields.map((field) => input(id, field));
    return h(
        "form",
        {
            id,
            class: "entry",
            method: "post",
            on: {
                submit: async (/** @type {Event} */ event) => {
                    event.preventDefault();
                    const values = Object.fromEntries(inputs.map((each) => [each.name, each.type === "password" ? each.value : each.value.trim()]));
                    submit.disabled = true;
                    message.textContent = "";
                    try {
                        await send(values);
                        for (const each of inputs) if (each.type === "password") each.value = "";
                    } catch (error) {
                        message.textContent = says(/** @type {Error} */ (error));
                        inputs[0]?.focus();
                    } finally {
                        submit.disabled = false;
                    }
                },
            },
        },
        fields.map((field, index) => [
            h("label", { for: inputs[index].id }, field.label),
            inputs[index],
            field.help && h("p", { id: `${inputs[index].id}-help`, class: "note" }, field.help),
        ]),
        message,
        submit,
        more,
    );
}

/**
 * What the API says, as a sentence.
 *
 * @param {Error} error
 */
export const sentence = (error) => `${error.message.charAt(0).toUpperCase()}${error.message.slice(1)}.`;

/** @param {string} id @param {Field} field */
function input(id, field) {
    return h("input", {
        id: `${id}-${field.name}`,
        name: field.name,
        type: field.type ?? "text",
        required: !field.isOptional,
        value: field.value ?? "",
        maxlength: field.maxlength,
        autocomplete: field.autocomplete ?? "off",
        autocapitalize: "off",
        spellcheck: "false",
        placeholder: field.placeholder,
        "aria-describedby": `${field.help ? `${id}-${field.name}-help ` : ""}${id}-error`,
    });
}
