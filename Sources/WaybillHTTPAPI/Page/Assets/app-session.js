// Who is logged in here. The refresh token is in a cookie that no script reads, the access token in this page's memory alone.

import { address, ApiError, ask } from "./api.js";

const PATH = "/v1/account/sessions";
const JSON_TYPE = { "Content-Type": "application/json" };
/** Milliseconds before its end from which on an access token is renewed. */
const MARGIN = 30_000;

/**
 * @typedef {object} Tokens
 * @property {string} account
 * @property {string} session
 * @property {string} access
 * @property {number} until milliseconds since 1970
 */

/** @type {Tokens | null} */
let tokens = null;
/** @type {Promise<void> | null} */
let renewing = null;
/** @type {(isIn: boolean, isWanted: boolean) => void} */
let changed = () => {};

/** The tabs of a browser have one session, and tell each other of it. */
const tabs = new BroadcastChannel("waybill.account");

tabs.addEventListener("message", ({ data }) => {
    const before = tokens;
    tokens = data;
    if (before?.session !== tokens?.session) changed(tokens !== null, false);
});

export const isLoggedIn = () => tokens !== null;

/** The id of whoever is logged in. */
export const ownAccount = () => tokens?.account;

/**
 * Told when somebody has logged in or out: here, in another tab, or because the session has ended.
 *
 * @param {(isIn: boolean, isWanted: boolean) => void} listener `isWanted`: by what somebody did in this tab
 */
export function onSession(listener) {
    changed = listener;
}

/**
 * Asks whether this browser has a session already.
 *
 * @returns {Promise<boolean>}
 */
export async function resume() {
    try {
        await renew();
    } catch (error) {
        if (!(error instanceof ApiError) || !error.isStranger) throw error;
    }
    return tokens !== null;
}

/** @param {string} username or the address @param {string} password @param {string} name of this browser */
export async function logIn(username, password, name) {
    const answer = await ask(PATH, sending("POST", { username, password, name, refresh_in: "cookie" }));
    take(await answer.json());
    changed(true, true);
}

/** Ends this session; whatever the server says, this page forgets it. */
export async function logOut() {
    try {
        await call("DELETE", `${PATH}/current`);
    } finally {
        forget(true);
    }
}

/** @param {string} password @param {string} next */
export async function changePassword(password, next) {
    const answer = await call("PUT", "/v1/account/password", { password, new_password: next, refresh_in: "cookie" });
    take(await answer.json());
}

/**
 * Forgets the session, in all tabs.
 *
 * @param {boolean} isWanted whether somebody asked for it
 */
export function forget(isWanted) {
    if (!tokens) return;
    share(null);
    changed(false, isWanted);
}

/**
 * What the API says to whoever is logged in.
 *
 * @param {string} path
 * @param {import("./api.js").Query} [query]
 * @param {AbortSignal} [signal]
 * @returns {Promise<any>}
 */
export async function get(path, query, signal) {
    return (await withToken(address(path, query), { signal })).json();
}

/**
 * A stream for whoever is logged in: its body is read as it comes.
 *
 * @param {string} path
 * @param {AbortSignal} signal
 * @param {Record<string, string>} headers
 */
export function open(path, signal, headers) {
    return withToken(path, { signal, headers: { ...headers, Accept: "text/event-stream" } });
}

/**
 * Has something done for whoever is logged in.
 *
 * @param {string} method
 * @param {string} path
 * @param {object} [body]
 */
export function call(method, path, body) {
    return withToken(path, body ? sending(method, body) : { method });
}

/**
 * Sends a file for whoever is logged in.
 *
 * @param {string} path
 * @param {Blob} file
 */
export function upload(path, file) {
    return withToken(path, { method: "PUT", headers: { "Content-Type": file.type }, body: file });
}

/**
 * Asks without a session: signing up, and what mails are for.
 *
 * @param {string} method
 * @param {string} path
 * @param {object} body
 */
export function callAsStranger(method, path, body) {
    return ask(path, sending(method, body));
}

/** @param {string} method @param {object} body @returns {RequestInit & {expectSignedOut: boolean}} */
const sending = (method, body) => ({ method, headers: JSON_TYPE, body: JSON.stringify(body), expectSignedOut: true });

/** @param {string} url @param {RequestInit} options */
async function withToken(url, options) {
    try {
        if (!tokens || tokens.until - MARGIN < Date.now()) await renew();
        try {
            return await ask(url, authorized(options));
        } catch (error) {
            if (!isRefusal(error)) throw error;
            await renew();
            return await ask(url, authorized(options));
        }
    } catch (error) {
        if (isRefusal(error)) forget(false);
        throw error;
    }
}

/** @param {RequestInit} options */
const authorized = (options) => ({ ...options, headers: { ...options.headers, Authorization: `Bearer ${tokens?.access}` }, expectSignedOut: true });

/** @param {unknown} error */
const isRefusal = (error) => error instanceof ApiError && error.status === 401;

/** Renews the tokens: once, however many parts of the page and tabs wait for it. */
function renew() {
    const before = tokens;
    renewing ??= alone(async () => {
        // Another tab has done it while this one waited.
        if (tokens !== before && tokens) return;
        // It goes on when the page is left: a browser that has not heard of the next token has none that holds.
        const answer = await ask(`${PATH}/refresh`, { method: "POST", keepalive: true, expectSignedOut: true }).catch(noCookie);
        take(await answer.json());
    }).finally(() => (renewing = null));
    return renewing;
}

/**
 * Without the cookie nobody is logged in.
 *
 * @param {unknown} error
 * @returns {never}
 */
function noCookie(error) {
    throw error instanceof ApiError && error.status === 400 ? new ApiError(401, error.message) : error;
}

/** @param {() => Promise<void>} body */
function alone(body) {
    // Without TLS beyond this machine there are no locks; the server bears two tabs that renew at once.
    return navigator.locks ? navigator.locks.request("waybill.refresh", body) : body();
}

/** @param {any} answer */
function take(answer) {
    share({ account: answer.account, session: answer.session, access: answer.access_token, until: Date.now() + answer.expires_in * 1000 });
}

/** @param {Tokens | null} next */
function share(next) {
    tokens = next;
    tabs.postMessage(next);
}
