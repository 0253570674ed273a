// What is shown is what the address says: a view, and what it is about. No secret ever is in it.

import { followLinks } from "./links.js";

const PATH = "/app";

/** Those for everybody, and those for whoever is logged in. */
const OPEN = ["login", "sign-up", "confirmation", "password-reset"];
const OWN = ["account", "notifications", "services", "service"];

/**
 * @typedef {object} Route
 * @property {string} view
 * @property {string} [id]
 */

/** What an invitation's link holds: it stands behind # and in this page's memory alone. */
const INVITATION = /^#invitation=(wbi_[0-9A-Za-z]{43})$/;
/** @type {string} */
let invited = "";

export const invitation = () => invited;

export function forgetInvitation() {
    invited = "";
}

/** Takes an invitation out of the address, so that no copy of that has it. */
function takeInvitation() {
    const found = INVITATION.exec(location.hash);
    if (!found) return;
    invited = found[1];
    history.replaceState(null, "", href("services"));
}

/** @type {() => void} */
let listener = () => {};

/**
 * The view that the address names, of those that may be shown.
 *
 * @param {boolean} isIn whether somebody is logged in
 * @returns {Route}
 */
export function currentRoute(isIn) {
    takeInvitation();
    const query = new URLSearchParams(location.search);
    const views = isIn ? OWN : OPEN;
    const named = query.get("view") === "service" && !query.get("id") ? "services" : query.get("view");
    return { view: views.find((each) => each === named) ?? views[0], id: query.get("id") ?? undefined };
}

/**
 * The address of a view, for links.
 *
 * @param {string} [view]
 * @param {string} [id]
 */
export function href(view, id) {
    const query = new URLSearchParams();
    if (view) query.set("view", view);
    if (id) query.set("id", id);
    const text = query.toString();
    return text ? `${PATH}?${text}` : PATH;
}

/** @param {string} [view] @param {string} [id] */
export function go(view, id) {
    history.pushState(null, "", href(view, id));
    listener();
}

/** @param {() => void} follow */
export function onRoute(follow) {
    listener = follow;
    addEventListener("popstate", follow);
    addEventListener("hashchange", follow);
    followLinks(PATH, (target) => {
        history.pushState(null, "", target);
        follow();
        scrollTo(0, 0);
    });
}
