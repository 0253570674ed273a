// Questions before something is done, and the list of keys.

import { h } from "./dom.js";

/**
 * Asks before something is done.
 *
 * @param {object} what
 * @param {string} what.title
 * @param {any} what.text what will happen
 * @param {string} what.yes the button that does it
 * @param {boolean} [what.isDangerous]
 * @param {boolean} [what.takesNote] whether a note may be left
 * @param {string} [what.type] what has to be typed to go on, for what cannot be taken back
 * @returns {Promise<{note?: string} | null>} `null`: no
 */
export function confirmation({ title, text, yes, isDangerous, takesNote, type }) {
    return new Promise((resolve) => {
        const note = takesNote ? h("textarea", { id: "dialog-note", rows: "2", maxlength: "125", placeholder: "Why; everybody sees it beside your key’s name" }) : null;
        const typed = type ? h("input", { id: "dialog-type", autocomplete: "off", spellcheck: "false", on: { input: () => (button.disabled = typed.value !== type) } }) : null;
        const button = h("button", { type: "submit", value: "yes", class: isDangerous ? "danger" : "primary", id: "dialog-yes", disabled: Boolean(type) }, yes);
        const dialog = h(
            "dialog",
            { class: "dialog", "aria-labelledby": "dialog-title" },
            h(
                "form",
                { method: "dialog" },
                h("h2", { id: "dialog-title" }, title),
                h("div", null, text),
                note && [h("label", { for: "dialog-note" }, "Note"), note],
                typed && [h("label", { for: "dialog-type" }, "Type ", h("code", null, h("bdi", null, type)), " to go on"), typed],
                h("div", { class: "dialog-buttons" }, h("button", { type: "button", id: "dialog-no", on: { click: () => dialog.close("no") } }, "Leave it"), button),
            ),
        );
        dialog.addEventListener("close", () => {
            dialog.remove();
            const words = note?.value.trim();
            resolve(dialog.returnValue === "yes" ? (words ? { note: words } : {}) : null);
        });
        document.body.append(dialog);
        dialog.showModal();
        (note ?? typed)?.focus();
    });
}

/** @param {string} title @param {any} content */
export function showDialog(title, content) {
    const dialog = h(
        "dialog",
        { class: "dialog", "aria-labelledby": "dialog-title" },
        h("form", { method: "dialog" }, h("h2", { id: "dialog-title" }, title), content, h("div", { class: "dialog-buttons" }, h("button", { type: "submit", class: "primary" }, "Close"))),
    );
    dialog.addEventListener("close", () => dialog.remove());
    document.body.append(dialog);
    dialog.showModal();
}
