// When what is shown is asked for again, and how old it is.

/** Milliseconds between two rounds. */
const PERIOD = 5000;

/** @type {Set<() => Promise<void>>} */
const tasks = new Set();
/** @type {Set<() => void>} */
const watchers = new Set();

const state = {
    isPaused: false,
    /** When the last answer came; 0 before the first. */
    answered: 0,
    /** What keeps new answers away; `null` while they come. @type {{since: number, error: Error} | null} */
    trouble: null,
};

let isRunning = false;
/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer;

export const liveState = () => state;

/** Tells when the state has changed. @param {() => void} watcher */
export function watchLive(watcher) {
    watchers.add(watcher);
}

/** Has something done in every round. @param {() => Promise<void>} task @returns {() => void} ends it */
export function everyRound(task) {
    tasks.add(task);
    return () => tasks.delete(task);
}

/** @param {boolean} paused */
export function setPaused(paused) {
    state.isPaused = paused;
    tell();
    if (!paused) round();
}

/** An answer came. */
export function noteAnswer() {
    state.answered = Date.now();
    state.trouble = null;
    tell();
}

/** None came, or one that says "later". @param {Error} error */
export function noteTrouble(error) {
    state.trouble = { since: state.trouble?.since ?? (state.answered || Date.now()), error };
    tell();
}

/** Begins a round now. */
export async function round() {
    clearTimeout(timer);
    if (!isRunning && !document.hidden) {
        isRunning = true;
        await Promise.allSettled([...tasks].map((task) => task()));
        isRunning = false;
    }
    schedule();
}

function schedule() {
    clearTimeout(timer);
    if (!state.isPaused && !document.hidden) timer = setTimeout(round, PERIOD);
}

function tell() {
    for (const watcher of watchers) watcher();
}

document.addEventListener("visibilitychange", () => {
    if (document.hidden) clearTimeout(timer);
    else if (!state.isPaused) round();
});
addEventListener("online", () => round());
