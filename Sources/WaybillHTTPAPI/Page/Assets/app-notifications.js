// What one was told: the latest first, live; read, acknowledged, and why something was not told.

import { act } from "./app-act.js";
import { listen } from "./app-events.js";
import { notificationRow } from "./app-notification.js";
import { call, get } from "./app-session.js";
import { announce, h } from "./dom.js";
import { panel } from "./panel.js";
import { plain } from "./text.js";

/** How many are shown at first, and how many more each time. */
const PAGE = 50;
/** Milliseconds in which what happens together is asked for once. */
const PACE = 200;

/** @param {HTMLElement} place */
export function notificationsView(place) {
    /** @type {Map<string, string>} */
    let names = new Map();
    let wanted = PAGE;
    let isLive = false;
    /** The latest that this page has shown. */
    let latest = "";
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    let asking;

    const says = h("span", { class: "dim", id: "notifications-live" }, "Connecting …");
    const unread = h("input", { type: "checkbox", id: "unread-only", on: { change: () => anew() } });
    const service = h("select", { id: "service-only", "aria-label": "Of which service", on: { change: () => anew() } }, h("option", { value: "" }, "All services"));
    const all = h("button", { type: "button", class: "small", id: "read-all", on: { click: () => readAll() } }, "All read");

    /** @param {AbortSignal} signal */
    const learnNames = async (signal) => {
        let cursor;
        const known = new Map();
        do {
            const page = await get("/v1/services", { limit: "200", cursor }, signal);
            for (const each of page.services) known.set(each.id, each.name);
            cursor = page.next;
        } while (cursor);
        names = known;
        const chosen = service.value;
        service.replaceChildren(h("option", { value: "" }, "All services"), ...[...known].map(([id, name]) => h("option", { value: id }, plain(name))));
        service.value = known.has(chosen) ? chosen : "";
    };
    /** @param {AbortSignal} signal */
    const pages = async (signal) => {
        /** @type {any[]} */
        const found = [];
        let cursor;
        do {
            const page = await get("/v1/notifications", { limit: String(PAGE), cursor, service: service.value, unread: unread.checked ? "true" : "" }, signal);
            found.push(...page.data);
            cursor = page.next;
        } while (cursor && found.length < wanted);
        return { found, hasMore: Boolean(cursor) };
    };
    const list = panel({
        name: "notifications",
        title: "What you were told",
        tools: [says, service, h("label", { class: "check", for: "unread-only" }, unread, " Not read"), all],
        // The events say when to ask; without them the page asks by itself.
        isLive: () => !isLive,
        load: async (signal) => {
            if (names.size === 0) await learnNames(signal);
            return pages(signal);
        },
        draw: ({ found, hasMore }) => [
            found.length === 0 ? h("p", { class: "empty" }, unread.checked || service.value ? "Nothing of the kind." : "Nothing yet.") : h("ul", { class: "rows notifications" }, found.map((/** @type {any} */ each) => notificationRow(each, names.get(each.service) ?? "A service of before", mark))),
            hasMore && h("div", { class: "buttons" }, h("button", { type: "button", class: "small", id: "older", "data-key": "older", on: { click: () => older() } }, "Older")),
        ],
    });
    place.append(list.element);

    const anew = () => {
        wanted = PAGE;
        return list.reload();
    };
    const older = () => {
        wanted += PAGE;
        return list.reload();
    };
    /** @param {any} notification @param {"read" | "acknowledged"} what */
    const mark = (notification, what) => act(() => call("PUT", `/v1/notifications/${notification.id}/${what}`), what === "read" ? "It is read, on all of your devices" : "It is acknowledged", list.reload);
    const readAll = () => act(() => call("PUT", "/v1/notifications/read", service.value ? { service: service.value } : {}), "All of them are read, on all of your devices", list.reload);
    const askSoon = () => {
        clearTimeout(asking);
        asking = setTimeout(list.reload, PACE);
    };
    const stream = listen({
        hear: (name, data) => {
            if (name === "service" || name === "membership" || name === "reset") names = new Map();
            if (name === "notification" && data?.id && data.id !== latest) {
                latest = data.id;
                announce("A new notification");
            }
            askSoon();
        },
        turn: (now) => {
            isLive = now;
            says.textContent = now ? "Live" : "Connecting …";
        },
    });
    return {
        stop: () => {
            clearTimeout(asking);
            stream.stop();
            list.stop();
        },
    };
}
