// The phones that tell somebody something, and the way to end that from here.

import { act } from "./app-act.js";
import { call, get } from "./app-session.js";
import { confirmation } from "./dialog.js";
import { h } from "./dom.js";
import { panel } from "./panel.js";
import { foreign, plain } from "./text.js";
import { time } from "./time.js";

export function devicesPart() {
    const list = panel({
        name: "devices",
        title: "Your devices",
        isLive: () => false,
        load: async (signal) => (await get("/v1/account/devices", {}, signal)).devices,
        draw: (devices) => (devices.length === 0 ? h("p", { class: "dim" }, "None yet: log in by an app on your phone.") : h("ul", { class: "rows" }, devices.map(row))),
    });
    /** @param {any} each */
    const row = (each) =>
        h(
            "li",
            { "data-id": each.device },
            h("div", null, h("strong", null, foreign(each.app)), h("span", { class: "state-word" }, each.enabled ? "Told" : "Logged out"), h("div", { class: "dim" }, each.provider === "fcm" && "Android, ", h("code", null, foreign(each.device)), ", since ", time(each.since)), tags(each)),
            each.enabled && h("button", { type: "button", class: "small", "data-key": `device-${each.device}`, "aria-label": `Log out ${plain(each.app)} on ${plain(each.device)}`, on: { click: () => end(each) } }, "Log out"),
        );
    /** @param {any} each */
    const tags = (each) => (each.tags ?? []).length > 0 && h("div", { class: "dim tags" }, "Tags: ", each.tags.map((/** @type {string} */ tag, /** @type {number} */ place) => [place > 0 && ", ", foreign(tag)]));
    /** @param {any} each */
    const end = async (each) => {
        const words = "Nothing goes to it any more, until its app logs in again or starts the next time.";
        if (!(await confirmation({ title: "Log this device out?", text: words, yes: "Log it out", isDangerous: true }))) return;
        await act(() => call("DELETE", `/v1/account/devices/${encodeURIComponent(each.device)}`), "It is logged out", list.reload);
    };
    return list;
}
