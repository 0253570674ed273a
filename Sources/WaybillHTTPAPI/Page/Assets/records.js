// Records in a table, page by page.

import { download, get } from "./api.js";
import { copyMenu, curl, filterOptions, toast, waybill } from "./copy.js";
import { h } from "./dom.js";
import { age, count, duration, shortID } from "./format.js";
import { outcomeBadge } from "./outcomes.js";
import { panel, problemBox } from "./panel.js";
import { href } from "./route.js";
import { save } from "./save.js";
import { foreign, plain } from "./text.js";
import { time } from "./time.js";

/** Records of a page: fewer where each takes the place of a card. */
const PAGE = matchMedia("(max-width: 860px)").matches ? 10 : 25;

/** Milliseconds. */
const DAY = 86_400_000;
/** How much later than its message a record is told of as late. */
const MUCH_LATER = 10_000;

/**
 * @param {object} what
 * @param {string} what.name
 * @param {string} what.title
 * @param {() => import("./api.js").Query} what.query the filters and times
 * @param {() => any} what.empty what is said where nothing matches
 */
export function recordsPanel({ name, title, query, empty }) {
    /**
     * Pages behind the first one.
     *
     * @type {any[]}
     */
    let more = [];
    /** @type {string | undefined} */
    let next;
    let isAsking = false;
    /** @type {any} */
    let failure = null;

    const askMore = async () => {
        if (isAsking || !next) return;
        isAsking = true;
        failure = null;
        records.redraw();
        try {
            const page = await get("/v1/deliveries", { ...query(), limit: PAGE, cursor: next });
            more.push(...page.deliveries);
            next = page.next;
        } catch (error) {
            failure = error;
        }
        isAsking = false;
        records.redraw();
    };

    const records = panel({
        name,
        title,
        lines: 10,
        load: async (signal) => {
            const page = await get("/v1/deliveries", { ...query(), limit: PAGE }, signal);
            more = [];
            next = page.next;
            failure = null;
            return page;
        },
        // Who has gone on reads, and does not want to begin anew.
        isLive: () => more.length === 0 && !isAsking,
        draw: (page) => {
            const all = [...page.deliveries, ...more];
            if (!all.length && !next) return h("div", { class: "empty" }, page.hint && h("p", null, "Hint: ", foreign(page.hint, { cut: 1000 }), "."), empty());
            return [
                recordTable(all, page.order),
                failure && problemBox(failure),
                h(
                    "p",
                    { class: "table-foot" },
                    next
                        ? h("button", { type: "button", class: "more", "data-key": `${name}-more`, disabled: isAsking, on: { click: askMore } }, isAsking ? "Asking …" : all.length ? "More" : "Nothing in the first five seconds; look further")
                        : h("span", { class: "dim" }, `These are all: ${count(all.length)}`),
                    more.length > 0 &&
                        h("button", { type: "button", class: "link", "data-key": `${name}-newest`, on: { click: () => ((more = []), records.reload()) } }, `Held at ${count(all.length)} records; show the newest`),
                ),
            ];
        },
        tools: [
            exportMenu(name, query),
            copyMenu(name, () => ({
                curl: curl("/v1/deliveries", { ...query(), limit: PAGE }),
                waybill: waybill(["logs"], filterOptions({ ...query(), limit: PAGE })),
                link: true,
            })),
        ],
    });
    return {
        ...records,
        /** Another search: what was added by "more" belongs to the old one. */
        restart: () => {
            more = [];
            next = undefined;
            return records.reload();
        },
    };
}

/**
 * @param {any[]} records
 * @param {string} order what they are ordered by, and so which time is shown: `date`, or `message`
 */
export function recordTable(records, order) {
    return h(
        "div",
        { class: "table-frame" },
        h(
            "table",
            { class: "records" },
            h(
                "thead",
                null,
                h(
                    "tr",
                    null,
                    [order === "message" ? "Message of" : "Recorded", "Outcome", "Client", "Lane", "Batch", "Token", "Answered in", "apns-id"].map((each) => h("th", { scope: "col", class: each === "Answered in" ? "number" : null }, each)),
                ),
            ),
            h("tbody", null, records.map((each) => recordRow(each, order))),
        ),
    );
}

/**
 * The time of a record's message, in milliseconds since 1970: a dispatcher's ids begin with it, a producer's with anything.
 *
 * @param {any} record
 */
function messageTime(record) {
    const digits = String(record._id).replaceAll("-", "");
    const point = /^[0-9a-f]{12}8/.test(digits) ? parseInt(digits.slice(0, 12), 16) : NaN;
    return point <= Date.now() + DAY ? point : NaN;
}

/**
 * The time that a list is ordered by; where the record came much later, that, too.
 *
 * @param {any} record
 * @param {string} order
 */
function whenCell(record, order) {
    const message = order === "message" ? messageTime(record) : NaN;
    if (Number.isNaN(message)) return h("td", { class: "c-time" }, time(record.date), order === "message" && h("span", { class: "when-more" }, "recorded"));
    const later = Date.parse(record.date) - message;
    return h("td", { class: "c-time" }, time(message), later >= MUCH_LATER && h("span", { class: "when-more" }, `recorded ${age(later)} later`));
}

/** @param {any} record @param {string} order */
function recordRow(record, order) {
    const id = record.apns_id ?? record._id;
    const target = href({ view: "story", id, filters: {} });
    return h(
        "tr",
        {
            "data-id": record._id,
            "data-outcome": record.outcome,
            on: {
                click: (/** @type {MouseEvent} */ event) => {
                    // The whole row is a way to the story, but for what is a way to elsewhere, or is being selected.
                    if (!(event.target instanceof Element) || event.target.closest("a, button") || !getSelection()?.isCollapsed) return;
                    /** @type {HTMLElement} */ (event.currentTarget).querySelector(".row-link")?.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true, ctrlKey: event.ctrlKey, metaKey: event.metaKey }));
                },
            },
        },
        whenCell(record, order),
        h("td", { class: "c-outcome" }, outcomeBadge(record.outcome), record.reason && h("span", { class: "reason", title: plain(record.reason) }, foreign(record.reason, { cut: 60 }))),
        h("td", { class: "c-client", "data-label": "Client" }, record.client ? foreign(record.client, { cut: 40 }) : h("span", { class: "dim" }, "–")),
        h("td", { class: "c-lane", "data-label": "Lane" }, record.lane && h("a", { href: href({ view: "lane", id: record.lane, filters: {} }), title: plain(record.lane) }, foreign(record.lane, { cut: 40 }))),
        h("td", { class: "c-batch", "data-label": "Batch" }, record.batch_id && h("a", { href: href({ view: "batch", id: record.batch_id, filters: {} }), title: plain(record.batch_id) }, foreign(record.batch_id, { cut: 48 }))),
        h("td", { class: "c-token mono", "data-label": "Token" }, record.device_token && foreign(`…${record.device_token.replace(/^…/, "").slice(-4)}`)),
        h("td", { class: "c-latency number", "data-label": "Answered in" }, record.latency_ms === undefined ? h("span", { class: "dim" }, "–") : duration(record.latency_ms)),
        h("td", { class: "c-id mono" }, h("a", { class: "row-link", href: target, "data-key": `row-${record._id}`, title: id, "aria-label": `Story of ${id}` }, shortID(id))),
    );
}

/**
 * Records as a file.
 *
 * @param {string} name
 * @param {() => import("./api.js").Query} query
 */
function exportMenu(name, query) {
    const menu = h("details", { class: "copy export", "data-key": `export-${name}` }, h("summary", null, "Export"));
    const item = (/** @type {string} */ label, /** @type {string} */ accept, /** @type {string} */ end) =>
        h(
            "button",
            {
                type: "button",
                "data-export": end,
                on: {
                    click: async () => {
                        menu.open = false;
                        try {
                            save(await download("/v1/deliveries", query(), accept), `waybill-records.${end}`);
                        } catch (error) {
                            toast(`No export: ${/** @type {Error} */ (error).message}`);
                        }
                    },
                },
            },
            h("span", null, label),
            h("code", null, curl("/v1/deliveries", query(), { accept })),
        );
    menu.addEventListener("toggle", () => {
        if (!menu.open) return;
        menu.querySelector(".menu")?.remove();
        menu.append(
            h(
                "div",
                { class: "menu" },
                item("CSV, up to 10,000 records", "text/csv", "csv"),
                item("NDJSON, up to 10,000 records", "application/x-ndjson", "ndjson"),
                h("p", { class: "dim" }, "All of them, and to be resumed: ", h("code", null, "waybill export")),
            ),
        );
    });
    return menu;
}
