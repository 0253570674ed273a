// The keys of a service: shown once, rotated with an overlap, ended.

import { act, boxes, choice, once } from "./app-act.js";
import { call, get } from "./app-session.js";
import { confirmation } from "./dialog.js";
import { h } from "./dom.js";
import { entryForm } from "./form.js";
import { panel } from "./panel.js";
import { foreign, plain } from "./text.js";
import { time } from "./time.js";

/** @type {[string, string][]} */
const SCOPES = [
    ["notify", "Notify"],
    ["notify:critical", "Notify of what is critical"],
    ["read", "Read what became of it"],
];
/** @type {Record<string, string>} */
const STATES = { live: "Holds", replaced: "Holds for a while", expired: "Has ended", revoked: "Ended" };

/**
 * Its owners read it again by the thesis' API.
 * @param {any} key
 */
const isDerived = (key) => key.id === "derived";

/** @param {string} path of the service */
export function keysPart(path) {
    const shown = h("div", { id: "new-key" });
    const list = panel({
        name: "keys",
        title: "Keys",
        isLive: () => false,
        load: async (signal) => (await get(`${path}/keys`, {}, signal)).keys,
        draw: (keys) => (keys.length === 0 ? h("p", { class: "dim" }, "None yet: nothing notifies by this service.") : h("ul", { class: "rows" }, keys.map(row))),
    });
    /** @param {any} made */
    const show = (made) => shown.replaceChildren(once("key-once", "Copy the key now: nobody can read it again.", made.secret));
    /** @param {any} key */
    const row = (key) =>
        h(
            "li",
            { "data-id": key.id },
            h(
                "div",
                null,
                h("strong", null, foreign(key.name)),
                h("span", { class: "state-word" }, STATES[key.state]),
                key.kind === "test" && h("span", { class: "state-word" }, "Test"),
                h("div", { class: "dim" }, h("code", null, key.shown), " ", key.scopes.join(", "), key.expires_at && [", until ", time(key.expires_at)], isDerived(key) ? "" : key.last_used_at ? [", used ", time(key.last_used_at), ` from ${key.last_used_from}`] : ", not used yet"),
            ),
            key.state === "live" && !isDerived(key) && h("button", { type: "button", class: "small", "aria-label": `Rotate ${plain(key.name)}`, on: { click: () => rotate(key) } }, "Rotate"),
            (key.state === "live" || key.state === "replaced") && h("button", { type: "button", class: "small danger", "aria-label": `End ${plain(key.name)}`, on: { click: () => end(key) } }, "End"),
        );
    /** @param {any} key */
    const rotate = async (key) => {
        const overlap = choice("overlap", "The old key still holds for", [["24h", "A day"], ["1h", "An hour"], ["7d", "A week"], ["0", "No longer"]], "24h");
        if (!(await confirmation({ title: "Rotate this key?", text: ["A new one takes its place. ", overlap], yes: "Rotate it" }))) return;
        await act(async () => show(await (await call("POST", `${path}/keys/${key.id}/rotate`, { overlap: overlap[1].value })).json()), "There is a new key", list.reload);
    };
    /** @param {any} key */
    const end = async (key) => {
        if (!(await confirmation({ title: "End this key?", text: "Whoever notifies with it is refused at once, also where it is the last one.", yes: "End it", isDangerous: true }))) return;
        await act(() => call("DELETE", `${path}/keys/${key.id}?force=true`), "The key has ended", list.reload);
    };
    const scopes = boxes("scopes", "It may", SCOPES, ["notify", "read"]);
    const kind = choice("kind", "Kind", [["live", "Live"], ["test", "Test: no phone hears of it"]], "live");
    const form = entryForm({
        id: "key",
        fields: [
            { name: "name", label: "What it is for", maxlength: 64 },
            { name: "end", label: "It ends (your time)", type: "datetime-local", isOptional: true, help: "Empty: it holds until somebody ends it. Whoever manages the service is told by mail 30, 10 and 1 days before." },
        ],
        button: "Make a key",
        send: async ({ name, end }) => {
            const expiry = end ? { expires_at: new Date(end).toISOString() } : {};
            show(await (await call("POST", `${path}/keys`, { name, kind: kind[1].value, scopes: scopes.values(), ...expiry })).json());
            await list.reload();
        },
    });
    form.querySelector(".form-error")?.before(h("div", { class: "entry" }, kind, scopes.element));
    list.element.append(shown, h("details", { "data-key": "key-form" }, h("summary", null, "Make a key"), form));
    return list;
}
