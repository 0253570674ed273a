// The story of a notification, and of a device: what it means and what to do first, then how it came to that.

import { get, post } from "./api.js";
import { copyMenu, curl, waybill } from "./copy.js";
import { h } from "./dom.js";
import { duration } from "./format.js";
import { outcomeMark, outcomeWords } from "./outcomes.js";
import { panel } from "./panel.js";
import { currentToken, go, href } from "./route.js";
import { termOf } from "./terms.js";
import { foreign, plain } from "./text.js";
import { time } from "./time.js";
import { timeline } from "./timeline.js";

/** @param {HTMLElement} place @param {import("./route.js").Route} route */
export function storyView(place, route) {
    const id = route.id ?? "";
    const story = panel({
        name: "story",
        title: "Story of a notification",
        lines: 12,
        load: async (signal) => {
            const answer = await get("/v1/explain", { apns_id: id }, signal);
            // The id of what a service has said: its deliveries have ids of their own.
            if (answer.batch) go({ view: "batch", id: answer.batch.batch_id, filters: {} }, { replace: true });
            return answer;
        },
        draw: (answer) =>
            answer.notifications.length
                ? [rightNow(answer.now, answer.see), answer.notifications.map((/** @type {any} */ each) => drawStory(each, { isWhole: true, see: answer.see }))]
                : nothingFound(["No notification ", h("code", null, foreign(id)), " is in the log"], answer),
        // What is final stays as it is.
        isLive: () => place.querySelector(".is-pending-story") !== null || place.querySelector(".nothing") !== null,
        tools: copyMenu("story", () => ({ curl: curl("/v1/explain", { apns_id: id }), waybill: waybill(["explain", id]), link: true })),
    });
    place.append(story.element);
    return { stop: story.stop };
}

/** @param {HTMLElement} place */
export function tokenView(place) {
    const token = currentToken();
    if (!token) {
        place.append(
            h(
                "section",
                { class: "panel", id: "device" },
                h("h2", null, "Story of a device"),
                h("p", null, "A device token is in no address, and the page forgets it when it is loaded again: put it into the search box once more."),
            ),
        );
        return { stop: () => {} };
    }
    const device = panel({
        name: "device",
        title: "Story of a device",
        lines: 12,
        load: (signal) => post("/v1/explain", { token }, signal),
        draw: (answer) => drawDevice(answer, token),
        // Each look-up leaves a line in the audit: one is enough.
        isLive: () => false,
        tools: copyMenu("device", () => ({
            curl: `${curl("/v1/explain", {}, { body: "-" })} < token.json`,
            waybill: "waybill explain - < token.txt",
        })),
    });
    place.append(device.element);
    return { stop: device.stop };
}

/** @param {any} answer @param {string} token */
function drawDevice(answer, token) {
    return [
        h("p", { class: "subject" }, "Token ", h("code", null, `…${token.slice(-8)}`), h("span", { class: "dim" }, ` (${token.length} digits, not in the address; this look-up is in the audit)`)),
        answer.registry.length > 0 &&
            h(
                "div",
                { class: "registry" },
                h("h3", null, "The registry says"),
                h("ul", null, answer.registry.map((/** @type {any} */ step) => h("li", null, foreign(step.text), step.reason && [": ", foreign(step.reason)], step.date && [", ", time(step.date)]))),
            ),
        answer.notifications.length === 0
            ? nothingFound(["No push to this device is in the log"], answer)
            : [
                  nextSteps(answer.next, answer.see),
                  rightNow(answer.now, answer.see),
                  h("h3", null, answer.has_more ? "The newest ten pushes" : `${answer.notifications.length === 1 ? "The only push" : `All ${answer.notifications.length} pushes`}`),
                  answer.notifications.map((/** @type {any} */ each, /** @type {number} */ index) => drawStory(each, { isWhole: index === 0, said: answer.next, see: answer.see })),
              ],
    ];
}

/**
 * The route of the API for a command.
 *
 * @typedef {{command: string, get?: string, post?: string, delete?: string}} See
 */

/**
 * What to do where nothing is recorded.
 *
 * @param {any} headline
 * @param {{now?: string[], next: string[], see?: See[]}} answer
 */
export function nothingFound(headline, answer) {
    return h(
        "div",
        { class: "nothing" },
        h("p", { class: "headline" }, headline),
        rightNow(answer.now, answer.see),
        answer.now?.length ? nextSteps(answer.next, answer.see) : [h("p", null, "What that can mean, and what to do:"), h("ul", null, answer.next.map((each) => h("li", null, withCommands(each, answer.see))))],
    );
}

/**
 * What keeps pushes from being sent at this moment.
 *
 * @param {string[]} [now]
 * @param {See[]} [see]
 */
export function rightNow(now, see) {
    if (!now?.length) return null;
    return h("div", { class: "right-now" }, h("h3", null, "Right now"), h("ul", null, now.map((each) => h("li", null, withCommands(each, see)))));
}

/**
 * What to do, in words.
 *
 * @param {string[]} next
 * @param {See[]} [see]
 */
export function nextSteps(next, see) {
    if (!next.length) return null;
    return h("div", { class: "next" }, h("h3", null, "What to do"), h("ul", null, next.map((each) => h("li", null, withCommands(each, see)))));
}

/**
 * What stands between backquotes is a command; where the key may ask for the same here, it is the way there.
 *
 * @param {string} text
 * @param {See[]} [see]
 */
function withCommands(text, see = []) {
    return text.split("`").map((part, index) => {
        if (index % 2 === 0) return withTimes(part);
        const found = see.find((each) => each.command === part);
        const target = found && targetOf(found.get ?? found.post ?? found.delete ?? "");
        const code = h("code", null, foreign(part));
        return target ? h("a", { href: href(target) }, code) : code;
    });
}

/**
 * Points in time as they are everywhere on the page.
 *
 * @param {string} text
 */
const withTimes = (text) => text.split(/(\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z)/).map((part, index) => (index % 2 ? time(part) : foreign(part, { cut: 1000 })));

/** Which view shows what a route of the API shows, or has the button for what it does. */
const TARGETS = /** @type {[RegExp, (name: string) => Partial<import("./route.js").Route>][]} */ ([
    [/^\/v1\/(?:status|lanes)$/, () => ({ view: "overview", filters: {} })],
    [/^\/v1\/rejected(?:\/[^/]+)?$/, () => ({ view: "rejected", filters: {} })],
    [/^\/v1\/explain\?apns_id=([^&]+)$/, (id) => ({ view: "story", id, filters: {} })],
    [/^\/v1\/lanes\/([^/]+)\/resume$/, (id) => ({ view: "lane", id, filters: {} })],
    [/^\/v1\/batches\/([^/]+)\/cancel(?:\?.*)?$/, (id) => ({ view: "batch", id, filters: {} })],
]);

/**
 * What of the page shows the same as a route of the API.
 *
 * @param {string} path
 * @returns {Partial<import("./route.js").Route> | null}
 */
function targetOf(path) {
    for (const [form, target] of TARGETS) {
        const found = form.exec(path);
        if (found) return target(decodeURIComponent(found[1] ?? ""));
    }
    return null;
}

/**
 * @param {any} story
 * @param {{isWhole: boolean, said?: string[], see?: See[]}} how `isWhole`: open, else folded; `said`: what to do, said before; `see`: of
 *   the answer that it is of
 */
function drawStory(story, { isWhole, said = [], see }) {
    const { record } = story;
    const isPending = record.outcome === "deferred";
    const head = h(
        "div",
        { class: "story-head" },
        h("span", { class: `story-mark o-${record.outcome}` }, outcomeMark(record.outcome)),
        h(
            "div",
            null,
            h("p", { class: "headline", "data-outcome": record.outcome }, capital(outcomeWords(record.outcome)), record.reason && [": ", foreign(record.reason)]),
            h("p", { class: "meaning" }, foreign(capital(story.meaning), { cut: 600 }), "."),
        ),
        h("p", { class: "story-when dim" }, time(record.date)),
    );
    const body = [
        nextSteps(story.next.filter((/** @type {string} */ each) => !said.includes(each)), see),
        timeline(story),
        h(
            "div",
            { class: "columns" },
            facts(record),
            h(
                "details",
                { class: "raw", open: isWhole, "data-key": `raw-${record._id}` },
                h("summary", { "data-key": `raw-summary-${record._id}` }, "The record as it is"),
                h("pre", { tabindex: "0", "aria-label": "The record as JSON" }, foreign(JSON.stringify(record, null, 2), { cut: 6000, lines: true })),
            ),
        ),
    ];
    if (isWhole) return h("article", { class: `story${isPending ? " is-pending-story" : ""}`, "data-id": record._id }, head, body);
    return h("details", { class: `story is-folded${isPending ? " is-pending-story" : ""}`, "data-id": record._id, "data-key": record._id }, h("summary", { "data-key": `summary-${record._id}` }, head), body);
}

/** @param {string} text */
const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

/**
 * What it was and whose, each with a way on.
 *
 * @param {any} record
 */
function facts(record) {
    const link = (/** @type {Partial<import("./route.js").Route>} */ to, /** @type {string} */ text) => h("a", { href: href(to), title: plain(text) }, foreign(text, { cut: 60 }));
    const like = { outcome: [record.outcome], ...(record.reason ? { reason: [termOf(record.reason)] } : {}), ...(record.client ? { client: [termOf(record.client)] } : {}), ...(record.lane ? { lane: [termOf(record.lane)] } : {}), ...(record.topic ? { topic: [termOf(record.topic)] } : {}) };
    const isFCM = record.provider === "fcm";
    /** @type {[string, any][]} */
    const rows = [
        [isFCM ? "id" : "apns-id", h("code", null, foreign(record.apns_id ?? record._id))],
        ["FCM’s id", record.provider_id && h("code", null, foreign(record.provider_id, { cut: 60 }))],
        ["batch", record.batch_id && link({ view: "batch", id: record.batch_id, filters: {} }, record.batch_id)],
        ["client", record.client && link({ filters: { client: [termOf(record.client)] } }, record.client)],
        ["lane", record.lane && link({ view: "lane", id: record.lane, filters: {} }, record.lane)],
        [isFCM ? "project" : "topic", record.topic && link({ filters: { topic: [termOf(record.topic)] } }, record.topic)],
        ["token", record.device_token && h("code", null, foreign(record.device_token, { cut: 24 }))],
        [isFCM ? "message of" : "push type", record.push_type && foreign(record.push_type)],
        ["priority", record.priority],
        ["attempts", record.attempts],
        ["answered in", record.latency_ms !== undefined && duration(record.latency_ms)],
        ["message", record.message !== undefined && foreign(record.message, { cut: 240 })],
        ["dead since", record.invalid_since && time(record.invalid_since)],
        ["more like it", record.outcome !== "accepted" && h("a", { href: href({ range: "24h", filters: like }) }, "its group, last 24 hours")],
    ];
    return h(
        "dl",
        { class: "facts" },
        rows.filter(([, value]) => value !== undefined && value !== null && value !== false && value !== "").map(([name, value]) => [h("dt", null, name), h("dd", null, value)]),
    );
}
