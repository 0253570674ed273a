// One notification in the list of what one was told.

import { h } from "./dom.js";
import { foreign, plain } from "./text.js";
import { time } from "./time.js";

/** @type {Record<string, [string, string]>} */
const LEVELS = { info: ["Information", ""], warning: ["Warning", "is-degraded"], error: ["Error", "is-down"], critical: ["Critical", "is-down"] };
/** @type {Record<string, string>} */
const REASONS = { level: "you are not told of this level", muted: "you have muted the service", quiet_hours: "in your quiet hours" };

/**
 * @param {any} each
 * @param {string} name of its service
 * @param {(notification: any, what: "read" | "acknowledged") => void} mark
 */
export function notificationRow(each, name, mark) {
    const { receipt } = each;
    const [word, grade] = LEVELS[each.level];
    const subject = plain(each.title ?? name);
    return h(
        "li",
        { "data-id": each.id, class: receipt.read_at ? "is-read" : "" },
        h(
            "div",
            null,
            h("strong", null, foreign(each.title ?? name)),
            h("span", { class: `state-word ${grade}` }, word),
            h("p", null, foreign(each.body, { cut: 1000, lines: true })),
            each.text && h("details", { "data-key": `text-${each.id}` }, h("summary", null, "More"), h("p", { class: "dim" }, foreign(each.text, { cut: 4096, lines: true }))),
            each.url && h("p", null, link(each.url)),
            h("p", { class: "dim" }, each.title && [foreign(name), ", "], time(each.at), state(receipt)),
        ),
        !receipt.read_at && h("button", { type: "button", class: "small", "data-key": `read-${each.id}`, "aria-label": `Read: ${subject}`, on: { click: () => mark(each, "read") } }, "Read"),
        !receipt.acknowledged_at && h("button", { type: "button", class: "small", "data-key": `acknowledge-${each.id}`, "aria-label": `Acknowledge: ${subject}`, on: { click: () => mark(each, "acknowledged") } }, "Acknowledge"),
    );
}

/** @param {any} receipt */
function state(receipt) {
    const parts = [];
    if (receipt.state === "suppressed") parts.push(`; not sent to your devices: ${REASONS[receipt.reason] ?? plain(receipt.reason)}`);
    if (receipt.acknowledged_at) parts.push("; acknowledged ", time(receipt.acknowledged_at));
    else if (receipt.read_at) parts.push("; read ", time(receipt.read_at));
    return parts;
}

/**
 * Where there is more. Only the web's own addresses are links: another one may begin anything on this machine.
 *
 * @param {string} url
 */
function link(url) {
    return /^https?:\/\//i.test(url) ? h("a", { href: url, rel: "noopener noreferrer", target: "_blank", referrerpolicy: "no-referrer" }, foreign(url)) : foreign(url);
}
