// What failed alike: the largest group first, each with its trend and examples.

import { get } from "./api.js";
import { copyMenu, curl, filterOptions, waybill } from "./copy.js";
import { h } from "./dom.js";
import { count, plural, shortID } from "./format.js";
import { filterable, timesOf } from "./filters.js";
import { outcomeBadge, withoutReason } from "./outcomes.js";
import { panel } from "./panel.js";
import { go, href } from "./route.js";
import { spanOf, stepFor } from "./steps.js";
import { termOf } from "./terms.js";
import { foreign } from "./text.js";
import { time } from "./time.js";

/** Groups that are shown before one asks for all. */
const FIRST = matchMedia("(max-width: 860px)").matches ? 4 : 8;

const COLUMNS = [
    ["count", "Count"],
    ["what", "Outcome and reason"],
    ["trend", "Trend of the reason"],
    ["client", "Client"],
    ["lane", "Lane"],
    ["topic", "Topic"],
    ["first", "First"],
    ["last", "Last"],
    ["examples", "Examples"],
];

/** @param {() => import("./route.js").Route} route */
export function groupsPanel(route) {
    let showsAll = false;
    const groups = panel({
        name: "groups",
        title: "What failed alike",
        lines: 5,
        load: async (signal) => {
            const { filters } = route();
            const times = timesOf(route());
            const { batch, exact, priority, outcome, ...counted } = filters;
            const { step } = stepFor(spanOf(route()), 24);
            const [answer, trend] = await Promise.all([
                get("/v1/groups", { ...filters, ...times }, signal),
                get("/v1/stats", { ...counted, ...times, every: step, by: "reason" }, signal).catch(() => ({ rows: [] })),
            ]);
            return { ...answer, trends: trendsOf(trend.rows, spanOf(route()), stepFor(spanOf(route()), 24).length) };
        },
        draw: (answer) => {
            if (!answer.groups.length) {
                return h("div", { class: "empty" }, h("p", null, "Nothing failed in this time", Object.keys(route().filters).length ? " with these filters." : "."));
            }
            const shown = showsAll ? answer.groups : answer.groups.slice(0, FIRST);
            const most = answer.groups[0].count;
            return [
                answer.sampled && h("p", { class: "note" }, `A sample: ${count(answer.sampled)} records were looked at, for all of them took too long.`),
                h(
                    "div",
                    { class: "table-frame" },
                    h(
                        "table",
                        { class: "groups" },
                        h(
                            "thead",
                            null,
                            h("tr", null, COLUMNS.map(([name, title]) => h("th", { scope: "col", class: name === "count" ? "number" : `c-${name}` }, title))),
                        ),
                        h("tbody", null, shown.map((/** @type {any} */ group, /** @type {number} */ index) => drawGroup(group, index, most, answer.trends, route()))),
                    ),
                ),
                answer.groups.length > FIRST &&
                    h(
                        "p",
                        { class: "table-foot" },
                        h("button", { type: "button", class: "more", "data-key": "groups-more", on: { click: () => ((showsAll = !showsAll), groups.redraw()) } }, showsAll ? "Fewer" : `All ${plural(answer.groups.length, "group")}`),
                    ),
            ];
        },
        tools: copyMenu("groups", () => {
            /** @type {import("./api.js").Query} */
            const query = { ...route().filters, ...timesOf(route()) };
            const { batch, exact, priority, ...counted } = query;
            return { curl: curl("/v1/groups", query), waybill: waybill(["stats"], filterOptions({ ...counted, outcome: null, by: "reason" })), link: true };
        }),
    });
    return groups;
}

/** @param {any} group @param {number} index @param {number} most @param {Record<string, number[]>} trends @param {import("./route.js").Route} route */
function drawGroup(group, index, most, trends, route) {
    /** @type {Record<string, string[]>} */
    const filters = { ...route.filters };
    for (const name of ["outcome", "reason", "client", "lane", "topic"]) if (group[name] !== undefined) filters[name] = [termOf(group[name])];
    const trend = group.reason ? trends[group.reason] : undefined;
    return h(
        "tr",
        {
            "data-outcome": group.outcome,
            "data-reason": group.reason,
            on: {
                click: (/** @type {MouseEvent} */ event) => {
                    if (!(event.target instanceof Element) || event.target.closest("a, button, .more-text") || !getSelection()?.isCollapsed) return;
                    go({ ...route, filters });
                },
            },
        },
        h(
            "td",
            { class: "number c-count" },
            h("span", { class: `share-bar o-${group.outcome}`, "aria-hidden": "true", style: { "--share": Math.max(0.02, group.count / most) } }),
            h("b", null, count(group.count)),
        ),
        h(
            "td",
            { class: "c-what" },
            filterable(route, "outcome", group.outcome, `g${index}`, outcomeBadge(group.outcome)),
            h(
                "span",
                { class: "group-reason" },
                h("a", { class: "row-link", href: href({ ...route, filters }), "data-key": `group-${index}`, title: "Only this group" }, group.reason ? foreign(group.reason, { cut: 80 }) : withoutReason(group.outcome)),
                group.reason !== undefined && filterableButtons(route, group, index),
            ),
        ),
        h("td", { class: "c-trend", "data-label": "Trend" }, trend ? sparkline(trend, group.outcome) : h("span", { class: "dim" }, "–")),
        h("td", { class: "c-client", "data-label": "Client" }, filterable(route, "client", group.client, `g${index}`)),
        h("td", { class: "c-lane", "data-label": "Lane" }, filterable(route, "lane", group.lane, `g${index}`)),
        h("td", { class: "c-topic", "data-label": "Topic" }, filterable(route, "topic", group.topic, `g${index}`)),
        h("td", { class: "c-first", "data-label": "First" }, time(group.first)),
        h("td", { class: "c-last", "data-label": "Last" }, time(group.last)),
        h("td", { class: "c-examples mono", "data-label": "Examples" }, h("span", null, group.examples.map((/** @type {string} */ id) => h("a", { href: href({ view: "story", id, filters: {} }), title: id, "aria-label": `Example ${id}` }, shortID(id).slice(-6))))),
    );
}

/**
 * The chips of a reason, which is a link itself.
 *
 * @param {import("./route.js").Route} route
 * @param {any} group
 * @param {number} index
 */
function filterableButtons(route, group, index) {
    return filterable(route, "reason", group.reason, `g${index}`, "");
}

/**
 * @param {any[]} rows of `/v1/stats`, by reason
 * @param {{since: number, until: number}} span
 * @param {number} length of a step, in milliseconds
 * @returns {Record<string, number[]>}
 */
function trendsOf(rows, span, length) {
    const first = Math.floor(span.since / length);
    const steps = Math.floor(span.until / length) - first + 1;
    /** @type {Record<string, number[]>} */
    const trends = {};
    for (const row of rows) {
        if (!row.reason) continue;
        const index = Math.floor(Date.parse(row.time) / length) - first;
        if (index < 0 || index >= steps) continue;
        trends[row.reason] ??= new Array(steps).fill(0);
        trends[row.reason][index] += row.count;
    }
    return trends;
}

/** @param {number[]} values @param {string} outcome */
function sparkline(values, outcome) {
    const most = Math.max(...values, 1);
    const [width, height] = [96, 22];
    const step = width / values.length;
    return h(
        "span",
        { class: "trend" },
        h(
            "svg",
            { class: `spark o-${outcome}`, viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: "none", "aria-hidden": "true" },
            values.map((value, index) => {
                const tall = value ? Math.max(1.5, (value / most) * (height - 1)) : 0;
                return value ? h("rect", { x: (index * step).toFixed(2), y: (height - tall).toFixed(2), width: Math.max(1, step - 1).toFixed(2), height: tall.toFixed(2) }) : null;
            }),
        ),
        h("span", { class: "trend-word" }, trendWord(values)),
    );
}

/**
 * What the second half says of the first; the last step, which is not over, is left out.
 *
 * @param {number[]} values
 */
function trendWord(values) {
    const over = values.slice(0, -1);
    const half = Math.floor(over.length / 2);
    const sum = (/** @type {number[]} */ part) => part.reduce((total, each) => total + each, 0);
    const [before, after] = [sum(over.slice(0, half)), sum(over.slice(over.length - half))];
    if (before + after < 4) return "few";
    if (before === 0) return "new";
    if (after === 0) return "over";
    const ratio = after / before;
    if (ratio >= 1.5) return `× ${ratio < 10 ? ratio.toFixed(1) : Math.round(ratio)}`;
    return ratio <= 0.67 ? "falling" : "steady";
}
