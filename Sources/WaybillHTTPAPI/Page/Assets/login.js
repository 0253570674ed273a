// Logging in by a key.

import { ApiError } from "./api.js";
import { fill, h } from "./dom.js";
import { entryForm, sentence } from "./form.js";
import { logIn } from "./session.js";

/**
 * @param {HTMLElement} place
 * @param {object} how
 * @param {boolean} how.hasEnded whether there was a session before
 * @param {() => void} how.done
 */
export function showLogin(place, { hasEnded, done }) {
    const form = entryForm({
        id: "login",
        fields: [{ name: "key", label: "Your key", type: "password", autocomplete: "current-password", placeholder: "wbk_live_…" }],
        button: "Log in",
        send: async ({ key }) => {
            await logIn(key.trim());
            done();
        },
        says: (error) => (error instanceof ApiError && error.status === 401 ? "This key is not known, has ended, or was revoked." : sentence(error)),
        more: h(
            "p",
            { class: "dim" },
            "The key is sent once, for a session that only this browser has; the page keeps it nowhere. An operator makes one with ",
            h("code", null, "waybill keys create"),
            ".",
        ),
    });
    fill(
        place,
        h(
            "div",
            { class: "login" },
            h("h1", null, hasEnded ? "Your session has ended" : "Every push accounted for"),
            h("p", { class: "dim" }, hasEnded ? "Log in again, and you are back where you were." : "Log in to see what became of them, and how the installation does."),
            form,
        ),
    );
    document.getElementById("login-key")?.focus();
}
