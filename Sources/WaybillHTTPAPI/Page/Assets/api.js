// The one way to the API. The session's cookie goes along by itself; no key is ever held here.

/** What the API, or the network, says instead of an answer. */
export class ApiError extends Error {
    /**
     * @param {number} status 0 when nothing came
     * @param {string} detail
     * @param {{requestId?: string, retryAfter?: number, isChallenge?: boolean}} [more] `retryAfter`: seconds; `isChallenge`: the
     *     answer asks who this is
     */
    constructor(status, detail, more = {}) {
        super(detail);
        this.status = status;
        this.requestId = more.requestId;
        this.retryAfter = more.retryAfter;
        this.isChallenge = more.isChallenge ?? false;
    }

    /** Whether nobody is logged in; said by 429, too, where others at this address ask too often without a key. */
    get isStranger() {
        return this.status === 401 || (this.status === 429 && this.isChallenge);
    }

    /** Whether the same may succeed later, by itself. */
    get isPassing() {
        return this.status === 0 || this.status === 408 || this.status === 429 || this.status >= 500;
    }
}

/**
 * Told when an answer says that there is no session.
 *
 * @type {() => void}
 */
let signedOut = () => {};

/** @param {() => void} listener */
export function onSignedOut(listener) {
    signedOut = listener;
}

/** @typedef {Record<string, string | number | boolean | string[] | undefined | null>} Query */

/**
 * The address of a route. Names and values are encoded; lists repeat the name.
 *
 * @param {string} path
 * @param {Query} [query]
 */
export function address(path, query = {}) {
    const text = queryText(query);
    return text ? `${path}?${text}` : path;
}

/** @param {Query} query */
function queryText(query) {
    const parts = new URLSearchParams();
    for (const [name, value] of Object.entries(query)) {
        if (value === undefined || value === null || value === "") continue;
        for (const each of Array.isArray(value) ? value : [value]) parts.append(name, String(each));
    }
    return parts.toString();
}

/** @param {string} path @param {Query} [query] @param {AbortSignal} [signal] @returns {Promise<any>} */
export async function get(path, query, signal) {
    return (await ask(address(path, query), { signal })).json();
}

/** @param {string} path @param {object} body @param {AbortSignal} [signal] @returns {Promise<any>} */
export async function post(path, body, signal) {
    const answer = await ask(path, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify(body),
        signal,
    });
    return answer.json();
}

/** @param {string} path @param {AbortSignal} [signal] @returns {Promise<any>} */
export async function remove(path, signal) {
    return (await ask(path, { method: "DELETE", signal })).json();
}

/**
 * The bytes of an answer in another form.
 *
 * @param {string} path
 * @param {Query} query
 * @param {string} accept
 * @returns {Promise<Blob>}
 */
export async function download(path, query, accept) {
    return (await ask(address(path, query), { headers: { Accept: accept } })).blob();
}

/**
 * @param {string} url
 * @param {RequestInit & {expectSignedOut?: boolean}} options `expectSignedOut`: a 401 is an answer like others
 * @returns {Promise<Response>}
 */
export async function ask(url, options) {
    const { expectSignedOut, ...rest } = options;
    let answer;
    try {
        answer = await fetch(url, { credentials: "same-origin", cache: "no-store", redirect: "error", ...rest });
    } catch (error) {
        if (error instanceof DOMException && error.name === "AbortError") throw error;
        throw new ApiError(0, "waybill serve cannot be reached");
    }
    if (answer.ok) return answer;
    const error = await problem(answer);
    if (answer.status === 401 && !expectSignedOut) signedOut();
    throw error;
}

/** @param {Response} answer */
async function problem(answer) {
    const retryAfter = Number(answer.headers.get("Retry-After")) || undefined;
    const isChallenge = answer.headers.has("WWW-Authenticate");
    try {
        const body = await answer.json();
        return new ApiError(answer.status, String(body.detail ?? body.title), { requestId: body.request_id, retryAfter, isChallenge });
    } catch {
        const requestId = answer.headers.get("X-Request-Id") ?? undefined;
        return new ApiError(answer.status, `the answer was ${answer.status} ${answer.statusText}`, { requestId, retryAfter, isChallenge });
    }
}
