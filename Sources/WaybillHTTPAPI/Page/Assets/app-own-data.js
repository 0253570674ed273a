// What is kept of somebody: another address, all of it as a file, and its end.

import { call, forget } from "./app-session.js";
import { toast } from "./copy.js";
import { confirmation } from "./dialog.js";
import { announce, h } from "./dom.js";
import { entryForm, sentence } from "./form.js";
import { save } from "./save.js";

/** @type {import("./form.js").Field} */
const PASSWORD = { name: "password", label: "Password", type: "password", autocomplete: "current-password", maxlength: 128 };

export function addressPart() {
    const form = entryForm({
        id: "address",
        fields: [
            { name: "email", label: "New e-mail address", type: "email", autocomplete: "email", maxlength: 254, help: "A mail to it has a link that makes it yours; the one that you have now is told, and can take it back." },
            { ...PASSWORD },
        ],
        button: "Change the address",
        send: async (values) => {
            await call("PUT", "/v1/account/email", values);
            say("Look into your mail at the new address");
            form.reset();
        },
    });
    return part("address-part", "Another address", form);
}

export function ownDataPart() {
    const says = h("p", { class: "form-error", role: "alert" });
    const button = h(
        "button",
        {
            type: "button",
            id: "export",
            on: {
                click: async () => {
                    says.textContent = "";
                    try {
                        save(await (await call("GET", "/v1/account/export")).blob(), "waybill-account.json");
                    } catch (error) {
                        says.textContent = sentence(/** @type {Error} */ (error));
                    }
                },
            },
        },
        "Save all of it as a file",
    );
    return part("own-data", "What is kept of you", h("p", { class: "dim" }, "Account, sessions, devices and services, as JSON."), h("div", { class: "buttons" }, button), says);
}

/** @param {() => string} username to be typed */
export function deletionPart(username) {
    const form = entryForm({
        id: "deletion",
        fields: [{ ...PASSWORD }],
        button: "Delete the account",
        isDangerous: true,
        send: async (values) => {
            const answer = await confirmation({
                title: "Delete your account?",
                text: "Your devices hear of nothing any more, services that are yours alone end with their keys, and nobody can take it back.",
                yes: "Delete it",
                isDangerous: true,
                type: username(),
            });
            if (!answer) return;
            await call("DELETE", "/v1/account", values);
            forget(true);
            say("The account is deleted");
        },
    });
    return part("deletion-part", "Delete the account", form);
}

/** @param {string} id @param {string} title @param {...any} content */
export function part(id, title, ...content) {
    return h("section", { class: "panel", id, "aria-labelledby": `${id}-title` }, h("div", { class: "panel-head" }, h("h2", { id: `${id}-title` }, title)), content);
}

/** @param {string} words */
function say(words) {
    toast(words);
    announce(words);
}
