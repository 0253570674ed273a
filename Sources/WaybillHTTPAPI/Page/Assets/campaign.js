// One campaign: what it says, how far it is, what became of its pushes, and orders for it.

import { get } from "./api.js";
import { orderButtons } from "./campaign-orders.js";
import { campaignCommand, campaignPath, devices, ended, listed, reachesSomebody, stateWord } from "./campaign-parts.js";
import { testPart } from "./campaign-test.js";
import { copyMenu, curl } from "./copy.js";
import { h } from "./dom.js";
import { count, plural, share } from "./format.js";
import { lockScreen } from "./lock-screen.js";
import { ALL_OUTCOMES, outcomeBadge, outcomeBar } from "./outcomes.js";
import { panel } from "./panel.js";
import { href } from "./route.js";
import { may } from "./session.js";
import { foreign } from "./text.js";
import { time } from "./time.js";

/** @param {HTMLElement} place @param {import("./route.js").Route} route */
export function campaignView(place, route) {
    const name = route.id ?? "";
    // Names are a client's own.
    const client = route.filters.client?.[0];
    const test = may("operator") ? testPart(name, client) : null;
    const own = panel({
        name: "campaign",
        title: "Campaign",
        lines: 6,
        load: (signal) => get(campaignPath(name, "", client), {}, signal),
        draw: (answer) => {
            if (test) test.hidden = ["cancelled", "done"].includes(answer.state);
            // Afterwards its parts say what was planned at the start.
            preview.element.hidden = answer.state !== "draft";
            return drawCampaign(answer, () => own.reload());
        },
        tools: [
            may("operator") && h("a", { id: "compose-like", href: href({ view: "compose", id: name, filters: client === undefined ? {} : { client: [client] } }) }, "Another like it"),
            copyMenu("campaign", () => ({ curl: curl(campaignPath(name, "", client)), waybill: campaignCommand("show", name, { client }), link: true })),
        ],
    });
    const preview = panel({
        name: "preview",
        title: "To whom, and when",
        lines: 5,
        // Every device is counted for it: once, and when somebody asks.
        isLive: () => false,
        load: (signal) => get(campaignPath(name, "preview", client), {}, signal),
        draw: drawPreview,
        tools: [
            h("button", { type: "button", class: "small", id: "count-again", on: { click: () => preview.reload() } }, "Count again"),
            copyMenu("preview", () => ({ curl: curl(campaignPath(name, "preview", client)), waybill: campaignCommand("preview", name, { client }) })),
        ],
    });
    place.append(own.element, preview.element, ...(test ? [test] : []));
    return { stop: () => [own, preview].forEach((each) => each.stop()) };
}

/** @param {any} answer @param {() => void} reload */
function drawCampaign(answer, reload) {
    return [
        h("div", { class: "subject-head" }, h("p", { class: "headline" }, foreign(answer.name, { cut: 200 }), " ", stateWord(answer.state)), orderButtons(answer, reload)),
        h("div", { class: "campaign" }, h("div", null, answer.state !== "draft" && drawProgress(answer), drawFacts(answer)), lockScreen({ ...answer, app: [answer.select.app].flat()[0] })),
    ];
}

/** @param {any} answer */
function drawProgress(answer) {
    const finished = ended(answer.outcomes);
    const outcomes = listed(answer.outcomes).sort((a, b) => ALL_OUTCOMES.indexOf(a.outcome) - ALL_OUTCOMES.indexOf(b.outcome));
    const failed = answer.parts.filter((/** @type {any} */ each) => ["failed", "refused"].includes(each.state));
    const most = Math.max(answer.planned, answer.handed_over, 1);
    return h(
        "div",
        { class: "campaign-progress" },
        h(
            "div",
            { class: "figures" },
            figure(count(answer.planned), "at the start"),
            figure(count(answer.handed_over), "handed over"),
            answer.unconfirmed > 0 && figure(count(answer.unconfirmed), "perhaps, too"),
            figure(count(finished), "ended"),
            finished > 0 && figure(share(answer.outcomes.accepted ?? 0, finished), "accepted"),
            answer.skipped > 0 && figure(count(answer.skipped), "left out: their time had passed"),
            answer.without_lane > 0 && figure(count(answer.without_lane), "left out: without a lane"),
            answer.without_content > 0 && figure(count(answer.without_content), "left out: without content for their provider"),
        ),
        answer.unconfirmed > 0 &&
            h(
                "p",
                { class: "note", id: "unconfirmed" },
                `${count(answer.unconfirmed)} more may have been handed over: the broker has not confirmed them, or nobody has noted it yet. That is settled in a moment; after a crash of waybill fanout within ten seconds, once one runs. None of them is lost.`,
            ),
        answer.state === "cancelled" && h("p", { class: "note", id: "campaign-cancelled" }, `Nothing more of it is sent: ${count(answer.handed_over)} of ${devices(answer.planned)} were handed over, and of those ${count(answer.outcomes.cancelled ?? 0)} were stopped on their way.`),
        failed.length > 0 && h("div", { class: "problem", id: "campaign-failed" }, h("strong", null, `${plural(failed.length, "part")} not sent`), failed.slice(0, 3).map((each) => h("p", null, foreign(each.reason ?? each.state, { cut: 300 })))),
        h("progress", { max: most, value: answer.handed_over, "aria-label": `Handed over: ${count(answer.handed_over)} of ${count(most)}` }),
        outcomes.length > 0 && [
            outcomeBar(outcomes),
            h(
                "div",
                { class: "legend" },
                outcomes.map((each) =>
                    h(
                        "a",
                        { class: "legend-item", href: href({ range: "7d", filters: { batch: [answer.name], outcome: [each.outcome] } }), "data-outcome": each.outcome, "data-key": `legend-${each.outcome}` },
                        outcomeBadge(each.outcome),
                        h("span", { class: "legend-count" }, count(each.count)),
                    ),
                ),
            ),
        ],
        h("p", null, h("a", { href: href({ view: "batch", id: answer.name, filters: {} }), "data-key": "as-batch" }, "What became of each, as a batch")),
        drawParts(answer.parts),
    );
}

/** @param {string} number @param {string} label */
const figure = (number, label) => h("div", { class: "figure" }, h("b", null, number), h("span", null, label));

/** @param {any} answer */
function drawFacts(answer) {
    const { app, users, devices: ids, filter } = answer.select;
    const facts = /** @type {[string, any][]} */ ([
        ["Prepared", [time(answer.created_at), " by ", foreign(answer.created_by, { cut: 100 })]],
        ["Started", answer.started_at && time(answer.started_at)],
        ["Paused", answer.paused_at && [time(answer.paused_at), answer.paused_by && [" by ", foreign(answer.paused_by, { cut: 100 })]]],
        ["Cancelled", answer.state === "cancelled" && [answer.cancelled_at ? time(answer.cancelled_at) : "nobody noted when", answer.cancelled_by && [" by ", foreign(answer.cancelled_by, { cut: 100 })]]],
        ["Client", foreign(answer.client, { cut: 60 })],
        ["App", foreign([app].flat().join(", "), { cut: 100 })],
        ["Devices", users ? ["of ", foreign(users.join(", "), { cut: 120 })] : ids ? foreign(ids.join(", "), { cut: 120 }) : filter ? foreign(JSON.stringify(filter), { cut: 200 }) : "all of the app"],
        ["When", answer.at ? time(answer.at) : answer.local_at ? [foreign(answer.local_at), " on the devices’ clocks"] : "at the start"],
        ["Zone", answer.local_at || answer.quiet ? [foreign(answer.zone), " where a device’s own is not known"] : null],
        ["Passed", answer.at || answer.local_at ? (answer.passed === "now" ? "told at once" : "left out") : null],
        ["Quiet hours", answer.quiet && foreign(answer.quiet)],
        ["Nothing after", answer.expires_at && time(answer.expires_at)],
        ["A minute", answer.per_minute && `${count(answer.per_minute)} at most`],
        ["Level", answer.level && foreign(answer.level)],
        ["Category", answer.category && foreign(answer.category, { cut: 100 })],
    ]);
    return h("dl", { class: "facts" }, facts.map(([name, says]) => says && [h("dt", null, name), h("dd", null, says)]));
}

/** @param {any} answer */
function drawPreview(answer) {
    return [
        h("p", { class: "headline", id: "exact-count" }, reachesSomebody(answer) ? devices(answer.devices) : "It would reach nobody"),
        drawReach(answer),
        drawParts(answer.parts),
        h("details", { class: "raw", "data-key": "payload" }, h("summary", { "data-key": "payload-summary" }, "The content"), h("pre", { tabindex: "0", "aria-label": "The content" }, foreign(JSON.stringify(answer.content, null, 2), { cut: 6000, lines: true }))),
    ];
}

/**
 * Over which lanes, and who is left out.
 * @param {any} answer
 */
function drawReach(answer) {
    const ways = [
        ...(answer.lanes ?? []).map((/** @type {any} */ each) => [`${devices(each.devices)} over `, foreign(each.lane, { cut: 60 })]),
        ...(answer.without_lane ? [[`${devices(answer.without_lane)} without a lane`]] : []),
        ...(answer.without_content ? [[`${devices(answer.without_content)} without content for their provider`]] : []),
    ];
    if (!ways.length) return null;
    return h("p", { class: "dim", id: "reach" }, ways.flatMap((way, index) => (index ? [", ", ...way] : way)));
}

/** @param {any[]} parts */
function drawParts(parts) {
    if (!parts.length) return null;
    const hasStates = parts.some((each) => each.state !== undefined);
    return h(
        "div",
        { class: "table-frame", tabindex: "0", role: "region", "aria-label": "Parts" },
        h(
            "table",
            { class: "plain" },
            h("thead", null, h("tr", null, ["When", "Time zones", "Devices", ...(hasStates ? ["State", "Handed over"] : [])].map((each) => h("th", { scope: "col", class: each === "Devices" || each === "Handed over" ? "number" : null }, each)))),
            h(
                "tbody",
                null,
                parts.map((each) =>
                    h(
                        "tr",
                        null,
                        h("td", null, each.skipped !== undefined ? ["left out: ", foreign(each.skipped, { cut: 80 })] : each.at ? time(each.at) : "at once"),
                        h("td", null, each.zones ? foreign(each.zones.join(", "), { cut: 80 }) : each.other_than?.length ? "all others" : "all"),
                        h("td", { class: "number" }, count(each.devices)),
                        hasStates && [h("td", null, foreign(each.state ?? "–"), each.reason && [": ", foreign(each.reason, { cut: 120 })]), h("td", { class: "number" }, count(each.handed_over ?? 0))],
                    ),
                ),
            ),
        ),
    );
}
