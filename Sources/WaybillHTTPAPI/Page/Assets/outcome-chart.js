// Outcomes over time: a chart that is a filter, too, with a table beside it for those who cannot use it.

import { get } from "./api.js";
import { brush } from "./brush.js";
import { copyMenu, curl, filterOptions, waybill } from "./copy.js";
import { h } from "./dom.js";
import { compact, count, plural, share } from "./format.js";
import { FINAL_OUTCOMES, outcomeColour, outcomeMark, outcomeMeans, outcomeWords } from "./outcomes.js";
import { panel } from "./panel.js";
import { spanOf, stepFor } from "./steps.js";
import { readTerm } from "./terms.js";
import { clock, time, timeMode, zone } from "./time.js";

/** Chart.js, where the server has it. */
const chartLibrary = () => /** @type {any} */ (globalThis).Chart;

/** Bars of a chart, at the most. */
const MOST_BARS = 84;
/** What statistics can be asked by. */
const KNOWN = ["outcome", "reason", "client", "lane", "topic", "push_type"];

/**
 * @typedef {object} Counted
 * @property {number} since of the first step, milliseconds since 1970
 * @property {number} length of a step
 * @property {Record<string, number[]>} counts by outcome, for each step
 * @property {Record<string, number>} totals
 * @property {number} total
 * @property {number} inDoubt minutes
 * @property {string} [hoursUntil] before it only whole hours are kept
 * @property {string} [daysUntil] the same of days
 */

/**
 * @param {object} what
 * @param {string} what.title
 * @param {() => import("./route.js").Route} what.route its times and filters
 * @param {(since: number, until: number) => void} what.choose a span was chosen
 * @param {((outcome: string) => void)} [what.toggle] an outcome of the legend was chosen
 */
export function chartPanel({ title, route, choose, toggle }) {
    const query = () => statisticsQuery(route());
    /** @type {any} */
    let chart = null;
    /** @type {Counted | null} */
    let counted = null;

    const canvas = h("canvas", { role: "img", "aria-label": "Outcomes over time" });
    const plot = h("div", { class: "plot" }, canvas);
    const legend = h("div", { class: "legend", role: "group", "aria-label": "Outcomes; choose to filter" });
    const figures = h("div", { class: "figures" });
    const table = h("details", { class: "as-table", "data-key": "chart-table" }, h("summary", null, "As a table"));
    const note = h("p", { class: "note" });
    const nothing = h("p", { class: "plot-empty", hidden: true }, "Nothing ended in this time");
    plot.append(nothing);
    const host = h("div", { class: "chart-host" }, figures, plot, legend, note, table);
    const overlay = brush(plot, {
        steps: () => (counted ? { since: counted.since, length: counted.length, number: Object.values(counted.counts)[0].length } : null),
        area: () => chart?.chartArea ?? null,
        describe: (index) => describeStep(counted, index),
        choose,
    });

    const outcomes = panel({
        name: "chart",
        title,
        lines: 8,
        load: async (signal) => {
            const asked = query();
            const span = spanOf(route());
            const { length } = stepFor(span, MOST_BARS);
            const answer = await get("/v1/stats", asked, signal);
            return sumUp(answer, span, length);
        },
        draw: (answer) => {
            counted = answer;
            drawFigures(figures, answer, Boolean(route().filters.outcome));
            drawLegend(legend, answer, route(), toggle);
            drawNote(note, answer, route());
            drawTable(table, answer);
            canvas.setAttribute("aria-label", describe(answer));
            nothing.hidden = answer.total > 0;
            if (!chartLibrary()) {
                plot.hidden = true;
                table.open = true;
                return host;
            }
            requestAnimationFrame(() => {
                if (!host.isConnected) return;
                chart = drawChart(chart, canvas, answer);
                overlay.refresh();
            });
            return host;
        },
        tools: copyMenu("chart", () => {
            const { by, every, ...rest } = query();
            return { curl: curl("/v1/stats", query()), waybill: waybill(["stats"], filterOptions({ ...rest, every, by })), link: true };
        }),
    });
    const stop = outcomes.stop;
    return {
        ...outcomes,
        stop: () => {
            stop();
            chart?.destroy();
            chart = null;
        },
    };
}

/** @param {import("./route.js").Route} route @returns {import("./api.js").Query} */
function statisticsQuery(route) {
    /** @type {import("./api.js").Query} */
    const query = {};
    for (const name of KNOWN) if (route.filters[name]) query[name] = route.filters[name];
    const asked = route.filters.outcome ?? [];
    if (asked.length) {
        const wanted = asked.filter((each) => FINAL_OUTCOMES.includes(readTerm("outcome", each).value));
        query.outcome = wanted.length ? wanted : null;
    }
    const span = spanOf(route);
    const { step } = stepFor(span, MOST_BARS);
    return { ...query, ...(route.since ? { since: route.since, until: route.until } : { since: route.range }), every: step, by: "outcome" };
}

/** @param {any} answer @param {import("./steps.js").Span} span @param {number} length @returns {Counted} */
function sumUp(answer, span, length) {
    const since = Math.floor(span.since / length) * length;
    const number = Math.max(1, Math.ceil((span.until - since) / length));
    /** @type {Record<string, number[]>} */
    const counts = {};
    /** @type {Record<string, number>} */
    const totals = {};
    for (const outcome of FINAL_OUTCOMES) {
        counts[outcome] = new Array(number).fill(0);
        totals[outcome] = 0;
    }
    for (const row of answer.rows) {
        const index = Math.round((Date.parse(row.time) - since) / length);
        for (const [outcome, each] of Object.entries(row.outcomes)) {
            if (!counts[outcome]) continue;
            totals[outcome] += /** @type {number} */ (each);
            if (index >= 0 && index < number) counts[outcome][index] += /** @type {number} */ (each);
        }
    }
    const total = Object.values(totals).reduce((sum, each) => sum + each, 0);
    return { since, length, counts, totals, total, inDoubt: answer.minutes_in_doubt, hoursUntil: answer.whole_hours_until, daysUntil: answer.whole_days_until };
}

/** @param {HTMLElement} place @param {Counted} counted @param {boolean} isFiltered by outcome: then a share of all says nothing */
function drawFigures(place, counted, isFiltered) {
    // A superseded push is no failure: its device got a newer one.
    const failed = counted.total - counted.totals.accepted - counted.totals.superseded;
    place.replaceChildren(figure(count(counted.total), "notifications ended"));
    if (isFiltered) return;
    place.append(
        figure(counted.total ? share(counted.totals.accepted, counted.total) : "–", "accepted"),
        figure(count(failed), "did not get through"),
    );
}

/** @param {string} number @param {string} label */
const figure = (number, label) => h("div", { class: "figure" }, h("b", null, number), h("span", null, label));

/** @param {HTMLElement} place @param {Counted} counted @param {import("./route.js").Route} route @param {((outcome: string) => void)} [toggle] */
function drawLegend(place, counted, route, toggle) {
    const asked = route.filters.outcome ?? [];
    const focused = /** @type {HTMLElement | null} */ (place.contains(document.activeElement) ? document.activeElement : null)?.dataset.outcome;
    place.replaceChildren(
        ...FINAL_OUTCOMES.map((outcome) => {
            const content = [outcomeMark(outcome), h("span", { class: "legend-name" }, outcomeWords(outcome)), h("span", { class: "legend-count" }, count(counted.totals[outcome]))];
            const isNone = counted.totals[outcome] === 0;
            if (!toggle) return h("span", { class: `legend-item${isNone ? " is-none" : ""}`, title: outcomeMeans(outcome) }, content);
            return h(
                "button",
                {
                    type: "button",
                    class: `legend-item${isNone ? " is-none" : ""}`,
                    "data-outcome": outcome,
                    "aria-pressed": String(asked.includes(outcome)),
                    title: `${outcomeWords(outcome)}: ${outcomeMeans(outcome)}`,
                    on: { click: () => toggle(outcome) },
                },
                content,
            );
        }),
    );
    if (focused) /** @type {HTMLElement | null} */ (place.querySelector(`[data-outcome="${CSS.escape(focused)}"]`))?.focus({ preventScroll: true });
}

/** @param {HTMLElement} place @param {Counted} counted @param {import("./route.js").Route} route */
function drawNote(place, counted, route) {
    const left = Object.keys(route.filters).filter((each) => !KNOWN.includes(each));
    const notes = [
        left.length > 0 && `Statistics know no ${left.join(", no ").replace("exact", "parts")}: the chart shows all of them.`,
        (route.filters.outcome ?? []).includes("deferred") && "Statistics count final outcomes; what is deferred shows in the records below.",
        counted.inDoubt > 0 && `${plural(counted.inDoubt, "minute")} may lack something until they are recounted.`,
        counted.hoursUntil && wholeOnly("hours", counted.hoursUntil),
        counted.daysUntil && wholeOnly("days", counted.daysUntil),
        !chartLibrary() && "There is no chart: the server has no Chart.js (Debian: libjs-chart.js).",
    ].filter(Boolean);
    place.textContent = notes.join(" ");
    place.hidden = notes.length === 0;
}

/** @param {string} unit @param {string} until */
const wholeOnly = (unit, until) => `Before ${clock(Date.parse(until)).slice(0, -3)} ${zone()} only whole ${unit} are kept: each stands in the step in which it begins.`;

/** @param {HTMLElement} place @param {Counted} counted */
function drawTable(place, counted) {
    const present = FINAL_OUTCOMES.filter((each) => counted.totals[each] > 0);
    place.querySelector(".table-frame")?.remove();
    const rows = counted.counts.accepted.map((_, index) => index).filter((index) => present.some((each) => counted.counts[each][index] > 0));
    place.append(
        h(
            "div",
            { class: "table-frame", tabindex: "0", role: "region", "aria-label": "Outcomes by time" },
            h(
                "table",
                { class: "plain" },
                h("thead", null, h("tr", null, h("th", { scope: "col" }, `From (${zone()})`), present.map((each) => h("th", { scope: "col", class: "number" }, outcomeWords(each))))),
                h(
                    "tbody",
                    null,
                    rows.reverse().map((index) =>
                        h(
                            "tr",
                            null,
                            h("th", { scope: "row" }, time(counted.since + index * counted.length)),
                            present.map((each) => h("td", { class: "number" }, counted.counts[each][index] ? count(counted.counts[each][index]) : "")),
                        ),
                    ),
                    !rows.length && h("tr", null, h("td", null, "Nothing was counted in this time.")),
                ),
            ),
        ),
    );
}

/** @param {Counted} counted */
function describe(counted) {
    const parts = FINAL_OUTCOMES.filter((each) => counted.totals[each]).map((each) => `${outcomeWords(each)} ${counted.totals[each]}`);
    return `Outcomes over time: ${plural(counted.total, "notification")}${parts.length ? `; ${parts.join(", ")}` : ""}. The table below has the numbers.`;
}

/** @param {Counted | null} counted @param {number} index */
function describeStep(counted, index) {
    if (!counted) return "";
    const parts = FINAL_OUTCOMES.filter((each) => counted.counts[each][index]).map((each) => `${outcomeWords(each)} ${counted.counts[each][index]}`);
    return `${clock(counted.since + index * counted.length).slice(0, -3)}: ${parts.join(", ") || "nothing"}`;
}

/** @param {any} chart @param {HTMLCanvasElement} canvas @param {Counted} counted */
function drawChart(chart, canvas, counted) {
    const style = getComputedStyle(document.documentElement);
    const paint = (/** @type {string} */ name) => resolve(canvas, name);
    const number = counted.counts.accepted.length;
    const datasets = FINAL_OUTCOMES.map((outcome) => ({
        label: outcomeWords(outcome),
        data: counted.counts[outcome].map((y, index) => ({ x: counted.since + (index + 0.5) * counted.length, y })),
        backgroundColor: outcomeColour(outcome),
        hidden: counted.totals[outcome] === 0,
        barPercentage: 1,
        categoryPercentage: number > 60 ? 0.86 : 0.82,
        borderRadius: 1,
    }));
    const [min, max] = [counted.since, counted.since + number * counted.length];
    if (chart) {
        chart.data.datasets.forEach((/** @type {any} */ each, /** @type {number} */ index) => Object.assign(each, datasets[index]));
        Object.assign(chart.options.scales.x, { min, max });
        chart.$step = counted.length;
        chart.update("none");
        return chart;
    }
    const font = { family: style.fontFamily, size: 11 };
    const made = new (chartLibrary())(canvas, {
        type: "bar",
        data: { datasets },
        options: {
            animation: false,
            responsive: true,
            maintainAspectRatio: false,
            parsing: false,
            normalized: true,
            layout: { padding: 0 },
            scales: {
                x: {
                    type: "linear",
                    stacked: true,
                    min,
                    max,
                    offset: false,
                    grid: { display: false, borderColor: paint("--line") },
                    ticks: { color: paint("--dim"), font, maxRotation: 0, autoSkip: false, callback: tickText },
                    afterBuildTicks: (/** @type {any} */ axis) => (axis.ticks = ticks(axis.min, axis.max, axis.width)),
                },
                y: {
                    stacked: true,
                    beginAtZero: true,
                    suggestedMax: 4,
                    grid: { color: paint("--line"), drawBorder: false },
                    ticks: { color: paint("--dim"), font, precision: 0, maxTicksLimit: 5, callback: (/** @type {number} */ value) => compact(value) },
                },
            },
            plugins: {
                legend: { display: false },
                tooltip: {
                    mode: "index",
                    intersect: false,
                    animation: false,
                    backgroundColor: paint("--tooltip"),
                    titleColor: paint("--tooltip-ink"),
                    bodyColor: paint("--tooltip-ink"),
                    titleFont: { ...font, weight: "600" },
                    bodyFont: font,
                    padding: 8,
                    boxPadding: 4,
                    cornerRadius: 6,
                    itemSort: (/** @type {any} */ a, /** @type {any} */ b) => b.datasetIndex - a.datasetIndex,
                    filter: (/** @type {any} */ item) => item.parsed.y > 0,
                    callbacks: {
                        title: (/** @type {any[]} */ items) => {
                            if (!items.length) return "";
                            const length = items[0].chart.$step;
                            const from = items[0].parsed.x - length / 2;
                            return `${clock(from).slice(0, -3)} – ${clock(from + length).slice(-8, -3)} ${zone()}`;
                        },
                        label: (/** @type {any} */ item) => `${item.dataset.label}  ${count(item.parsed.y)}`,
                    },
                },
            },
        },
    });
    made.$step = counted.length;
    return made;
}

/**
 * Paints take no `light-dark()`: the colour that a custom property has now.
 *
 * @param {Element} near
 * @param {string} name
 */
function resolve(near, name) {
    const probe = h("span", { class: "unseen", style: { color: `var(${name})` } });
    near.parentElement?.append(probe);
    const colour = getComputedStyle(probe).color;
    probe.remove();
    return colour;
}

const MINUTES = [1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720, 1440, 2880, 10_080];

/**
 * Ticks at round times of the clock that is read.
 *
 * @param {number} min
 * @param {number} max
 * @param {number} width in pixels
 */
function ticks(min, max, width) {
    const most = Math.max(2, Math.floor(width / (width < 500 ? 60 : 80)));
    let step = (MINUTES.find((each) => (max - min) / (each * 60_000) <= most) ?? 10_080) * 60_000;
    while ((max - min) / step > most) step *= 2;
    const shift = timeMode() === "local" ? new Date(min).getTimezoneOffset() * 60_000 : 0;
    const found = [];
    for (let value = Math.ceil((min - shift) / step) * step + shift; value <= max; value += step) {
        // The first label would meet those of the other axis.
        if (((value - min) / (max - min)) * width >= 16) found.push({ value });
    }
    return found;
}

/** @param {number} value */
function tickText(value) {
    const point = new Date(timeMode() === "local" ? value - new Date(value).getTimezoneOffset() * 60_000 : value).toISOString();
    return point.slice(11, 16) === "00:00" ? point.slice(5, 10) : point.slice(11, 16);
}
