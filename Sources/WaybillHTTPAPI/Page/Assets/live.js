// When what is shown is asked for again, and how old it is.

/** Milliseconds between two rounds. */
const PERIOD = 5000;

/** @type {Set<() => Promise<void>>} */
const tasks = new Set();
/** @type {Set<() => void>} */
const watchers = new Set();

let isPaused = false;

/**
 * What keeps new answers away from a part of the page, by its name.
 *
 * @type {Map<string, Error>}
 */
const troubles = new Map();
/**
 * When a part of the page was answered last, by its name.
 *
 * @type {Map<string, number>}
 */
const answers = new Map();

let isRunning = false;
/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer;

/**
 * @typedef {object} Trouble
 * @property {Error} error
 * @property {number} answered when what it is about was answered last; 0 for never
 * @property {boolean} isPart whether other parts of the page are answered
 */

/** @returns {{isPaused: boolean, trouble: Trouble | null}} */
export function liveState() {
    const [first] = troubles;
    const trouble = first && { error: first[1], answered: answers.get(first[0]) ?? 0, isPart: troubles.size < tasks.size };
    return { isPaused, trouble: trouble ?? null };
}

/**
 * Tells when the state has changed.
 *
 * @param {() => void} watcher
 */
export function watchLive(watcher) {
    watchers.add(watcher);
}

/**
 * Has something done in every round.
 *
 * @param {() => Promise<void>} task
 * @returns {() => void} ends it
 */
export function everyRound(task) {
    tasks.add(task);
    return () => tasks.delete(task);
}

/** @param {boolean} paused */
export function setPaused(paused) {
    isPaused = paused;
    tell();
    if (!paused) round();
}

/**
 * An answer came.
 *
 * @param {string} name of the part of the page
 */
export function noteAnswer(name) {
    answers.set(name, Date.now());
    troubles.delete(name);
    tell();
}

/**
 * None came, or one that says "later".
 *
 * @param {string} name
 * @param {Error} error
 */
export function noteTrouble(name, error) {
    troubles.set(name, error);
    tell();
}

/**
 * A part of the page is gone.
 *
 * @param {string} name
 */
export function forgetTrouble(name) {
    answers.delete(name);
    if (troubles.delete(name)) tell();
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

/** Lets rounds follow, the first one after a period. */
export function schedule() {
    clearTimeout(timer);
    if (!isPaused && !document.hidden) timer = setTimeout(round, PERIOD);
}

function tell() {
    for (const watcher of watchers) watcher();
}

document.addEventListener("visibilitychange", () => {
    if (document.hidden) clearTimeout(timer);
    else if (!isPaused) round();
});
addEventListener("online", () => round());
