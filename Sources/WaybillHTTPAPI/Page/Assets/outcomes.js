// The outcomes: their order, words, marks. Their colours are in page.css, by the same names.

import { h } from "./dom.js";

/** @type {Record<string, {means: string, mark: string}>} */
const OUTCOMES = {
    accepted: { means: "the push service took it, which says nothing about the screen", mark: "M2.5 6.5l2.5 2.5 4.5-6" },
    deferred: { means: "not final: it waits for another attempt", mark: "M2 6h.01M6 6h.01M10 6h.01" },
    token_invalid: { means: "the push service refused the device token", mark: "M2.5 9.5l7-7M6 1.5a4.5 4.5 0 1 0 0 9a4.5 4.5 0 1 0 0-9" },
    rejected: { means: "the push service refused the notification", mark: "M2.5 2.5l7 7M9.5 2.5l-7 7" },
    invalid: { means: "it breaks a rule, so it was not sent", mark: "M6 1.5v5.5M6 10h.01" },
    expired: { means: "too late to be of use, so it was not sent", mark: "M6 3v3.2l2 1.3M6 1.5a4.5 4.5 0 1 0 0 9a4.5 4.5 0 1 0 0-9" },
    unknown: { means: "sent, and no answer came", mark: "M4 4.2c0-3 4.2-3 4.2-.2C8.200 5.800 6 5.600 6 7.400M6 10h.01" },
    cancelled: { means: "an operator cancelled its batch before it was sent", mark: "M2.5 6h7" },
    superseded: { means: "not sent: a newer one with the same collapse id was accepted", mark: "M2 3h5.5v6.5M5 7l2.5 2.5 2.5-2.5" },
};

/** In the order in which they are stacked and listed. */
export const ALL_OUTCOMES = Object.keys(OUTCOMES);
/** Those that statistics count. */
export const FINAL_OUTCOMES = ALL_OUTCOMES.filter((each) => each !== "deferred");

/** @param {string} outcome */
export const outcomeMeans = (outcome) => OUTCOMES[outcome]?.means ?? "written by another release of Waybill";

/**
 * The words in place of a reason: superseded records are counted together without their reasons.
 *
 * @param {string} outcome
 */
export const withoutReason = (outcome) => (outcome === "superseded" ? "each by a newer one" : "without a reason");

/**
 * Its name as words.
 *
 * @param {string} outcome
 */
export const outcomeWords = (outcome) => outcome.replaceAll("_", " ");

/**
 * The mark of an outcome: a form of its own besides the colour.
 *
 * @param {string} outcome
 */
export function outcomeMark(outcome) {
    const known = OUTCOMES[outcome];
    return h(
        "svg",
        { class: `mark ${known ? `o-${outcome}` : "o-unknown"}`, viewBox: "0 0 12 12", "aria-hidden": "true" },
        h("path", { d: known?.mark ?? OUTCOMES.unknown.mark }),
    );
}

/**
 * Mark and name.
 *
 * @param {string} outcome
 */
export function outcomeBadge(outcome) {
    return h("span", { class: "badge", title: outcomeMeans(outcome), "data-outcome": outcome }, outcomeMark(outcome), outcomeWords(outcome));
}

/**
 * The colour of an outcome as the style sheet has it now, for what is painted.
 *
 * @param {string} outcome
 */
export function outcomeColour(outcome) {
    const probe = h("span", { class: `o-${outcome} unseen` });
    document.body.append(probe);
    const colour = getComputedStyle(probe).color;
    probe.remove();
    return colour;
}

/**
 * A bar of shares, one part for each outcome.
 *
 * @param {{outcome: string, count: number}[]} outcomes
 */
export function outcomeBar(outcomes) {
    const total = outcomes.reduce((sum, each) => sum + each.count, 0);
    const sorted = [...outcomes].sort((a, b) => ALL_OUTCOMES.indexOf(a.outcome) - ALL_OUTCOMES.indexOf(b.outcome));
    return h(
        "div",
        { class: "outcome-bar", role: "img", "aria-label": sorted.map((each) => `${outcomeWords(each.outcome)} ${each.count}`).join(", ") },
        sorted
            .filter((each) => each.count > 0)
            .map((each) =>
                h("span", {
                    class: `part o-${OUTCOMES[each.outcome] ? each.outcome : "unknown"}`,
                    title: `${outcomeWords(each.outcome)}: ${each.count.toLocaleString("en")}`,
                    style: { "flex-grow": total ? each.count / total : 0 },
                }),
            ),
    );
}
