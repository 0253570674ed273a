// A lane: its state in each dispatcher, why and since when, its outcomes; and orders for it.

import { get, post } from "./api.js";
import { copyMenu, curl, toast, waybill } from "./copy.js";
import { confirmation } from "./dialog.js";
import { h } from "./dom.js";
import { age, count, plural } from "./format.js";
import { chartPanel } from "./outcome-chart.js";
import { panel } from "./panel.js";
import { recordsPanel } from "./records.js";
import { go } from "./route.js";
import { may, seesInstallation } from "./session.js";
import { gradeMark, lanesOf, worstOf } from "./state.js";
import { termOf } from "./terms.js";
import { foreign } from "./text.js";
import { time } from "./time.js";

const ORDERS = /** @type {Record<string, {title: string, text: string, yes: string}>} */ ({
    pause: { title: "Pause this lane?", text: "Nothing more is sent over it, and what waits for a stream is taken back. Its messages wait in the delay queues and lose none of their attempts; their own limits of time go on.", yes: "Pause" },
    drain: { title: "Drain this lane?", text: "Nothing more is taken for it; what was taken is still sent. Its messages wait in the delay queues.", yes: "Drain" },
    resume: { title: "Resume this lane?", text: "Messages are sent over it again, in every dispatcher, within seconds.", yes: "Resume" },
});

/** @param {HTMLElement} place @param {import("./route.js").Route} route */
export function laneView(place, route) {
    const name = route.id ?? "";
    const own = () => ({ view: /** @type {const} */ ("overview"), range: "1h", filters: { lane: [termOf(name)] } });
    /** @type {import("./panel.js").Panel | null} */
    const state = seesInstallation()
        ? panel({
              name: "lane",
              title: "Lane",
              lines: 5,
              load: async (signal) => {
                  const [status, lanes, fuses] = await Promise.all([get("/v1/status", {}, signal), get("/v1/lanes", {}, signal), get("/v1/fuses", {}, signal)]);
                  const overview = lanes.lanes.find((/** @type {any} */ each) => each.lane === name);
                  const places = lanesOf(status).find((each) => each.name === name)?.places ?? [];
                  return { order: overview?.order, followers: overview?.dispatchers ?? [], isKnown: Boolean(overview), places, fuses: fuses.fuses.filter((/** @type {any} */ each) => each.lane === name), minute: String(status.at).slice(0, 18) };
              },
              draw: (answer) => drawLane(name, answer, () => state?.reload()),
              tools: copyMenu("lane", () => ({ curl: curl("/v1/lanes"), waybill: waybill(["lanes"]), link: true })),
          })
        : null;
    const chart = chartPanel({
        title: "Outcomes over this lane, last hour",
        route: own,
        choose: (since, until) => go({ ...own(), since: new Date(since).toISOString(), until: new Date(until).toISOString() }),
        toggle: (outcome) => go({ ...own(), filters: { lane: [termOf(name)], outcome: [outcome] } }),
    });
    const records = recordsPanel({
        name: "records",
        title: "What was not accepted over this lane, last hour",
        query: () => ({ lane: termOf(name), outcome: ["!accepted"], since: "1h" }),
        empty: () => h("p", null, "Everything that was sent over this lane in the last hour was accepted, or nothing was sent."),
    });
    if (!state) place.append(h("section", { class: "panel", id: "lane" }, h("h2", null, "Lane"), h("p", { class: "headline" }, foreign(name)), h("p", { class: "dim" }, "The state of a lane takes a key for all clients.")));
    else place.append(state.element);
    place.append(chart.element, records.element);
    return { stop: () => [state, chart, records].forEach((each) => each?.stop()) };
}

/** @param {string} name @param {any} answer @param {() => void} reload */
function drawLane(name, answer, reload) {
    const { order, followers, places } = answer;
    const worst = places.length > 0 ? worstOf(places) : undefined;
    const isOpen = worst?.state === "open";
    const isWell = isOpen && !worst.trouble;
    const word = !worst ? (answer.isKnown ? "no dispatcher has it now" : "not known") : worst.state;
    return [
        h(
            "div",
            { class: "subject-head" },
            h(
                "p",
                { class: "headline" },
                foreign(name, { cut: 120 }),
                " ",
                h("span", { class: `state-word is-${isWell ? "healthy" : "degraded"}`, "data-state": worst?.state ?? "" }, gradeMark(isWell ? "healthy" : "degraded"), word),
            ),
            may("operator") && answer.isKnown && orderButtons(name, order, reload),
        ),
        !isOpen && worst?.cause && h("p", { class: "cause" }, "Cause: ", h("b", null, foreign(worst.cause)), worst.since && [", since ", time(worst.since), ` (${age(Date.now() - Date.parse(worst.since))})`], worst.retry_at && [", tried again ", time(worst.retry_at)]),
        isOpen && worst.trouble && h("p", { class: "cause" }, foreign(capital(worst.trouble), { cut: 400 })),
        worst?.advice && h("p", { class: "advice" }, foreign(worst.advice, { cut: 600 })),
        order &&
            h(
                "p",
                { class: "order", "data-order": order.state },
                "Last order: ",
                h("b", null, order.state),
                ", by ",
                foreign(order.by),
                ", ",
                time(order.at),
                order.note && [" — ", foreign(order.note)],
                h("span", { class: "dim" }, `. ${followedBy(followers)}`),
            ),
        answer.fuses.map((/** @type {any} */ fuse) => drawFuse(fuse, reload)),
        places.length > 0 &&
            h(
                "div",
                { class: "table-frame", tabindex: "0", role: "region", "aria-label": "The lane in each dispatcher" },
                h(
                    "table",
                    { class: "plain" },
                    h("thead", null, h("tr", null, ["Dispatcher", "State", "Cause", "Since", "Connections", "Streams", "Waiting", "Stalls", "GOAWAYs"].map((each, index) => h("th", { scope: "col", class: index > 3 ? "number" : null }, each)))),
                    h(
                        "tbody",
                        null,
                        places.map((/** @type {any} */ each) =>
                            h(
                                "tr",
                                null,
                                h("td", null, foreign(each.process)),
                                h("td", null, each.state),
                                h("td", null, each.cause ? foreign(each.cause) : h("span", { class: "dim" }, "–")),
                                h("td", null, each.since ? time(each.since) : "–"),
                                h("td", { class: "number" }, count(each.connections ?? 0), each.connecting ? ` + ${each.connecting}` : ""),
                                h("td", { class: "number" }, count(each.streams ?? 0)),
                                h("td", { class: "number" }, count(each.waiting ?? 0)),
                                h("td", { class: "number" }, count(each.stalls ?? 0)),
                                h("td", { class: "number" }, count(each.goaways ?? 0)),
                            ),
                        ),
                    ),
                ),
            ),
        !answer.isKnown && h("p", { class: "dim" }, "No dispatcher that is up has a lane of this name. ", h("code", null, "waybill lanes"), " lists them."),
    ];
}

const DECISIONS = /** @type {Record<string, {title: string, text: string, yes: string}>} */ ({
    release: { title: "Release the held events?", text: "The push service is right: the devices are disabled, but for those that have registered again since.", yes: "Release" },
    discard: { title: "Discard the held events?", text: "The push service is wrong, and the cause is removed: nobody is disabled by what it said until now.", yes: "Discard" },
});

/** What prune does about the lane's dead tokens. @param {any} fuse @param {() => void} reload */
function drawFuse(fuse, reload) {
    const { cause, decided } = fuse;
    if (fuse.state !== "blown")
        return h("p", { class: "order", "data-fuse": fuse.state }, "Dead tokens of ", foreign(fuse.app), ", ", time(cause.at), ": events ", h("b", null, fuse.state), " by ", foreign(decided.by), ", ", time(decided.at), decided.note && [" — ", foreign(decided.note)]);
    return h(
        "div",
        { class: "subject-head", "data-fuse": "blown" },
        h(
            "p",
            { class: "cause" },
            h("b", null, `${count(fuse.held)} events on dead tokens of `, foreign(fuse.app), " are held"),
            `: ${count(cause.invalid)} of ${count(cause.answers)} answers since `,
            time(cause.since),
            cause.reason && [" (", foreign(cause.reason), ")"],
            ". ",
            foreign(capital(cause.words), { cut: 300 }),
            ". Nobody is disabled until somebody decides.",
        ),
        may("operator") && h("div", { class: "buttons" }, Object.keys(DECISIONS).map((word) => decisionButton(word, fuse, reload))),
    );
}

/** @param {string} word @param {any} fuse @param {() => void} reload */
function decisionButton(word, fuse, reload) {
    const what = DECISIONS[word];
    const ask = async () => {
        const answer = await confirmation({ title: what.title, text: [h("p", null, foreign(fuse.lane), " · ", foreign(fuse.app)), h("p", null, what.text)], yes: what.yes, takesNote: true });
        if (!answer) return;
        try {
            await post(`/v1/fuses/${encodeURIComponent(fuse.lane)}/${word}`, { ...answer, app: fuse.app });
            toast("Decided; prune follows within seconds");
            reload();
        } catch (error) {
            toast(`Not decided: ${/** @type {Error} */ (error).message}`);
        }
    };
    return h("button", { type: "button", class: "small", id: `fuse-${word}`, "data-key": `fuse-${word}-${fuse.app}`, on: { click: ask } }, `${what.yes} …`);
}

/** @param {string} text */
const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

/** @param {{confirmed?: boolean}[]} dispatchers that have the lane */
function followedBy(dispatchers) {
    const number = dispatchers.filter((each) => each.confirmed).length;
    if (dispatchers.length === 0) return "No dispatcher is up to follow it";
    if (number === dispatchers.length) return number === 1 ? "The dispatcher follows it" : `All ${number} dispatchers follow it`;
    return `${number} of ${plural(dispatchers.length, "dispatcher")} follow it so far`;
}

/** @param {string} name @param {any} order @param {() => void} reload */
function orderButtons(name, order, reload) {
    const present = order?.state ?? "open";
    const wanted = present === "open" ? ["pause", "drain"] : present === "paused" ? ["resume", "drain"] : ["resume", "pause"];
    return h(
        "div",
        { class: "buttons" },
        wanted.map((action) =>
            h(
                "button",
                {
                    type: "button",
                    class: action === "resume" ? "primary small" : "small",
                    id: `lane-${action}`,
                    "data-key": `lane-${action}`,
                    on: {
                        click: async () => {
                            const what = ORDERS[action];
                            const answer = await confirmation({ title: what.title, text: [h("p", null, foreign(name)), h("p", null, what.text)], yes: what.yes, takesNote: true });
                            if (!answer) return;
                            try {
                                await post(`/v1/lanes/${encodeURIComponent(name)}/${action}`, answer);
                                toast("Ordered; every dispatcher follows within seconds");
                                reload();
                            } catch (error) {
                                toast(`Not ordered: ${/** @type {Error} */ (error).message}`);
                            }
                        },
                    },
                },
                `${ORDERS[action].yes} …`,
            ),
        ),
    );
}
