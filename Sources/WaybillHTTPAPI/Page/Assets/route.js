// What is shown is what the address says, so that it can be sent to a colleague; a device token never is in it.

import { followLinks } from "./links.js";

/**
 * @typedef {object} Route
 * @property {"overview" | "story" | "token" | "batch" | "lane" | "rejected" | "campaigns" | "campaign" | "compose"} view
 * @property {string} [id] of a story, a batch, a lane, a rejected message or a campaign
 * @property {string} [after] of the campaigns: the cursor behind which a page begins
 * @property {string} [range] of the overview: how long before now it begins, as the API knows durations
 * @property {string} [since] of the overview, with `until` in place of a range: ISO 8601
 * @property {string} [until]
 * @property {Record<string, string[]>} filters of the overview, by the API's names
 */

/** The filters that the address may have, by the API's names. */
const FILTERS = ["outcome", "reason", "client", "lane", "topic", "push_type", "priority", "batch", "exact"];
/** The ranges that are offered. */
export const RANGES = ["1h", "6h", "24h", "7d"];
const UNITS = /** @type {Record<string, number>} */ ({ s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 });
/** The longest span that a chart is drawn of, in milliseconds: ten years. */
const LONGEST = 3653 * 86_400_000;
const VIEWS = ["overview", "story", "token", "batch", "lane", "rejected", "campaigns", "campaign", "compose"];

/** @type {(route: Route) => void} */
let listener = () => {};

/**
 * A token that is looked at, by the number of its entry in the history: it is gone when the page is.
 *
 * @type {Map<number, string>}
 */
const tokens = new Map();
let entry = 0;

/** @returns {Route} */
export function currentRoute() {
    const query = new URLSearchParams(location.search);
    const view = VIEWS.find((each) => each === query.get("view")) ?? "overview";
    /** @type {Record<string, string[]>} */
    const filters = {};
    for (const name of FILTERS) {
        const values = query.getAll(name).filter((each) => each !== "");
        if (values.length) filters[name] = values;
    }
    // One may write these by hand, too.
    if (!filters.batch) delete filters.exact;
    const since = query.get("since");
    // One may write these by hand, as for a command: what has no end ends now.
    const until = query.get("until") ?? new Date().toISOString();
    const range = [query.get("range"), query.has("until") ? null : since].find((each) => isRange(each)) ?? "1h";
    const isSpan = !isRange(since) && isDate(since) && isDate(until) && Date.parse(until) - Date.parse(since ?? "") <= LONGEST;
    return {
        view: /** @type {Route["view"]} */ (view),
        id: query.get("id") ?? undefined,
        after: query.get("after") ?? undefined,
        range,
        since: isSpan ? /** @type {string} */ (since) : undefined,
        until: isSpan ? until : undefined,
        filters,
    };
}

/**
 * The milliseconds of a duration; `NaN` of any other text.
 *
 * @param {string | null | undefined} text
 */
export function lengthOf(text) {
    const found = /^([1-9][0-9]{0,3})([smhdw])$/.exec(text ?? "");
    return found ? Number(found[1]) * UNITS[found[2]] : NaN;
}

/** @param {string | null} text */
const isRange = (text) => lengthOf(text) <= LONGEST;

/** @param {string | null} text */
const isDate = (text) => text !== null && !Number.isNaN(Date.parse(text));

/**
 * The address of a route, for links.
 *
 * @param {Partial<Route>} route
 */
export function href(route) {
    const query = new URLSearchParams();
    if (route.view && route.view !== "overview") query.set("view", route.view);
    if (route.id) query.set("id", route.id);
    if (route.after) query.set("after", route.after);
    if (route.since && route.until) {
        query.set("since", route.since);
        query.set("until", route.until);
    } else if (route.range && route.range !== "1h") query.set("range", route.range);
    for (const [name, values] of Object.entries(route.filters ?? {})) for (const value of values) query.append(name, value);
    const text = query.toString();
    return text ? `/?${text}` : "/";
}

/**
 * Goes somewhere.
 *
 * @param {Partial<Route>} route
 * @param {{replace?: boolean}} [how]
 */
export function go(route, how = {}) {
    if (how.replace) history.replaceState(history.state, "", href(route));
    else history.pushState(deeper(), "", href(route));
    listener(currentRoute());
}

/** The state of an entry behind the present one: how many entries of this page are before it. */
const deeper = () => ({ depth: (history.state?.depth ?? 0) + 1 });

/** To where somebody came from, or to the first screen. */
export function goBack() {
    if (history.state?.depth > 0) history.back();
    else go({ filters: {} });
}

/**
 * Looks at a device token, which stays in this page's memory.
 *
 * @param {string} token
 */
export function goToToken(token) {
    entry += 1;
    tokens.set(entry, token);
    history.pushState({ ...deeper(), token: entry }, "", href({ view: "token", filters: {} }));
    listener(currentRoute());
}

/** The token of the present entry of the history, unless the page was loaded again since. */
export const currentToken = () => tokens.get(history.state?.token);

/** Forgets all tokens: somebody else may log in. */
export const forgetTokens = () => tokens.clear();

/** @param {(route: Route) => void} follow */
export function onRoute(follow) {
    listener = follow;
    addEventListener("popstate", () => follow(currentRoute()));
    followLinks("/", (target) => {
        history.pushState(deeper(), "", target);
        follow(currentRoute());
        scrollTo(0, 0);
    });
}
