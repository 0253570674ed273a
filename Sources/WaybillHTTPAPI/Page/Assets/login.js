// Logging in by a key.

import { ApiError } from "./api.js";
import { fill, h } from "./dom.js";
import { logIn } from "./session.js";

/**
 * @param {HTMLElement} place
 * @param {object} how
 * @param {boolean} how.hasEnded whether there was a session before
 * @param {() => void} how.done
 */
export function showLogin(place, { hasEnded, done }) {
    const message = h("p", { class: "form-error", id: "login-error", role: "alert" });
    const input = h("input", {
        id: "login-key",
        type: "password",
        name: "key",
        required: true,
        autocomplete: "current-password",
        autocapitalize: "off",
        spellcheck: "false",
        placeholder: "wbk_live_…",
        "aria-describedby": "login-help login-error",
    });
    const button = h("button", { type: "submit", class: "primary", id: "login-button" }, "Log in");
    const form = h(
        "form",
        {
            id: "login",
            method: "post",
            on: {
                submit: async (/** @type {Event} */ event) => {
                    event.preventDefault();
                    const key = input.value.trim();
                    if (!key) return;
                    button.setAttribute("disabled", "");
                    message.textContent = "";
                    try {
                        await logIn(key);
                        input.value = "";
                        done();
                    } catch (error) {
                        message.textContent =
                            error instanceof ApiError && error.status === 401
                                ? "This key is not known, has ended, or was revoked."
                                : String(/** @type {Error} */ (error).message);
                        input.focus();
                    } finally {
                        button.removeAttribute("disabled");
                    }
                },
            },
        },
        h("label", { for: "login-key" }, "Your key"),
        input,
        message,
        button,
        h(
            "p",
            { id: "login-help", class: "dim" },
            "The key is sent once, for a session that only this browser has; the page keeps it nowhere. An operator makes one with ",
            h("code", null, "waybill keys create"),
            ".",
        ),
    );
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
    input.focus();
}
