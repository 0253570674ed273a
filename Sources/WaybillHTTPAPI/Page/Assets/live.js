// When what is shown is asked for again, and how old it is.

/** Milliseconds between two rounds. */
const PERIOD = 5000;
/** Milliseconds after which an answer is late: what is shown may not be so any more. */
const LATE = 2500;
/** Milliseconds between two looks at what is late. */
const LOOK = 500;

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
/**
 * Since when an answer to a part of the page is waited for, by its name.
 *
 * @type {Map<string, number>}
 */
const questions = new Map();
/** The seconds that were told last of what is late. */
let toldLate = 0;

/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer;

/**
 * @typedef {object} Trouble
 * @property {Error} error
 * @property {number} answered when what it is about was answered last; 0 for never
 * @property {boolean} isPart whether other parts of the page are answered
 */

/**
 * @returns {{isPaused: boolean, trouble: Trouble | null, late: number}} `late`: for how many seconds an answer is waited for; 0 while none
 *     is late
 */
export function liveState() {
    const [first] = troubles;
    const trouble = first && { error: first[1], answered: answers.get(first[0]) ?? 0, isPart: troubles.size < tasks.size };
    return { isPaused, trouble: trouble ?? null, late: lateSeconds() };
}

function lateSeconds() {
    const waited = Date.now() - Math.min(...questions.values());
    return waited >= LATE ? Math.round(waited / 1000) : 0;
}

/**
 * Whether what a part of the page shows may not be so any more.
 *
 * @param {string} name
 * @returns {{seconds: number, answered: number} | null} for how many seconds no answer has come, and when the last one came, 0 for never;
 *     `null` while all is well
 */
export function staleness(name) {
    const answered = answers.get(name) ?? 0;
    const asked = questions.get(name) ?? Infinity;
    const since = troubles.has(name) ? Math.min(asked, answered || Infinity) : asked;
    const waited = Date.now() - since;
    if (!troubles.has(name) && !(waited >= LATE)) return null;
    return { seconds: Number.isFinite(waited) ? Math.max(0, Math.round(waited / 1000)) : 0, answered };
}

/**
 * Tells when the state has changed.
 *
 * @param {() => void} watcher
 * @returns {() => void} ends it
 */
export function watchLive(watcher) {
    watchers.add(watcher);
    return () => watchers.delete(watcher);
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
 * A part of the page is asked for; whatever was asked of it before is forgotten.
 *
 * @param {string} name
 */
export function noteQuestion(name) {
    questions.set(name, Date.now());
}

/**
 * An answer came.
 *
 * @param {string} name of the part of the page
 */
export function noteAnswer(name) {
    answers.set(name, Date.now());
    questions.delete(name);
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
    questions.delete(name);
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
    questions.delete(name);
    if (troubles.delete(name)) tell();
}

/** Begins a round now; a part whose answer is late keeps no other one waiting. */
export function round() {
    if (!document.hidden) for (const task of tasks) task();
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

setInterval(() => {
    const late = lateSeconds();
    if (late || toldLate) tell();
    toldLate = late;
}, LOOK);

document.addEventListener("visibilitychange", () => {
    if (document.hidden) clearTimeout(timer);
    else if (!isPaused) round();
});
addEventListener("online", () => round());
