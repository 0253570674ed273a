// The first screen: state, chart, groups, records, live tail.

import { h } from "./dom.js";
import { filterBar, queryOf, withFilter, withoutFilter } from "./filters.js";
import { groupsPanel } from "./groups.js";
import { chartPanel } from "./outcome-chart.js";
import { recordsPanel } from "./records.js";
import { go } from "./route.js";
import { currentSession, seesInstallation } from "./session.js";
import { statePanel } from "./state.js";
import { tailPanel } from "./tail.js";
import { foreign } from "./text.js";

/** @param {HTMLElement} place @param {import("./route.js").Route} first */
export function overviewView(place, first) {
    let route = first;
    const now = () => route;
    const bar = h("div", { class: "filter-place" }, filterBar(route));
    const state = seesInstallation() ? statePanel() : null;
    const scope = state
        ? undefined
        : h("p", { class: "note scope" }, "You see ", foreign((currentSession()?.clients ?? []).join(", ")), " alone. The state of the installation takes a key for all clients.");
    const chart = chartPanel({
        title: "Outcomes",
        route: now,
        choose: (since, until) => go({ ...route, since: new Date(since).toISOString(), until: new Date(until).toISOString() }),
        toggle: (outcome) => go(route.filters.outcome?.includes(outcome) ? withoutFilter(route, "outcome", outcome) : withFilter(route, "outcome", outcome)),
    });
    const groups = groupsPanel(now);
    const records = recordsPanel({
        name: "records",
        title: "Records",
        query: () => queryOf(route),
        empty: () => [
            h("p", null, "No record in this time", Object.keys(route.filters).length ? " with these filters." : "."),
            h("p", { class: "dim" }, "A record is written when a dispatcher has sent, or refused, what a producer published: ", h("code", null, "waybill send parcels.ndjson"), " publishes, ", h("code", null, "waybill dispatch"), " sends."),
        ],
    });
    const tail = tailPanel(() => route.filters);
    place.append(
        ...[state?.element, scope, bar, chart.element, groups.element, records.element, tail.element].filter((each) => each !== undefined),
    );
    return {
        /** @param {import("./route.js").Route} next */
        update: (next) => {
            const changesFilters = JSON.stringify(next.filters) !== JSON.stringify(route.filters);
            route = next;
            const focused = /** @type {HTMLElement | null} */ (document.activeElement)?.dataset?.key;
            bar.replaceChildren(filterBar(route));
            if (focused) /** @type {HTMLElement | null} */ (bar.querySelector(`[data-key="${CSS.escape(focused)}"]`))?.focus({ preventScroll: true });
            for (const each of [chart, groups, records]) each.element.setAttribute("aria-busy", "true");
            chart.reload();
            groups.reload();
            records.restart();
            if (changesFilters) tail.restart();
        },
        stop: () => {
            for (const each of [state, chart, groups, records, tail]) each?.stop();
        },
    };
}
