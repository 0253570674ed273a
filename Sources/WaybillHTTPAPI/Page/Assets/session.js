// Who is logged in. The key goes to the server once, and stays nowhere in the page.

import { ask, ApiError } from "./api.js";

/**
 * @typedef {object} Session
 * @property {{id: string, name: string}} key
 * @property {"reader" | "investigator" | "operator" | "steward"} role
 * @property {string[] | null} clients `null` for all
 * @property {string} [expires_at]
 */

const ROLES = ["reader", "investigator", "operator", "steward"];

/** @type {Session | null} */
let session = null;

export const currentSession = () => session;

/**
 * Whether the session's role is at least this one.
 *
 * @param {Session["role"]} role
 */
export const may = (role) => session !== null && ROLES.indexOf(session.role) >= ROLES.indexOf(role);

/** Whether the session's key is for all clients: only such a key sees the installation. */
export const seesInstallation = () => session !== null && session.clients === null;

/**
 * Asks whether there is a session already.
 *
 * @returns {Promise<Session | null>}
 */
export async function resumeSession() {
    try {
        session = await (await ask("/v1/session", { expectSignedOut: true })).json();
    } catch (error) {
        session = null;
        // Others at this address may ask too often without a key: a log-in is let through even so.
        if (!(error instanceof ApiError) || !error.isStranger) throw error;
    }
    return session;
}

/** @param {string} key @returns {Promise<void>} */
export async function logIn(key) {
    const answer = await ask("/v1/session", {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ key }),
        expectSignedOut: true,
    });
    session = await answer.json();
}

export async function logOut() {
    session = null;
    await ask("/v1/session", { method: "DELETE", expectSignedOut: true });
}

/** The server says that there is no session any more. */
export function forgetSession() {
    session = null;
}
