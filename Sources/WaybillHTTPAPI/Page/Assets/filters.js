// The filters of the first screen: in the address, as chips, for and against.

import { h } from "./dom.js";
import { go, href, RANGES } from "./route.js";
import { canBeAgainst, readTerm, termOf } from "./terms.js";
import { foreign, plain } from "./text.js";
import { clock, zone } from "./time.js";

/** @typedef {import("./route.js").Route} Route */

const WORDS = /** @type {Record<string, string>} */ ({ push_type: "push type", exact: "without parts" });

/**
 * The filters and times of a route as a query of the API.
 *
 * @param {Route} route
 * @returns {import("./api.js").Query}
 */
export function queryOf(route) {
    return { ...route.filters, ...timesOf(route) };
}

/** @param {Route} route */
export function timesOf(route) {
    return route.since ? { since: route.since, until: route.until } : { since: route.range };
}

/**
 * A route with one filter more: only a value, or all but that. Outcomes add up, and so do the values that are left out.
 *
 * @param {Route} route
 * @param {string} name
 * @param {string} value
 * @param {boolean} [isAgainst]
 * @returns {Route}
 */
export function withFilter(route, name, value, isAgainst = false) {
    const term = canBeAgainst(name) ? termOf(value, isAgainst) : value;
    const others = name === "outcome" || isAgainst ? (route.filters[name] ?? []) : [];
    const kept = others.filter((each) => each !== term && readTerm(name, each).isAgainst === isAgainst);
    const filters = { ...route.filters, [name]: [...kept, term] };
    return { ...route, view: "overview", filters };
}

/**
 * A route without one term of a filter.
 *
 * @param {Route} route
 * @param {string} name
 * @param {string} value as the filter has it
 * @returns {Route}
 */
export function withoutFilter(route, name, value) {
    const filters = { ...route.filters };
    const rest = (filters[name] ?? []).filter((each) => each !== value);
    if (rest.length) filters[name] = rest;
    else delete filters[name];
    if (name === "batch") delete filters.exact;
    return { ...route, filters };
}

/**
 * The ranges, and the chips of what is filtered.
 *
 * @param {Route} route
 */
export function filterBar(route) {
    const chips = Object.entries(route.filters).flatMap(([name, values]) => values.map((value) => chip(route, name, value)));
    return h(
        "div",
        { class: "filter-bar" },
        h(
            "div",
            { class: "ranges", role: "group", "aria-label": "Time range" },
            rangesBeside(route).map((range) =>
                h(
                    "a",
                    {
                        href: href({ ...route, range, since: undefined, until: undefined }),
                        "aria-current": !route.since && route.range === range ? "true" : null,
                        "data-range": range,
                        "data-key": `range-${range}`,
                    },
                    range.replace(/([smhdw])/, " $1"),
                ),
            ),
        ),
        route.since &&
            h(
                "span",
                { class: "chip", "data-filter": "time" },
                `${clock(Date.parse(route.since))} – ${clock(Date.parse(route.until ?? ""))} ${zone()}`,
                h("a", { class: "chip-x", href: href({ ...route, since: undefined, until: undefined }), "aria-label": "Remove the time", "data-key": "chip-time" }, "×"),
            ),
        chips,
        chips.length > 1 && h("a", { class: "clear", href: href({ ...route, filters: {} }), "data-key": "chip-all" }, "Clear all"),
        !route.filters.outcome &&
            h("a", { class: "suggest", href: href(withFilter(route, "outcome", "accepted", true)), id: "only-failures", "data-key": "only-failures" }, "Only what was not accepted"),
    );
}

/**
 * The ranges that are offered, and another one that somebody has asked for.
 *
 * @param {Route} route
 */
const rangesBeside = ({ range, since }) => (since || !range || RANGES.includes(range) ? RANGES : [range, ...RANGES]);

/** @param {Route} route @param {string} name @param {string} value */
function chip(route, name, value) {
    const { value: shown, isAgainst } = readTerm(name, value);
    return h(
        "span",
        { class: `chip${isAgainst ? " is-against" : ""}`, "data-filter": name, "data-value": value },
        h("span", { class: "chip-name" }, WORDS[name] ?? name, isAgainst ? " is not " : " "),
        name === "exact" ? null : foreign(name === "outcome" ? shown.replaceAll("_", " ") : shown, { cut: 48 }),
        h("a", { class: "chip-x", href: href(withoutFilter(route, name, value)), "aria-label": `Remove the filter ${WORDS[name] ?? name}${isAgainst ? " is not" : ""} ${plain(shown)}`, "data-key": `chip-${name}-${value}` }, "×"),
    );
}

/**
 * A value with its chips: `+` shows only what has it, `−` all but that, where that can be asked.
 *
 * @param {Route} route
 * @param {string} name
 * @param {string | undefined} value
 * @param {string} place tells it from the same value elsewhere
 * @param {any} [shown]
 */
export function filterable(route, name, value, place, shown) {
    if (value === undefined) return h("span", { class: "dim" }, "–");
    const label = `${WORDS[name] ?? name} ${plain(value)}`;
    const button = (/** @type {boolean} */ isAgainst) =>
        h(
            "button",
            {
                type: "button",
                class: "plus",
                title: isAgainst ? `All but ${label}` : `Only ${label}`,
                "aria-label": isAgainst ? `All but ${label}` : `Only ${label}`,
                "data-key": `${isAgainst ? "minus" : "plus"}-${name}-${place}`,
                on: {
                    click: (/** @type {Event} */ event) => {
                        event.stopPropagation();
                        go(withFilter(route, name, value, isAgainst));
                    },
                },
            },
            isAgainst ? "−" : "+",
        );
    return h(
        "span",
        { class: "filterable" },
        h("span", { class: "value", title: plain(value) }, shown ?? foreign(value, { cut: 64 })),
        h("span", { class: "pluses" }, button(false), canBeAgainst(name) && button(true)),
    );
}
