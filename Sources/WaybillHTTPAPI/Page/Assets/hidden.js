// Characters that nobody sees as what they are, written out: the table and the form of HiddenCharacters.swift, which terminals have,
// too; a test compares both.

/** From and to, in ascending order. */
const RANGES = [
    [0x00, 0x1f], [0x7f, 0x9f], [0xad, 0xad], [0x34f, 0x34f], [0x61c, 0x61c], [0x115f, 0x1160], [0x17b4, 0x17b5],
    [0x180b, 0x180f], [0x200b, 0x200f], [0x2028, 0x202e], [0x2060, 0x206f], [0x2800, 0x2800], [0x3164, 0x3164],
    [0xd800, 0xdfff], [0xfe00, 0xfe0f], [0xfeff, 0xfeff], [0xffa0, 0xffa0], [0xfff0, 0xfffb], [0x1bca0, 0x1bca3],
    [0x1d173, 0x1d17a], [0xe0000, 0xe0fff],
];

const HIDDEN = new RegExp(`[${RANGES.map(([from, to]) => `\\u{${from.toString(16)}}-\\u{${to.toString(16)}}`).join("")}]`, "gu");

/** Digits and a few signs are emoji, too, where a keycap follows. */
const EMOJI = /^\p{Emoji}$/u;
const PICTURE = /^[^\0-\x7f]$/u;
/** From Arabic to Sinhala. */
const JOINED = /^[\u0600-\u061b\u061d-\u0dff]$/;
const KEYCAP = "\u20e3";

/** Those that everybody knows by another name. */
const ESCAPES = /** @type {Record<string, string>} */ ({ "\0": "\\0", "\t": "\\t", "\n": "\\n", "\r": "\\r" });

/**
 * The hidden characters of a text, but for those that letters and pictures beside them need.
 *
 * @param {string} text
 * @returns {{index: number, character: string}[]}
 */
export function hiddenIn(text) {
    return [...text.matchAll(HIDDEN)]
        .map((match) => ({ index: match.index ?? 0, character: match[0] }))
        .filter(({ index, character }) => !isNeeded(text, index, character));
}

/**
 * A hidden character as it is shown.
 *
 * @param {string} character
 */
export function written(character) {
    return ESCAPES[character] ?? `[${number(character)}]`;
}

/**
 * A text with its hidden characters written out.
 *
 * @param {string} text
 */
export function shown(text) {
    let shown = "";
    let end = 0;
    for (const { index, character } of hiddenIn(text)) {
        shown += text.slice(end, index) + written(character);
        end = index + character.length;
    }
    return shown + text.slice(end);
}

/** @param {string} character */
export function number(character) {
    return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
}

/**
 * Whether it makes a picture of an emoji, joins emoji into one, or joins or parts letters of a script that is written so.
 *
 * @param {string} text @param {number} index @param {string} character
 */
function isNeeded(text, index, character) {
    const before = [...text.slice(Math.max(0, index - 2), index)].pop() ?? "";
    const after = [...text.slice(index + character.length, index + character.length + 2)][0] ?? "";
    switch (character) {
        case "\ufe0e":
        case "\ufe0f":
            return isPicture(before) || (EMOJI.test(before) && after === KEYCAP);
        case "\u200c":
            return JOINED.test(before) && JOINED.test(after);
        case "\u200d":
            return (JOINED.test(before) && JOINED.test(after)) || ((isPicture(before) || before === "\ufe0f") && isPicture(after));
        default:
            return false;
    }
}

/** @param {string} character */
function isPicture(character) {
    return PICTURE.test(character) && EMOJI.test(character);
}
