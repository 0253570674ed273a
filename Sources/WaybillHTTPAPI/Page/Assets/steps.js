// How a span of time is divided into steps for statistics.

import { lengthOf } from "./route.js";

const MINUTE = 60_000;

/** Lengths that statistics know, from the shortest. */
const STEPS = /** @type {[string, number][]} */ ([
    ["1m", MINUTE],
    ["2m", 2 * MINUTE],
    ["5m", 5 * MINUTE],
    ["10m", 10 * MINUTE],
    ["15m", 15 * MINUTE],
    ["30m", 30 * MINUTE],
    ["1h", 60 * MINUTE],
    ["2h", 120 * MINUTE],
    ["4h", 240 * MINUTE],
    ["8h", 480 * MINUTE],
    ["1d", 1440 * MINUTE],
    ["1w", 10_080 * MINUTE],
]);

/** @typedef {{since: number, until: number}} Span milliseconds since 1970 */

/**
 * The span of a route; a range ends now.
 *
 * @param {import("./route.js").Route} route
 * @returns {Span}
 */
export function spanOf(route) {
    if (route.since) return { since: Date.parse(route.since), until: Date.parse(route.until ?? "") };
    const now = Date.now();
    return { since: now - lengthOf(route.range ?? "1h"), until: now };
}

/**
 * The shortest step by which a span has no more than so many.
 *
 * @param {Span} span
 * @param {number} most
 * @returns {{step: string, length: number}}
 */
export function stepFor(span, most) {
    const [step, length] = STEPS.find((each) => (span.until - span.since) / each[1] <= most) ?? STEPS[STEPS.length - 1];
    return { step, length };
}
