// What the views of campaigns have in common: a state as a word, and commands as `waybill campaign` takes them.

import { shellWord, waybill } from "./copy.js";
import { h } from "./dom.js";
import { plural } from "./format.js";
import { gradeMark } from "./state.js";

/** @type {Record<string, {word: string, means: string, isWell: boolean}>} */
const STATES = {
    draft: { word: "draft", means: "prepared; nothing is sent", isWell: true },
    starting: { word: "starting", means: "its parts are written; start it again if that does not end", isWell: true },
    started: { word: "started", means: "sent, or waiting for its time", isWell: true },
    paused: { word: "paused", means: "nothing more is handed over", isWell: false },
    cancelled: { word: "cancelled", means: "nothing more is sent", isWell: false },
    done: { word: "done", means: "all its parts have ended", isWell: true },
};

/** @param {string} state */
export function stateWord(state) {
    const known = STATES[state] ?? { word: state, means: "written by another release of Waybill", isWell: false };
    const grade = known.isWell ? "healthy" : "degraded";
    return h("span", { class: `state-word is-${grade}`, "data-state": state, title: known.means }, gradeMark(grade), known.word);
}

/**
 * @param {string} name
 * @param {string} [verb]
 * @param {string} [client] whose: another client may have a campaign of the same name
 */
export const campaignPath = (name, verb = "", client = undefined) => `/v1/campaigns/${encodeURIComponent(name)}${verb && `/${verb}`}${client === undefined ? "" : `?client=${encodeURIComponent(client)}`}`;

/**
 * `waybill campaign VERB NAME`, whatever the name begins with.
 *
 * @param {string} verb
 * @param {string} [name]
 * @param {Record<string, string | string[] | boolean | undefined>} [options]
 */
export function campaignCommand(verb, name, options = {}) {
    const command = waybill(["campaign", verb], options);
    return name === undefined ? command : `${command} ${name.startsWith("-") ? "-- " : ""}${shellWord(name)}`;
}

/** Outcomes of a campaign as `outcomeBar` takes them. @param {Record<string, number>} outcomes */
export const listed = (outcomes) => Object.entries(outcomes).map(([outcome, count]) => ({ outcome, count }));

/** Pushes whose end is known. @param {Record<string, number>} outcomes */
export const ended = (outcomes) => listed(outcomes).reduce((sum, each) => sum + (each.outcome === "deferred" ? 0 : each.count), 0);

/** @param {number} number */
export const devices = (number) => plural(number, "device");

/** Whether anybody would be told, as far as is known. @param {{devices: number, lanes?: any[]}} preview */
export const reachesSomebody = ({ devices, lanes }) => devices > 0 && lanes?.length !== 0;
