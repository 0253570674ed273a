// Rejected messages: why, whose; replayed or dropped by those who may.

import { get, post } from "./api.js";
import { copyMenu, curl, toast, waybill } from "./copy.js";
import { confirmation } from "./dialog.js";
import { fill, h } from "./dom.js";
import { count, plural } from "./format.js";
import { panel, problemBox, skeleton } from "./panel.js";
import { href } from "./route.js";
import { may, seesInstallation } from "./session.js";
import { foreign, plain } from "./text.js";
import { time } from "./time.js";

/** @param {HTMLElement} place */
export function rejectedView(place) {
    if (!seesInstallation()) {
        place.append(h("section", { class: "panel", id: "rejected" }, h("h2", null, "Rejected messages"), h("p", null, "They take a key for all clients.")));
        return { stop: () => {} };
    }
    /** The message that is open, and its body. */
    const open = { id: "", place: h("div", { class: "rejected-body" }) };
    const list = panel({
        name: "rejected",
        title: "Rejected messages",
        lines: 6,
        load: (signal) => get("/v1/rejected", { limit: 200 }, signal),
        draw: (answer) => drawList(answer, open, () => list.reload(), () => list.redraw()),
        // One request at a time may look at the queue: not in every round.
        isLive: () => false,
        tools: [
            h("button", { type: "button", class: "small", id: "rejected-refresh", on: { click: () => list.reload() } }, "Look again"),
            copyMenu("rejected", () => ({ curl: curl("/v1/rejected", { limit: 200 }), waybill: waybill(["rejected"]), link: true })),
        ],
    });
    place.append(list.element);
    return { stop: list.stop };
}

/** @param {any} answer @param {{id: string, place: HTMLElement}} open @param {() => void} reload @param {() => void} redraw */
function drawList(answer, open, reload, redraw) {
    if (!answer.messages.length) {
        return h("div", { class: "empty" }, h("p", null, "The rejected queue is empty."), h("p", { class: "dim" }, "A message comes here whole when its body cannot be read, when its producer may not send it, or when the broker gives it up."));
    }
    /** @type {Map<string, number>} */
    const reasons = new Map();
    for (const message of answer.messages) reasons.set(message.reason, (reasons.get(message.reason) ?? 0) + 1);
    return [
        h("p", { class: "headline" }, plural(answer.total, "message"), answer.total > answer.messages.length ? h("span", { class: "dim" }, `, the oldest ${count(answer.messages.length)} here`) : null),
        h(
            "ul",
            { class: "reasons" },
            [...reasons]
                .sort((a, b) => b[1] - a[1])
                .map(([reason, number]) =>
                    h("li", { "data-reason": reason }, h("b", null, count(number)), h("span", { class: "reason-name" }, foreign(reason)), actions({ reason }, `the ${plural(number, "message")} here with the reason ${plain(reason)}`, `reason-${reason}`, reload)),
                ),
        ),
        h(
            "div",
            { class: "table-frame" },
            h(
                "table",
                { class: "plain rejected-table" },
                h("thead", null, h("tr", null, ["No.", "Reason", "Detail", "Client", "Batch", "First seen", "Bytes", "Id"].map((each) => h("th", { scope: "col", class: each === "Bytes" || each === "No." ? "number" : null }, each)))),
                h("tbody", null, answer.messages.map((/** @type {any} */ message) => drawMessage(message, open, reload, redraw))),
            ),
        ),
    ];
}

/** @param {any} message @param {{id: string, place: HTMLElement}} open @param {() => void} reload @param {() => void} redraw */
function drawMessage(message, open, reload, redraw) {
    const isOpen = open.id === message.id;
    const toggle = () => {
        open.id = isOpen ? "" : message.id;
        if (open.id) showBody(message.id, open.place);
        redraw();
    };
    return [
        h(
            "tr",
            { "data-id": message.id, "data-reason": message.reason, class: isOpen ? "is-open" : null },
            h("td", { class: "number" }, count(message.position)),
            h("td", null, foreign(message.reason)),
            h("td", { class: "wide" }, message.detail ? foreign(message.detail, { cut: 120 }) : ""),
            h("td", null, message.client ? foreign(message.client, { cut: 40 }) : h("span", { class: "dim" }, "–")),
            h("td", null, message.batch_id ? h("a", { href: href({ view: "batch", id: message.batch_id, filters: {} }) }, foreign(message.batch_id, { cut: 40 })) : h("span", { class: "dim" }, "–")),
            h("td", null, message.first_seen ? time(message.first_seen) : "–"),
            h("td", { class: "number" }, count(message.bytes)),
            h(
                "td",
                { class: "mono" },
                h("button", { type: "button", class: "link row-link", "aria-expanded": String(isOpen), "data-key": `rejected-${message.id}`, title: plain(message.id), on: { click: toggle } }, foreign(message.id.length > 14 ? `…${message.id.slice(-12)}` : message.id)),
            ),
        ),
        isOpen && h("tr", { class: "expansion" }, h("td", { colspan: "8" }, open.place, actions({ id: message.id }, "this message", `id-${message.id}`, reload))),
    ];
}

/** @param {string} id @param {HTMLElement} place */
async function showBody(id, place) {
    fill(place, skeleton(3));
    try {
        const message = await get(`/v1/rejected/${encodeURIComponent(id)}`);
        const { body, ...rest } = message;
        fill(
            place,
            h("h3", null, "Body"),
            h("pre", { tabindex: "0", "aria-label": "Body of the message" }, body === undefined ? "none" : foreign(body, { cut: 4000, lines: true })),
            h("h3", null, "Properties"),
            h("pre", { tabindex: "0", "aria-label": "Properties of the message" }, foreign(JSON.stringify(rest, null, 2), { cut: 4000, lines: true })),
        );
    } catch (error) {
        fill(place, problemBox(error));
    }
}

/** @param {{id?: string, reason?: string}} selection @param {string} words @param {string} key @param {() => void} reload */
function actions(selection, words, key, reload) {
    if (!may("operator")) return null;
    const act = async (/** @type {"replay" | "drop"} */ action, /** @type {any} */ question) => {
        if (!(await confirmation(question))) return;
        try {
            const done = await post(`/v1/rejected/${action}`, selection);
            const number = done.replayed ?? done.dropped ?? 0;
            const back = done.returned ? `; ${done.returned} came straight back: the cause still holds` : "";
            toast(`${plural(number, "message")} ${action === "replay" ? "given back" : "dropped"}${done.left === undefined ? "; the time was up, ask again" : back}`);
            reload();
        } catch (error) {
            toast(`Not done: ${/** @type {Error} */ (error).message}`);
        }
    };
    return h(
        "span",
        { class: "buttons" },
        h(
            "button",
            {
                type: "button",
                class: "small",
                "data-action": "replay",
                "data-key": `replay-${key}`,
                on: { click: () => act("replay", { title: "Replay?", text: h("p", null, `Gives ${words} back to the dispatchers. Remove the cause first, or it comes back.`), yes: "Replay" }) },
            },
            "Replay …",
        ),
        may("steward") &&
            h(
                "button",
                {
                    type: "button",
                    class: "small danger",
                    "data-action": "drop",
                    "data-key": `drop-${key}`,
                    on: { click: () => act("drop", { title: "Drop for good?", text: h("p", null, `Takes ${words} away. Nothing brings it back.`), yes: "Drop", isDangerous: true, type: "drop" }) },
                },
                "Drop …",
            ),
    );
}
