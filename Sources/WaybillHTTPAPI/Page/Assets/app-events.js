// What changes for whoever is logged in, as it happens: server-sent events, read by `fetch`, for the access token goes in a header.

import { ApiError } from "./api.js";
import { open } from "./app-session.js";

/** Milliseconds until a stream that has ended is opened again. */
const RETRY = 3000;

/**
 * Listens until it is stopped, and while the page is seen; what happened meanwhile comes afterwards, or as `reset`.
 *
 * @param {object} does
 * @param {(name: string, data: any) => void} does.hear an event
 * @param {(isLive: boolean) => void} does.turn when the stream begins or ends
 * @returns {{stop: () => void}}
 */
export function listen({ hear, turn }) {
    let last = "";
    let isLive = false;
    let hasStopped = false;
    let controller = new AbortController();
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    let retrying;

    /** @param {boolean} now */
    const become = (now) => {
        if (isLive === now || hasStopped) return;
        isLive = now;
        turn(now);
    };
    /** @param {string} block one event */
    const take = (block) => {
        let [name, data, id] = ["", "", ""];
        for (const line of block.split("\n")) {
            if (line.startsWith("event: ")) name = line.slice(7);
            else if (line.startsWith("data: ")) data += line.slice(6);
            else if (line.startsWith("id: ")) id = line.slice(4);
        }
        if (id) last = id;
        if (name) hear(name, parsed(data));
    };
    const read = async () => {
        const { signal } = controller;
        const answer = await open("/v1/events", signal, last ? { "Last-Event-ID": last } : {});
        if (!answer.body) return;
        become(true);
        const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
        let text = "";
        for (;;) {
            const { value, done } = await reader.read();
            if (done) return;
            const blocks = (text + value).split("\n\n");
            text = blocks.pop() ?? "";
            blocks.forEach(take);
        }
    };
    const run = async () => {
        let pause = RETRY;
        try {
            await read();
        } catch (error) {
            if (error instanceof ApiError) pause = Math.max(pause, (error.retryAfter ?? 0) * 1000);
        }
        become(false);
        clearTimeout(retrying);
        if (!hasStopped && !document.hidden) retrying = setTimeout(run, pause);
    };
    const end = () => {
        clearTimeout(retrying);
        controller.abort();
        controller = new AbortController();
    };
    // An account has few streams: a page that nobody sees gives its own away.
    const visibility = () => {
        end();
        if (!document.hidden) retrying = setTimeout(run);
    };
    document.addEventListener("visibilitychange", visibility);
    if (!document.hidden) run();
    return {
        stop: () => {
            hasStopped = true;
            document.removeEventListener("visibilitychange", visibility);
            end();
        },
    };
}

/** @param {string} text */
function parsed(text) {
    try {
        return JSON.parse(text);
    } catch {
        return null;
    }
}
