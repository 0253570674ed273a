// A batch: how it ended, what is on its way and where, what failed alike, its parts, and the end of it.

import { ApiError, get, post, remove } from "./api.js";
import { copyMenu, curl, toast, waybill } from "./copy.js";
import { confirmation } from "./dialog.js";
import { h } from "./dom.js";
import { count, duration, plural, share, shortID, trim } from "./format.js";
import { ALL_OUTCOMES, outcomeBadge, outcomeBar, withoutReason } from "./outcomes.js";
import { panel } from "./panel.js";
import { recordsPanel } from "./records.js";
import { href } from "./route.js";
import { may } from "./session.js";
import { nextSteps, nothingFound, rightNow } from "./story.js";
import { foreign } from "./text.js";
import { time } from "./time.js";

const GROUP_COLUMNS = [
    ["count", "Count"],
    ["what", "Outcome and reason"],
    ["client", "Client"],
    ["lane", "Lane"],
    ["topic", "Topic"],
    ["first", "First"],
    ["last", "Last"],
    ["examples", "Examples"],
];

/** How far back the rate looks, in milliseconds. */
const RATE_SPAN = 60_000;
/** After so many milliseconds what is cancelled has ended as far as it is known; what is deferred then, is newer. */
const SETTLING = 60_000;
/** How many parts are shown. */
const PARTS_SHOWN = 20;

/** @param {HTMLElement} place @param {import("./route.js").Route} route */
export function batchView(place, route) {
    const name = route.id ?? "";
    /**
     * How many had ended when.
     *
     * @type {{at: number, ended: number}[]}
     */
    const seen = [];
    const batch = panel({
        name: "batch",
        title: "Batch",
        lines: 8,
        load: (signal) => get("/v1/explain", { batch: name }, signal),
        draw: (answer) => {
            // What tells of records has nothing to tell.
            parts.element.hidden = records.element.hidden = !answer.total;
            if (!answer.total) return nothingFound(["No record of a batch ", h("code", null, foreign(name)), " is in the log"], answer);
            const pending = answer.pending.reduce((/** @type {number} */ sum, /** @type {any} */ each) => sum + each.count, 0);
            return drawBatch(answer, pending, rateOf(seen, answer.total - pending), () => batch.reload());
        },
        tools: copyMenu("batch", () => ({ curl: curl(`/v1/batches/${encodeURIComponent(name)}`), waybill: waybill(["explain", "--as", "batch", "--", name]), link: true })),
    });
    const parts = panel({
        name: "parts",
        title: "Parts and slowest",
        lines: 4,
        load: (signal) => parted(name, signal),
        draw: drawParts,
        isLive: () => false,
        tools: copyMenu("parts", () => ({ curl: curl(`/v1/batches/${encodeURIComponent(name)}`) })),
    });
    const records = recordsPanel({
        name: "records",
        title: "Records of the batch",
        query: () => ({ batch: name }),
        empty: () => h("p", null, "Nothing is recorded yet."),
    });
    place.append(batch.element, parts.element, records.element);
    return { stop: () => [batch, parts, records].forEach((each) => each.stop()) };
}

/**
 * How many end in a second, as this page has seen it.
 *
 * @param {{at: number, ended: number}[]} seen
 * @param {number} ended
 */
function rateOf(seen, ended) {
    const now = Date.now();
    seen.push({ at: now, ended });
    while (seen.length > 2 && now - seen[0].at > RATE_SPAN) seen.shift();
    const first = seen[0];
    return now - first.at < 4000 ? null : Math.max(0, (ended - first.ended) / ((now - first.at) / 1000));
}

/** @param {any} answer @param {number} pending @param {number | null} rate @param {() => void} reload */
function drawBatch(answer, pending, rate, reload) {
    const accepted = answer.outcomes.find((/** @type {any} */ each) => each.outcome === "accepted")?.count ?? 0;
    const sorted = [...answer.outcomes].sort((a, b) => ALL_OUTCOMES.indexOf(a.outcome) - ALL_OUTCOMES.indexOf(b.outcome));
    return [
        h("div", { class: "subject-head" }, h("p", { class: "headline" }, foreign(answer.batch_id, { cut: 200 })), orderButtons(answer, pending, reload)),
        answer.cancelled?.map((/** @type {any} */ order) => drawCancellation(order, answer.batch_id)),
        answer.sampled && h("p", { class: "note" }, `A sample: ${count(answer.sampled)} records were looked at, for all of them took too long.`),
        h(
            "div",
            { class: "figures" },
            figure(count(answer.total), "recorded"),
            figure(share(accepted, answer.total), "accepted"),
            figure(count(pending), "on their way"),
            pending > 0 && rate !== null && figure(`${trim(rate)}/s`, "ending"),
            pending > 0 && rate !== null && rate > 0 && figure(duration((pending / rate) * 1000), "until done, at this rate"),
            answer.receipts?.arrived > 0 && figure(count(answer.receipts.arrived), "arrived, by receipts"),
            answer.receipts?.opened > 0 && figure(count(answer.receipts.opened), "opened"),
            answer.receipts?.acknowledged > 0 && figure(count(answer.receipts.acknowledged), "acknowledged"),
            answer.first && answer.last && figure(duration(Math.max(0, Date.parse(answer.last) - Date.parse(answer.first))), "from first to last"),
        ),
        outcomeBar(answer.outcomes),
        h(
            "div",
            { class: "legend" },
            sorted.map((/** @type {any} */ each) =>
                h(
                    "a",
                    { class: "legend-item", href: href({ range: "7d", filters: { batch: [answer.batch_id], outcome: [each.outcome] } }), "data-outcome": each.outcome, "data-key": `legend-${each.outcome}` },
                    outcomeBadge(each.outcome),
                    h("span", { class: "legend-count" }, count(each.count)),
                ),
            ),
        ),
        answer.first && h("p", { class: "dim" }, "First ", time(answer.first), ", last ", time(answer.last)),
        nextSteps(answer.next, answer.see),
        // Who cancelled it stands at the head.
        rightNow(answer.now?.slice(answer.cancelled?.length ?? 0), answer.see),
        groupTable("What failed alike", answer.failures, answer.batch_id),
        groupTable("On their way", answer.pending, answer.batch_id),
        // Somebody wanted it so: that is no failure.
        groupTable("Cancelled", answer.cancelled_groups ?? [], answer.batch_id),
        groupTable("Superseded by newer notifications", answer.superseded_groups ?? [], answer.batch_id),
    ];
}

/** @param {string} number @param {string} label */
const figure = (number, label) => h("div", { class: "figure" }, h("b", null, number), h("span", null, label));

/** When what was put off is tried again; null where no group says so. @param {any[]} groups */
function dueNote(groups) {
    const due = groups.filter((group) => group.due);
    if (!due.length) return null;
    const first = due.map((group) => group.due).sort()[0];
    const last = due.map((group) => group.due_by).sort().at(-1);
    return h("p", { class: "note" }, "Tried again not before ", time(first), "; the delays of all of them are over by ", time(last), ".");
}

/** @param {string} title @param {any[]} groups @param {string} batch */
function groupTable(title, groups, batch) {
    if (!groups.length) return null;
    return [
        h("h3", null, title),
        h(
            "div",
            { class: "table-frame" },
            h(
                "table",
                { class: "groups batch-groups" },
                h("thead", null, h("tr", null, GROUP_COLUMNS.map(([name, title]) => h("th", { scope: "col", class: name === "count" ? "number" : `c-${name}` }, title)))),
                h(
                    "tbody",
                    null,
                    groups.map((group) => {
                        const filters = /** @type {Record<string, string[]>} */ ({ batch: [batch] });
                        for (const name of ["outcome", "reason", "client", "lane", "topic"]) if (group[name] !== undefined) filters[name] = [group[name]];
                        return h(
                            "tr",
                            { "data-outcome": group.outcome, "data-reason": group.reason },
                            h("td", { class: "number c-count" }, h("b", null, count(group.count))),
                            h("td", { class: "c-what" }, outcomeBadge(group.outcome), " ", h("a", { class: "row-link", href: href({ range: "7d", filters }) }, group.reason ? foreign(group.reason, { cut: 80 }) : withoutReason(group.outcome))),
                            h("td", { class: "c-client", "data-label": "Client" }, group.client ? foreign(group.client, { cut: 40 }) : "–"),
                            h("td", { class: "c-lane", "data-label": "Lane" }, group.lane ? h("a", { href: href({ view: "lane", id: group.lane, filters: {} }) }, foreign(group.lane, { cut: 40 })) : "–"),
                            h("td", { class: "c-topic", "data-label": "Topic" }, group.topic ? foreign(group.topic, { cut: 40 }) : "–"),
                            h("td", { class: "c-first", "data-label": "First" }, time(group.first)),
                            h("td", { class: "c-last", "data-label": "Last" }, time(group.last)),
                            h("td", { class: "c-examples mono", "data-label": "Examples" }, h("span", null, group.examples.map((/** @type {string} */ id) => h("a", { href: href({ view: "story", id, filters: {} }), title: id, "aria-label": `Example ${id}` }, shortID(id).slice(-6))))),
                        );
                    }),
                ),
            ),
        ),
        dueNote(groups),
    ];
}

/**
 * A batch with its parts; `null` where nothing is recorded of it.
 *
 * @param {string} name
 * @param {AbortSignal} signal
 */
async function parted(name, signal) {
    try {
        return await get(`/v1/batches/${encodeURIComponent(name)}`, {}, signal);
    } catch (error) {
        if (error instanceof ApiError && error.status === 404) return null;
        throw error;
    }
}

/** @param {any} answer */
function drawParts(answer) {
    if (!answer?.total) return h("p", { class: "empty" }, "Nothing is recorded yet.");
    const { parts, slowest } = answer;
    return [
        answer.sampled && h("p", { class: "note" }, `Of a sample: ${count(answer.sampled)} records were looked at.`),
        h(
            "div",
            { class: "columns" },
            h(
                "div",
                null,
                h("h3", null, plural(answer.part_count, "part")),
                answer.part_count > PARTS_SHOWN && h("p", { class: "note" }, `The ${PARTS_SHOWN} with the most that was not accepted.`),
                h(
                    "ul",
                    { class: "bars" },
                    parts.slice(0, PARTS_SHOWN).map((/** @type {any} */ part) =>
                        h("li", null, h("a", { href: href({ range: "7d", filters: { batch: [part.batch_id], exact: ["true"] } }) }, foreign(part.batch_id, { cut: 60 })), outcomeBar(part.outcomes), h("span", { class: "number" }, count(part.count))),
                    ),
                ),
            ),
            h(
                "div",
                null,
                h("h3", null, "The slowest answers"),
                slowest.length
                    ? h(
                          "ul",
                          { class: "bars" },
                          slowest.map((/** @type {any} */ each) =>
                              h(
                                  "li",
                                  null,
                                  h("a", { class: "mono", href: href({ view: "story", id: each.apns_id, filters: {} }), title: each.apns_id }, shortID(each.apns_id)),
                                  h("span", { class: "length-bar", style: { "--share": each.latency_ms / slowest[0].latency_ms } }),
                                  h("span", { class: "number" }, duration(each.latency_ms)),
                              ),
                          ),
                      )
                    : h("p", { class: "dim" }, "None was answered."),
            ),
        ),
    ];
}

/**
 * Who has cancelled it, when and why.
 *
 * @param {{batch_id: string, by: string, at: string, client?: string, note?: string}} order
 * @param {string} whole the batch that is shown
 */
function drawCancellation(order, whole) {
    return h(
        "p",
        { class: "order" },
        "Cancelled ",
        order.batch_id !== whole && ["with ", foreign(order.batch_id, { cut: 100 }), " "],
        order.client !== undefined && ["for ", foreign(order.client, { cut: 40 }), " "],
        "by ",
        foreign(order.by, { cut: 100 }),
        ", ",
        time(order.at),
        order.note && [": “", foreign(order.note, { cut: 500 }), "”"],
    );
}

/**
 * What may be ordered of a batch: what is cancelled is cancelled, unless more of it has come since.
 *
 * @param {any} answer
 * @param {number} pending
 * @param {() => void} reload
 */
function orderButtons(answer, pending, reload) {
    if (!may("operator")) return null;
    const latest = Math.max(...(answer.cancelled ?? []).map((/** @type {any} */ each) => Date.parse(each.at)));
    const hasMore = pending > 0 && Date.now() - latest > SETTLING;
    const mayBeCancelled = !answer.cancelled || hasMore;
    // A part of what was cancelled whole is lifted with the whole.
    const mayBeLifted = answer.cancelled?.some((/** @type {any} */ each) => each.batch_id === answer.batch_id);
    return [
        mayBeLifted && liftButton(answer.batch_id, reload),
        mayBeCancelled && cancelButton(answer.batch_id, answer.cancelled ? "Cancel again …" : "Cancel the batch …", reload),
    ];
}

/** @param {string} name @param {() => void} reload */
function liftButton(name, reload) {
    return h(
        "button",
        {
            type: "button",
            class: "small",
            id: "lift-cancellation",
            "data-key": "lift-cancellation",
            on: {
                click: async () => {
                    const answer = await confirmation({
                        title: "Send what still waits of this batch?",
                        text: [h("p", null, foreign(name)), h("p", null, "What was not sent yet, and has not ended, is sent. What has ended as cancelled stays so.")],
                        yes: "Lift the cancellation",
                    });
                    if (!answer) return;
                    try {
                        const lift = await remove(`/v1/batches/${encodeURIComponent(name)}/cancel`);
                        toast(lifted(lift.still_cancelled), lift.still_cancelled.length === 0 ? undefined : 8000);
                        reload();
                    } catch (error) {
                        toast(`Not lifted: ${/** @type {Error} */ (error).message}`);
                    }
                },
            },
        },
        "Lift the cancellation …",
    );
}

/**
 * What becomes of a batch whose cancellation was lifted.
 *
 * @param {{batch_id: string, client?: string, by?: string}[]} still the cancellations that hold all the same
 */
function lifted(still) {
    if (still.length === 0) return "Lifted; every dispatcher follows within seconds";
    const [{ batch_id, client, by }] = still;
    const more = still.length > 1 ? `, and by ${still.length - 1} more` : "";
    return `Lifted, but still cancelled: ${batch_id}, for ${client ?? "all clients"}${by === undefined ? "" : `, by ${by}`}${more}`;
}

/** @param {string} name @param {string} title @param {() => void} reload */
function cancelButton(name, title, reload) {
    return h(
        "button",
        {
            type: "button",
            class: "danger small",
            id: "cancel-batch",
            "data-key": "cancel-batch",
            on: {
                click: async () => {
                    const answer = await confirmation({
                        title: "Send nothing more of this batch?",
                        text: [h("p", null, foreign(name)), h("p", null, "What was not sent yet, in all its parts, ends as cancelled within seconds. What was sent stays sent; what has ended cannot be sent again. What is published later under the same name is sent.")],
                        yes: "Cancel the batch",
                        isDangerous: true,
                        takesNote: true,
                    });
                    if (!answer) return;
                    try {
                        await post(`/v1/batches/${encodeURIComponent(name)}/cancel`, answer);
                        toast("Ordered; every dispatcher follows within seconds");
                        reload();
                    } catch (error) {
                        toast(`Not ordered: ${/** @type {Error} */ (error).message}`);
                    }
                },
            },
        },
        title,
    );
}
