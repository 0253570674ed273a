// One's own account: who one is, where one is logged in, another password.

import { devicesPart } from "./app-devices.js";
import { addressPart, deletionPart, ownDataPart, part } from "./app-own-data.js";
import { call, changePassword, get } from "./app-session.js";
import { toast } from "./copy.js";
import { confirmation } from "./dialog.js";
import { announce, h } from "./dom.js";
import { entryForm } from "./form.js";
import { panel } from "./panel.js";
import { foreign, plain } from "./text.js";
import { time } from "./time.js";

/** @param {HTMLElement} place */
export function accountView(place) {
    let username = "";
    const panels = [account((own) => (username = own.username)), sessions(), devicesPart()];
    place.append(...panels.map((each) => each.element), h("div", { class: "halves" }, password(), addressPart(), ownDataPart(), deletionPart(() => username)));
    return { stop: () => panels.forEach((each) => each.stop()) };
}

/** @param {(own: any) => void} learn */
const account = (learn) =>
    panel({
        name: "account-facts",
        title: "Your account",
        isLive: () => false,
        load: async (signal) => {
            const own = await get("/v1/account", {}, signal);
            learn(own);
            return own;
        },
        draw: (own) =>
            h(
                "dl",
                { class: "facts" },
                h("dt", null, "Username"),
                h("dd", null, foreign(own.username)),
                h("dt", null, "E-mail"),
                h("dd", null, foreign(own.email)),
                h("dt", null, "Since"),
                h("dd", null, time(own.created_at)),
                h("dt", null, "Password since"),
                h("dd", null, time(own.password_changed_at)),
            ),
    });

function sessions() {
    const others = h("button", { type: "button", class: "small", id: "end-others", hidden: true, on: { click: () => endOthers() } }, "End all others");
    /** @type {any[]} */
    let shown = [];
    const list = panel({
        name: "sessions",
        title: "Where you are logged in",
        tools: others,
        isLive: () => false,
        load: async (signal) => (await get("/v1/account/sessions", {}, signal)).sessions,
        draw: (found) => {
            shown = found;
            others.hidden = found.length < 2;
            return h("ul", { class: "rows" }, found.map(row));
        },
    });
    /** @param {any} session */
    const row = (session) =>
        h(
            "li",
            { "data-id": session.id },
            h(
                "div",
                null,
                h("strong", null, session.name ? foreign(session.name) : "Without a name"),
                session.current && h("span", { class: "state-word" }, "This browser"),
                h("div", { class: "dim" }, "Since ", time(session.created_at), session.renewed_at && [", last seen ", time(session.renewed_at)]),
            ),
            !session.current &&
                h("button", { type: "button", class: "small", "data-key": `end-${session.id}`, "aria-label": `End ${session.name ? plain(session.name) : "the session without a name"}`, on: { click: () => end([session]) } }, "End"),
        );
    /** @param {any[]} ended */
    const end = async (ended) => {
        try {
            for (const { id } of ended) await call("DELETE", `/v1/account/sessions/${encodeURIComponent(id)}`);
            say(ended.length === 1 ? "The session has ended" : "The sessions have ended");
        } catch (error) {
            say(/** @type {Error} */ (error).message);
        }
        await list.reload();
    };
    const endOthers = async () => {
        const ended = shown.filter((each) => !each.current);
        const words = "Whoever is logged in there has to log in again.";
        if (await confirmation({ title: `End ${ended.length === 1 ? "the other session" : `all ${ended.length} others`}?`, text: words, yes: "End them", isDangerous: true })) await end(ended);
    };
    return list;
}

function password() {
    const form = entryForm({
        id: "password",
        fields: [
            { name: "password", label: "Password as it is", type: "password", autocomplete: "current-password", maxlength: 128 },
            { name: "next", label: "New password", type: "password", autocomplete: "new-password", maxlength: 128, help: "All other sessions end, and a mail tells you of it." },
        ],
        button: "Change the password",
        send: async ({ password: present, next }) => {
            await changePassword(present, next);
            say("The password is changed");
        },
    });
    return part("password-part", "Another password", form);
}

/** @param {string} words */
function say(words) {
    toast(words);
    announce(words);
}
