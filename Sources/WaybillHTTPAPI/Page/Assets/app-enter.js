// For whoever is not logged in: log in, sign up, and what to do when that does not work.

import { ApiError } from "./api.js";
import { deviceName } from "./app-device.js";
import { go, href } from "./app-route.js";
import { callAsStranger, logIn } from "./app-session.js";
import { announce, fill, h } from "./dom.js";
import { entryForm, sentence } from "./form.js";

/** @type {import("./form.js").Field} */
const EMAIL = { name: "email", label: "E-mail address", type: "email", autocomplete: "email", maxlength: 254 };
/** @type {import("./form.js").Field} */
const NEW_PASSWORD = { name: "password", label: "Password", type: "password", autocomplete: "new-password", maxlength: 128, help: "Long is good: a few words that only you put together." };

const LINKS = { login: "Log in", "sign-up": "Sign up", confirmation: "The mail to confirm did not come", "password-reset": "Forgot the password" };

/**
 * @param {HTMLElement} place
 * @param {string} view
 * @param {boolean} hasEnded whether there was a session before
 */
export function showEntry(place, view, hasEnded) {
    const { title, words, form } = VIEWS[view](hasEnded);
    fill(
        place,
        h(
            "div",
            { class: "login", id: `entry-${view}` },
            h("h1", null, title),
            h("p", { class: "dim" }, words),
            form,
            h("p", { class: "login-more" }, Object.entries(LINKS).filter(([other]) => other !== view).map(([other, text]) => h("a", { href: href(other) }, text))),
        ),
    );
    /** @type {HTMLElement | null} */ (place.querySelector("input"))?.focus();
}

/** @type {Record<string, (hasEnded: boolean) => {title: string, words: string, form: HTMLFormElement}>} */
const VIEWS = {
    login: (hasEnded) => ({
        title: hasEnded ? "Your session has ended" : "Log in",
        words: hasEnded ? "Log in again, and you are back where you were." : "To your services, and to what they tell you.",
        form: entryForm({
            id: "log-in",
            fields: [
                { name: "username", label: "Username or e-mail address", autocomplete: "username", maxlength: 254 },
                { name: "password", label: "Password", type: "password", autocomplete: "current-password", maxlength: 128 },
            ],
            button: "Log in",
            send: ({ username, password }) => logIn(username, password, deviceName()),
            says: (error) => {
                if (error instanceof ApiError && error.status === 401) return "This name and this password do not belong together. After several wrong passwords, wait a moment.";
                if (error instanceof ApiError && error.status === 403 && /confirmed/.test(error.message)) return "The address is not confirmed yet: open the link in the mail.";
                return sentence(error);
            },
        }),
    }),
    "sign-up": () => ({
        title: "Sign up",
        words: "A mail to your address has a link that confirms it. Then you can log in.",
        form: mailForm("sign-up", "/v1/account", "Sign up", [
            { name: "username", label: "Username", autocomplete: "username", maxlength: 64, help: "4 to 64 letters, digits, dots, underscores and hyphens." },
            EMAIL,
            NEW_PASSWORD,
        ]),
    }),
    confirmation: () => ({
        title: "Another mail to confirm",
        words: "Where you have signed up and not confirmed the address yet. At most three such mails an hour go out.",
        form: mailForm("confirmation", "/v1/account/confirmation", "Send the mail", [EMAIL]),
    }),
    "password-reset": () => ({
        title: "Forgot the password",
        words: "A mail has a link to choose another one, for an hour. When you have, all sessions end.",
        form: mailForm("password-reset", "/v1/account/password-reset", "Send the mail", [EMAIL]),
    }),
};

/**
 * A form that ends with a mail, whoever has the address.
 *
 * @param {string} id
 * @param {string} path
 * @param {string} button
 * @param {import("./form.js").Field[]} fields
 */
function mailForm(id, path, button, fields) {
    const form = entryForm({
        id,
        fields,
        button,
        send: async (values) => {
            await callAsStranger("POST", path, values);
            const words = "Look into your mail: what to do next is on its way to you.";
            const answer = h("div", { class: "sent", id: `${id}-sent`, tabindex: "-1" }, h("strong", null, words), h("p", { class: "dim" }, "Nothing there after some minutes? Look among unwanted mail, or ask again."), h("button", { type: "button", on: { click: () => go("login") } }, "Log in"));
            form.replaceWith(answer);
            answer.focus();
            announce(words);
        },
    });
    return form;
}
