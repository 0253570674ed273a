// The state line: what is wrong, first and biggest; then every part of the installation with its state.

import { get } from "./api.js";
import { copyMenu, curl, waybill } from "./copy.js";
import { h } from "./dom.js";
import { age, compact, count, plural } from "./format.js";
import { panel } from "./panel.js";
import { href } from "./route.js";
import { foreign } from "./text.js";
import { clock } from "./time.js";

const VERDICTS = { healthy: "Everything works", degraded: "Pushes go out, and something needs a look", down: "Pushes do not go out" };
const MOST_FINDINGS = 6;
/** Milliseconds that the state waits for what is beside it. */
const PATIENCE = 1500;

/** The panel of the state line. */
export function statePanel() {
    return panel({
        name: "state",
        title: "State",
        lines: 3,
        agesAloud: true,
        load: async (signal) => {
            const status = await get("/v1/status", {}, signal);
            if (status.grade !== "healthy") return status;
            // That all is well is believed sooner with the last push that got through.
            const soon = AbortSignal.any([signal, AbortSignal.timeout(PATIENCE)]);
            const last = await get("/v1/deliveries", { outcome: "accepted", since: "1h", limit: 1 }, soon).catch(() => undefined);
            return { ...status, last: last && (last.deliveries[0]?.date ?? null) };
        },
        draw: drawState,
        tools: copyMenu("state", () => ({ curl: curl("/v1/status"), waybill: waybill(["status"]) })),
    });
}

/**
 * @param {any} status of `/v1/status`
 * @param {{seconds: number, answered: number} | null} stale whether it may not be so any more
 */
function drawState(status, stale) {
    const known = status.grade in VERDICTS ? /** @type {keyof typeof VERDICTS} */ (status.grade) : "degraded";
    const grade = stale ? "not-known" : known;
    const verdict = stale ? `No answer for ${stale.seconds} s` : VERDICTS[known];
    const more = stale ? `At ${clock(stale.answered)}: ${VERDICTS[known]}` : known === "healthy" ? lastWords(status) : null;
    const findings = [...status.findings];
    return [
        h(
            "div",
            { class: `verdict is-${grade}`, "data-grade": grade },
            h("p", { class: "verdict-line" }, gradeMark(grade), h("strong", null, verdict), more && h("span", { class: "verdict-more" }, more)),
            findings.length > 0 &&
                h(
                    "ul",
                    { class: "findings" },
                    findings.slice(0, MOST_FINDINGS).map(drawFinding),
                    findings.length > MOST_FINDINGS &&
                        h(
                            "li",
                            null,
                            h(
                                "details",
                                { "data-key": "more-findings" },
                                h("summary", { "data-key": "more-findings-summary" }, `${findings.length - MOST_FINDINGS} more`),
                                h("ul", { class: "findings" }, findings.slice(MOST_FINDINGS).map(drawFinding)),
                            ),
                        ),
                ),
        ),
        h("ul", { class: "parts" }, drawBroker(status), drawStore(status), drawProcesses(status), drawLanes(status)),
    ];
}

/** @param {any} status its `last` is `null` where there is none, and absent where nobody says */
function lastWords(status) {
    if (status.last === undefined) return null;
    return status.last ? `The last push was accepted ${age(Date.parse(status.at) - Date.parse(status.last))} ago` : "No push was accepted in the last hour";
}

/** @param {{kind: string, grade: string, text: string, lane?: string, advice?: string}} finding */
function drawFinding(finding) {
    const { lane } = finding;
    const isRejected = finding.kind === "rejected_held";
    return h(
        "li",
        { class: `finding is-${finding.grade}`, "data-grade": finding.grade },
        h("p", { class: "finding-text" }, foreign(sentence(finding.text), { cut: 400 })),
        (finding.advice || lane || isRejected) &&
            h(
                "p",
                { class: "advice" },
                finding.advice && foreign(finding.advice, { cut: 600 }),
                lane && [" ", h("a", { href: href({ view: "lane", id: lane, filters: {} }) }, "Lane ", foreign(lane))],
                isRejected && [" ", h("a", { href: href({ view: "rejected", filters: {} }) }, "Rejected messages")],
            ),
    );
}

/** @param {string} text */
function sentence(text) {
    const words = text.replace(/:\s*$/, "");
    // The name of a queue is written as it is.
    return /^\S*\./.test(words) ? words : words.charAt(0).toUpperCase() + words.slice(1);
}

/**
 * The mark of a grade: a form of its own besides the colour.
 *
 * @param {string} grade
 */
export function gradeMark(grade) {
    const path = { healthy: "M4 8.500l3 3 5.500-7", degraded: "M8 3.500v5.500M8 12.500h.01", down: "M4.500 4.500l7 7M11.500 4.500l-7 7" }[grade] ?? "M4 8h8";
    return h("svg", { class: `grade is-${grade}`, viewBox: "0 0 16 16", "aria-hidden": "true" }, h("path", { d: path }));
}

/**
 * @param {object} part
 * @param {string} part.label
 * @param {string} part.grade
 * @param {any} part.says
 * @param {any} [part.more]
 * @param {string} [part.link]
 */
function partItem({ label, grade, says, more, link }) {
    const content = [
        h("span", { class: "part-label" }, gradeMark(grade), label),
        h("span", { class: "part-says" }, says),
        h("span", { class: "part-more" }, more ?? "\u00a0"),
    ];
    return h("li", { class: "state-part", "data-part": label }, link ? h("a", { href: link, "data-key": `part-${label}-${link}` }, content) : h("div", null, content));
}

/** @param {any} status */
function drawBroker(status) {
    const { broker } = status;
    if (!broker) return partItem({ label: "Broker", grade: "down", says: "does not answer" });
    const ready = broker.queues.reduce((/** @type {number} */ sum, /** @type {any} */ queue) => sum + queue.ready, 0);
    const oldest = Math.max(0, ...broker.queues.map((/** @type {any} */ queue) => queue.oldest_seconds_at_most ?? 0));
    const consumers = Math.min(...broker.queues.map((/** @type {any} */ queue) => queue.consumers));
    const alarms = broker.alarms ?? [];
    const missing = broker.missing_nodes ?? [];
    const trouble = alarms[0] ?? missing[0];
    return [
        partItem({
            label: "Broker",
            grade: consumers === 0 || broker.blocked ? "down" : missing.length ? "degraded" : "healthy",
            says: trouble ? foreign(trouble) : broker.blocked ? "takes no messages" : consumers === 0 ? "no consumer" : `${plural(ready, "message")} ready`,
            more: [(consumers === 0 || broker.blocked) && `${count(ready)} ready`, oldest > 0 && `the oldest waits ${age(oldest * 1000)} at most`, broker.delayed > 0 && `${count(broker.delayed)} delayed`].filter(Boolean).join(" · "),
        }),
        partItem({
            label: "Rejected",
            grade: broker.rejected ? "degraded" : "healthy",
            says: broker.rejected ? plural(broker.rejected, "message") : "no message",
            more: broker.rejected ? "look at why" : null,
            link: href({ view: "rejected", filters: {} }),
        }),
    ];
}

/** @param {any} status */
function drawStore(status) {
    const { store } = status;
    if (!store) return partItem({ label: "Store", grade: "down", says: "does not answer" });
    const hasPrimary = store.primary !== false;
    const lag = store.majority_lag_seconds ?? 0;
    return partItem({
        label: "Store",
        grade: !hasPrimary ? "down" : lag >= 10 ? "degraded" : "healthy",
        says: hasPrimary ? `about ${compact(store.records)} records` : "no primary",
        more: lag >= 1 ? `majority ${lag} s behind` : store.next_expiry ? h("span", { title: store.next_expiry }, `the next expires in ${age(Date.parse(store.next_expiry) - Date.parse(status.at))}`) : "none expires",
    });
}

/** @param {any} status */
function drawProcesses(status) {
    const present = status.processes.filter((/** @type {any} */ each) => !each.ended);
    const known = new Set(["dispatch", "prune"]);
    return [...known].map((role) => {
        const all = present.filter((/** @type {any} */ each) => each.role === role);
        const ready = all.filter((/** @type {any} */ each) => each.status?.ready && !each.silent);
        const stopping = all.filter((/** @type {any} */ each) => each.status?.stopping && !each.silent).length;
        const rate = all.reduce((/** @type {number} */ sum, /** @type {any} */ each) => sum + sumOf(each.status?.rates?.["1m"]), 0);
        const label = role === "dispatch" ? "Dispatchers" : "Prune";
        if (!status.store) return partItem({ label, grade: "degraded", says: "not known", more: "the store would tell" });
        const lacking = role === "dispatch" ? "down" : "degraded";
        return partItem({
            label,
            grade: ready.length === 0 ? lacking : ready.length + stopping < all.length ? "degraded" : "healthy",
            says: all.length === 0 ? "none runs" : ready.length === all.length ? `${count(all.length)} ready` : `${ready.length} of ${all.length} ready${stopping ? `, ${stopping} stopping` : ""}`,
            more: all.length ? `${rate < 10 ? rate.toFixed(1) : compact(Math.round(rate))} a second` : null,
        });
    });
}

/** @param {Record<string, number> | undefined} rates */
const sumOf = (rates) => Object.values(rates ?? {}).reduce((sum, each) => sum + each, 0);

/** @param {any} status */
function drawLanes(status) {
    return lanesOf(status).map(({ name, places }) => {
        const worst = worstOf(places);
        const isOpen = worst.state === "open";
        const isWell = isOpen && !worst.trouble;
        const streams = places.reduce((sum, each) => sum + (each.streams ?? 0), 0);
        const connections = places.reduce((sum, each) => sum + (each.connections ?? 0), 0);
        return partItem({
            label: "Lane",
            grade: isWell ? "healthy" : "degraded",
            says: foreign(name, { cut: 40 }),
            more: isWell
                ? `open · ${plural(connections, "connection")}, ${plural(streams, "stream")}`
                : isOpen
                  ? [h("b", null, "open"), " · ", foreign(worst.trouble.split(":")[0], { cut: 80 })]
                  : [h("b", null, worst.state), worst.cause ? [" · ", foreign(worst.cause, { cut: 60 })] : null, worst.since ? ` · ${age(Date.parse(status.at) - Date.parse(worst.since))}` : null],
            link: href({ view: "lane", id: name, filters: {} }),
        });
    });
}

/**
 * The lanes in every process that is up.
 *
 * @param {any} status
 * @returns {{name: string, places: any[]}[]} by name; each place has what a dispatcher says, its `process`, and in `trouble`
 *     what goes wrong while the lane is open
 */
export function lanesOf(status) {
    /** @type {Map<string, any[]>} */
    const lanes = new Map();
    for (const each of status.processes) {
        if (each.ended) continue;
        for (const lane of each.status?.lanes ?? []) {
            const places = lanes.get(lane.name) ?? [];
            const found = each.status.troubles?.find((/** @type {{lane?: string}} */ trouble) => trouble.lane === lane.name);
            const known = each.silent
                ? { ...lane, state: "not heard of", cause: undefined, advice: undefined, since: each.seen }
                : { ...lane, trouble: found?.text.replace(`lane ${lane.name}: `, ""), advice: lane.advice ?? found?.advice };
            places.push({ ...known, process: `${each.role} on ${each.host} (${each.pid})` });
            lanes.set(lane.name, places);
        }
    }
    return [...lanes].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, places]) => ({ name, places }));
}

/**
 * Where a lane needs a look first.
 *
 * @param {any[]} places
 */
export const worstOf = (places) => places.find((each) => each.state !== "open") ?? places.find((each) => each.trouble) ?? places[0];
