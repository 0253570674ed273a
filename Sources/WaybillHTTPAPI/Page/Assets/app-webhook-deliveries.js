// What a webhook was posted lately, what came of it, and how it is posted again.

import { act } from "./app-act.js";
import { call, get } from "./app-session.js";
import { confirmation } from "./dialog.js";
import { h } from "./dom.js";
import { duration, plural } from "./format.js";
import { panel } from "./panel.js";
import { foreign } from "./text.js";
import { time } from "./time.js";

/** @type {Record<string, string>} */
const STATES = { waiting: "Waits", delivered: "Taken", failed: "Given up" };

/**
 * Asked for when somebody opens it, and from then on while it is open.
 *
 * @param {string} path of the webhook
 * @param {string} id the webhook's
 */
export function deliveriesPart(path, id) {
    /** @type {import("./panel.js").Panel | null} */
    let list = null;
    const element = h(
        "details",
        {
            class: "deliveries",
            "data-key": `deliveries-${id}`,
            on: {
                toggle: () => {
                    if (!element.open || list) return;
                    list = latest();
                    element.append(list.element);
                },
            },
        },
        h("summary", { "data-key": `deliveries-summary-${id}` }, "Latest events"),
    );
    const onlyFailed = h("input", { type: "checkbox", id: `failed-only-${id}`, on: { change: () => list?.reload() } });
    const latest = () =>
        panel({
            name: `deliveries-${id}`,
            title: null,
            isLive: () => element.open,
            load: async (signal) => (await get(path, { failed: onlyFailed.checked ? "true" : "" }, signal)).events,
            draw: (/** @type {any[]} */ events) => [
                h(
                    "div",
                    { class: "tools" },
                    h("label", { class: "check", for: onlyFailed.id }, onlyFailed, " Given up alone"),
                    h("button", { type: "button", class: "small", "data-key": `again-failed-${id}`, on: { click: () => again({ failed: true }) } }, "Post what was given up"),
                    h("button", { type: "button", class: "small", "data-key": `again-range-${id}`, on: { click: () => range() } }, "Post those of a time…"),
                ),
                events.length === 0 ? h("p", { class: "dim" }, onlyFailed.checked ? "Nothing was given up." : "Nothing yet.") : h("ul", { class: "rows" }, events.map(row)),
            ],
        });
    /** @param {any} event */
    const row = (event) =>
        h(
            "li",
            { "data-id": event.event },
            h(
                "div",
                null,
                h("strong", null, foreign(event.type)),
                h("span", { class: `state-word${event.state === "failed" ? " is-down" : ""}` }, STATES[event.state]),
                h("div", { class: "dim" }, h("code", null, foreign(event.event)), " ", time(event.created_at), event.due && [", tried next ", time(event.due)]),
                event.log.length > 0 && h("ul", { class: "attempts" }, event.log.map(attempt)),
                event.answer && h("div", { class: "dim" }, "It answered: ", foreign(event.answer)),
            ),
            event.state !== "waiting" && h("button", { type: "button", class: "small", "data-key": `again-${event.event}`, "aria-label": `Post ${event.event} again`, on: { click: () => again({ event: event.event }) } }, "Post again"),
        );
    /** @param {any} each */
    const attempt = (each) => h("li", null, time(each.at), " ", each.status ? `HTTP ${each.status}` : foreign(each.error ?? "no answer"), ` after ${duration(each.ms)}`);
    /** @param {object} what */
    const again = (what) => act(async () => (await call("POST", `${path}/replay`, what)).json(), ({ events }) => (events === 0 ? "There is nothing of the kind" : `Posted again: ${plural(events, "event")}`), () => list?.reload());
    const range = async () => {
        const since = h("input", { type: "datetime-local", id: "replay-since", required: true });
        const until = h("input", { type: "datetime-local", id: "replay-until" });
        const failed = h("input", { type: "checkbox", id: "replay-failed" });
        const form = [
            "They keep their ids: whoever has taken one already can tell. ",
            h("label", { for: since.id }, "From (your time)"),
            since,
            h("label", { for: until.id }, "Until; empty: now"),
            until,
            h("label", { class: "check", for: failed.id }, failed, " Given up alone"),
        ];
        if (!(await confirmation({ title: "Post events again?", text: h("div", { class: "entry" }, form), yes: "Post them" }))) return;
        await again({ since: moment(since.value), ...(until.value ? { until: moment(until.value) } : {}), ...(failed.checked ? { failed: true } : {}) });
    };
    return {
        element,
        isOpen: () => element.open,
        /** Opens it, and asks. */
        show: async () => {
            element.open = true;
            await list?.reload();
        },
        stop: () => list?.stop(),
    };
}

/** @param {string} local as a field for date and time has it */
const moment = (local) => new Date(local).toISOString();
