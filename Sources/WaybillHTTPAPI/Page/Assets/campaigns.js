// Campaigns, the newest first.

import { get } from "./api.js";
import { campaignCommand, devices, ended, listed, stateWord } from "./campaign-parts.js";
import { copyMenu, curl } from "./copy.js";
import { h } from "./dom.js";
import { count, share } from "./format.js";
import { outcomeBar } from "./outcomes.js";
import { panel } from "./panel.js";
import { href } from "./route.js";
import { may } from "./session.js";
import { foreign } from "./text.js";
import { time } from "./time.js";

/** How many a page of the list has. */
const LIMIT = 20;

/** @param {HTMLElement} place @param {import("./route.js").Route} route */
export function campaignsView(place, route) {
    const query = { limit: LIMIT, cursor: route.after };
    const list = panel({
        name: "campaigns",
        title: "Campaigns",
        lines: 6,
        load: (signal) => get("/v1/campaigns", query, signal),
        draw: (answer) => drawList(answer, route),
        tools: [
            may("operator") && h("a", { class: "button-link", id: "compose-link", href: href({ view: "compose", filters: {} }) }, "New campaign"),
            copyMenu("campaigns", () => ({ curl: curl("/v1/campaigns", query), waybill: campaignCommand("list"), link: true })),
        ],
    });
    place.append(list.element);
    return { stop: list.stop };
}

/** @param {any} answer @param {import("./route.js").Route} route */
function drawList(answer, route) {
    if (!answer.campaigns.length && !route.after) {
        return h(
            "div",
            { class: "empty" },
            h("p", null, "There is no campaign."),
            h("p", { class: "dim" }, may("operator") ? "A campaign is one content for many devices: prepared, looked at, tried on a few, then started." : "Preparing and sending takes a key with the role operator."),
        );
    }
    return [
        h("ul", { class: "campaign-rows" }, answer.campaigns.map(drawRow)),
        (answer.next || route.after) &&
            h(
                "p",
                { class: "table-foot" },
                route.after && h("a", { href: href({ view: "campaigns", filters: {} }), "data-key": "newest" }, "The newest"),
                answer.next && h("a", { href: href({ view: "campaigns", after: answer.next, filters: {} }), "data-key": "older" }, "Older ones"),
            ),
    ];
}

/** @param {any} each */
function drawRow(each) {
    const finished = ended(each.outcomes);
    return h(
        "li",
        { "data-campaign": each.name, "data-state": each.state },
        h(
            "div",
            { class: "campaign-name" },
            h("a", { class: "row-link", href: href({ view: "campaign", id: each.name, filters: { client: [each.client] } }), "data-key": `campaign-${each.name}` }, foreign(each.name, { cut: 80 })),
            stateWord(each.state),
        ),
        h("p", { class: "campaign-text" }, each.title && [h("b", null, foreign(each.title, { cut: 80 })), " "], foreign(each.body ?? "", { cut: 120, lines: true })),
        h(
            "div",
            { class: "campaign-counts" },
            each.state === "draft" ? h("span", { class: "dim" }, "not started") : h("span", null, `${count(each.handed_over)} of ${devices(each.planned)} handed over`),
            finished > 0 && h("span", null, `${share(each.outcomes.accepted ?? 0, finished)} accepted`),
            finished > 0 && outcomeBar(listed(each.outcomes)),
        ),
        h("p", { class: "campaign-who" }, "for ", foreign(each.client, { cut: 40 }), ", ", time(each.started_at ?? each.created_at), " by ", foreign(each.created_by, { cut: 60 })),
    );
}
