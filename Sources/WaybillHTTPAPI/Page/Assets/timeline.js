// What happened to a notification, and will: one row for each step, with the span of time that it took.

import { h } from "./dom.js";
import { duration } from "./format.js";
import { outcomeMark, outcomeWords } from "./outcomes.js";
import { foreign } from "./text.js";
import { time } from "./time.js";

/** Shares of the width: none is too short to be seen. */
const SHORTEST = 0.006;

/**
 * @typedef {object} Row
 * @property {string} kind
 * @property {string} label
 * @property {any} text
 * @property {number} [start] milliseconds since 1970
 * @property {number} [end]
 * @property {string} colour the outcome whose colour it has, or `neutral`
 * @property {boolean} [isPending]
 */

/**
 * @param {any} story of `/v1/explain`
 */
export function timeline(story) {
    const rows = rowsOf(story);
    const points = rows.filter((row) => isWithin(row, story)).flatMap((row) => [row.start, row.end].filter((each) => each !== undefined).map(Number));
    const [first, last] = [Math.min(...points), Math.max(...points)];
    const scale = (/** @type {number} */ point) => (last > first ? (point - first) / (last - first) : 0);
    return h("ol", { class: "timeline", "aria-label": "What happened, in order" }, rows.map((row) => drawRow(row, scale, isWithin(row, story))));
}

/** What a wait ends with, one that was cancelled or came too late among them. */
const ENDS_OF_A_WAIT = ["attempt", "put_off", "outcome"];

/**
 * What is said of the device now, when it is tried again, and when the record goes, is no part of the way.
 *
 * @param {Row} row
 * @param {any} story
 */
function isWithin(row, story) {
    return row.start !== undefined && !["fuse", "registry", "due", "expires"].includes(row.kind) && story !== null;
}

/** @param {any} story @returns {Row[]} */
function rowsOf(story) {
    const { record, steps } = story;
    /** @type {Row[]} */
    const rows = [];
    let published;
    let attempts = 0;
    const sent = steps.filter((/** @type {any} */ step) => step.kind === "attempt").length;
    for (const [index, step] of steps.entries()) {
        const at = step.date ? Date.parse(step.date) : undefined;
        const answer = [step.status_code && h("b", null, String(step.status_code)), step.status_code && step.reason && " ", step.reason && foreign(step.reason)];
        switch (step.kind) {
            case "published":
                published = at;
                rows.push({ kind: step.kind, label: "Published", text: step.text, start: at, end: at, colour: "neutral" });
                break;
            case "received":
                // After attempts and waits it is the last pass that was taken then: the wait for it shows in what was put off.
                if (rows.length && isAfterAttempt(steps, at)) rows.push({ kind: step.kind, label: "Taken again", text: step.text, start: at, end: at, colour: "neutral" });
                else rows.push({ kind: step.kind, label: "Queued", text: "until a dispatcher took it", start: published ?? at, end: at, colour: "neutral" });
                break;
            case "attempt": {
                attempts += 1;
                const isLast = attempts === sent;
                const length = isLast && step.status_code ? (record.latency_ms ?? 0) : 0;
                const colour = attemptColour(step, record, isLast);
                rows.push({
                    kind: step.kind,
                    label: sent > 1 ? `Sent, attempt ${attempts}` : "Sent",
                    text: [step.text, step.status_code || step.reason ? ": " : "", answer],
                    start: at === undefined ? undefined : at - length,
                    end: at,
                    colour,
                });
                break;
            }
            case "put_off": {
                const next = steps.slice(index + 1).find((/** @type {any} */ each) => ENDS_OF_A_WAIT.includes(each.kind) && each.date);
                const isPending = record.outcome === "deferred" && !next;
                rows.push({
                    kind: step.kind,
                    label: isPending ? "Waits" : "Put off",
                    text: [isPending ? "for another attempt" : step.text, step.reason ? [": ", foreign(step.reason)] : null],
                    start: at,
                    end: next ? Date.parse(next.date) : isPending ? Date.now() : at,
                    colour: "deferred",
                    isPending,
                });
                break;
            }
            case "due":
                rows.push({ kind: step.kind, label: "Tried again", text: foreign(step.text, { cut: 300 }), start: at, end: at, colour: "deferred", isPending: true });
                break;
            case "outcome":
                rows.push({ kind: step.kind, label: "Recorded", text: [outcomeMark(record.outcome), " ", outcomeWords(step.text), step.reason ? [": ", foreign(step.reason)] : null], start: at, end: at, colour: record.outcome });
                break;
            case "receipt":
                rows.push({ kind: step.kind, label: "On the device", text: foreign(step.text), start: at, end: at, colour: "accepted" });
                break;
            case "repeat":
                rows.push({ kind: step.kind, label: "Until acknowledged", text: foreign(step.text, { cut: 300 }), start: at, end: at, colour: "neutral" });
                break;
            case "event":
                rows.push({ kind: step.kind, label: "Event", text: foreign(step.text), start: at, end: at, colour: "token_invalid" });
                break;
            case "fuse":
                rows.push({ kind: step.kind, label: "Fuse", text: foreign(step.text, { cut: 600 }), start: at, end: at, colour: "deferred" });
                break;
            case "registry":
                rows.push({ kind: step.kind, label: "Registry", text: [foreign(step.text), step.reason ? [": ", foreign(step.reason)] : null], start: at, end: at, colour: "neutral" });
                break;
            case "expires":
                rows.push({ kind: step.kind, label: "Record expires", text: foreign(step.text), start: at, end: at, colour: "neutral", isPending: true });
                break;
            default:
                rows.push({ kind: step.kind, label: step.kind, text: foreign(step.text), start: at, end: at, colour: "neutral" });
        }
    }
    return inOrder(rows);
}

/**
 * What decided has the outcome's colour.
 *
 * @param {any} step
 * @param {any} record
 * @param {boolean} isLast
 */
function attemptColour(step, record, isLast) {
    if (!step.status_code) return "unknown";
    if (step.status_code === 200) return "accepted";
    return isLast && record.status_code === step.status_code ? record.outcome : "deferred";
}

/**
 * By time; what has none stays where it is said.
 *
 * @param {Row[]} rows
 */
function inOrder(rows) {
    const taken = rows.findIndex((row) => row.label === "Taken again");
    if (taken < 0) return rows;
    const [row] = rows.splice(taken, 1);
    const place = rows.findIndex((each) => each.kind === "registry" || each.kind === "expires" || (each.kind !== "published" && each.end !== undefined && row.end !== undefined && each.end >= row.end));
    rows.splice(place < 0 ? rows.length : place, 0, row);
    return rows;
}

/** @param {any[]} steps @param {number | undefined} at */
const isAfterAttempt = (steps, at) => at !== undefined && steps.some((step) => ["attempt", "put_off"].includes(step.kind) && step.date && Date.parse(step.date) < at - 1);

/** @param {Row} row @param {(point: number) => number} scale @param {boolean} isWithinSpan */
function drawRow(row, scale, isWithinSpan) {
    const length = (row.end ?? 0) - (row.start ?? 0);
    const from = isWithinSpan ? scale(/** @type {number} */ (row.start)) : 0;
    const width = isWithinSpan ? Math.max(SHORTEST, scale(/** @type {number} */ (row.end)) - from) : 0;
    const isPoint = length === 0;
    return h(
        "li",
        { class: "step", "data-kind": row.kind },
        h("span", { class: "step-time" }, row.end === undefined ? "" : time(isWithinSpan && !row.isPending ? (row.end ?? 0) : (row.start ?? 0), { precise: isWithinSpan })),
        h("span", { class: "step-label" }, row.label),
        h("span", { class: "step-text" }, row.text),
        h(
            "span",
            { class: "step-track", "aria-hidden": "true" },
            isWithinSpan &&
                h("span", {
                    class: `span o-${row.colour}${isPoint ? " is-point" : ""}${row.isPending ? " is-pending" : ""}`,
                    style: { left: `${(100 * Math.min(from, 1 - SHORTEST)).toFixed(2)}%`, width: isPoint ? "0" : `${(100 * width).toFixed(2)}%` },
                }),
        ),
        h("span", { class: "step-length" }, isWithinSpan && !isPoint ? duration(length) : ""),
    );
}
