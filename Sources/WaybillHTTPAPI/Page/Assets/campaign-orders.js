// What may be ordered of a campaign, by whose role may: start by typing its name, hold, go on, end.

import { get, post } from "./api.js";
import { say } from "./app-act.js";
import { campaignPath, devices, reachesSomebody } from "./campaign-parts.js";
import { confirmation } from "./dialog.js";
import { h } from "./dom.js";
import { plural } from "./format.js";
import { may } from "./session.js";
import { foreign } from "./text.js";

const ORDERS = /** @type {Record<string, {button: string, title: string, text: string, yes: string, done: string, isDangerous?: boolean}>} */ ({
    pause: { button: "Pause …", title: "Pause this campaign?", text: "Nothing more is handed over, within about a second; what was handed over goes out. An expiry goes on counting.", yes: "Pause", done: "Paused" },
    resume: { button: "Resume …", title: "Resume this campaign?", text: "It goes on, at once where the time has come meanwhile.", yes: "Resume", done: "It goes on" },
    cancel: { button: "Cancel the campaign …", title: "Cancel this campaign?", text: "Nothing more of it is sent. What was pushed stays pushed, and it cannot be started again.", yes: "Cancel the campaign", done: "Cancelled", isDangerous: true },
});

/** Which orders a state takes. */
const OFFERED = /** @type {Record<string, string[]>} */ ({ draft: ["cancel"], starting: ["cancel"], started: ["pause", "cancel"], paused: ["resume", "cancel"] });

/**
 * @param {any} campaign
 * @param {() => void} reload after an order, also after one that was refused
 */
export function orderButtons(campaign, reload) {
    if (!may("operator")) return null;
    const isWaiting = campaign.state === "draft" || campaign.state === "starting";
    return h(
        "span",
        { class: "buttons" },
        isWaiting && startButton(campaign, reload),
        (OFFERED[campaign.state] ?? []).map((verb) => orderButton(verb, campaign, reload)),
    );
}

/** @param {string} verb @param {any} campaign @param {() => void} reload */
function orderButton(verb, { name, client }, reload) {
    const { button, title, text, yes, done, isDangerous } = ORDERS[verb];
    const order = async () => {
        if (!(await confirmation({ title, text: [h("p", null, foreign(name)), h("p", null, text)], yes, isDangerous }))) return;
        try {
            const answer = await post(campaignPath(name, verb, client), {});
            say(answer.handed_over ? `${done}; ${plural(answer.handed_over, "notification")} handed over by now` : done);
        } catch (error) {
            say(`Not done: ${/** @type {Error} */ (error).message}`);
        }
        reload();
    };
    return h("button", { type: "button", class: `small${isDangerous ? " danger" : ""}`, id: `campaign-${verb}`, "data-key": `campaign-${verb}`, on: { click: order } }, button);
}

/** @param {any} campaign @param {() => void} reload */
function startButton({ name, client }, reload) {
    const start = async () => {
        button.disabled = true;
        try {
            // Counted now: no more devices than somebody has agreed to are told.
            const preview = await get(campaignPath(name, "preview", client));
            const { devices: number, parts } = preview;
            if (!reachesSomebody(preview)) say("It would reach nobody");
            else if (await agrees(name, number, parts)) {
                await post(campaignPath(name, "start", client), { at_most: number });
                say("Started");
            }
        } catch (error) {
            say(`Not started: ${/** @type {Error} */ (error).message}`);
        }
        button.disabled = false;
        reload();
    };
    const button = h("button", { type: "button", class: "primary small", id: "campaign-start", "data-key": "campaign-start", on: { click: start } }, "Start …");
    return button;
}

/** @param {string} name @param {number} number @param {any[]} parts */
const agrees = (name, number, parts) => {
    const told = parts.filter((each) => each.skipped === undefined);
    const first = told.map((each) => each.at).filter(Boolean).sort()[0];
    const when = !first ? "at once" : told.length > 1 ? `from ${first}, at ${plural(told.length, "moment")}` : `at ${first}`;
    return confirmation({
        title: `Send to ${devices(number)}?`,
        text: h("p", { id: "start-count" }, `${devices(number)}, counted just now, ${number === 1 ? "is" : "are"} told ${when}. If it is more than that when it starts, nothing is sent.`),
        yes: `Send to ${devices(number)}`,
        type: name,
    });
};
