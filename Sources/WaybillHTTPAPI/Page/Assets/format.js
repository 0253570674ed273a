// Numbers and lengths of time as people read them.

const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const short = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });

/**
 * 1,204,331.
 *
 * @param {number} value
 */
export const count = (value) => whole.format(value);

/**
 * 1.2M.
 *
 * @param {number} value
 */
export const compact = (value) => (Math.abs(value) < 10_000 ? whole.format(value) : short.format(value));

/**
 * A share of a whole; what is not all is never 100 %, what is there never 0 %.
 *
 * @param {number} part
 * @param {number} all
 */
export function share(part, all) {
    if (!all || !part) return "0 %";
    const percent = (100 * part) / all;
    if (percent < 0.1) return "< 0.1 %";
    if (part < all && percent > 99.9) return "> 99.9 %";
    return `${percent >= 99.95 || percent % 1 < 0.05 ? percent.toFixed(0) : percent.toFixed(1)} %`;
}

/**
 * 350 ms, 12.3 s, 5 min, 3.5 h, 2 d.
 *
 * @param {number} milliseconds
 */
export function duration(milliseconds) {
    const value = Math.abs(milliseconds);
    if (value === 0) return "0 ms";
    if (value < 1) return `${value.toFixed(2)} ms`;
    if (value < 10) return `${trim(value)} ms`;
    if (value < 1000) return `${Math.round(value)} ms`;
    if (value < 120_000) return `${trim(value / 1000)} s`;
    if (value < 7_200_000) return `${trim(value / 60_000)} min`;
    if (value < 172_800_000) return `${trim(value / 3_600_000)} h`;
    return `${trim(value / 86_400_000)} d`;
}

/**
 * In whole units, for what is counted up: 40 s, 3 min, 2 h, 5 d.
 *
 * @param {number} milliseconds
 */
export function age(milliseconds) {
    const seconds = Math.max(0, Math.floor(milliseconds / 1000));
    if (seconds < 120) return `${seconds} s`;
    if (seconds < 7200) return `${Math.floor(seconds / 60)} min`;
    if (seconds < 172_800) return `${Math.floor(seconds / 3600)} h`;
    return `${Math.floor(seconds / 86_400)} d`;
}

/**
 * One of something is no several.
 *
 * @param {number} number
 * @param {string} one
 * @param {string} [several]
 */
export const plural = (number, one, several = `${one}s`) => `${count(number)} ${number === 1 ? one : several}`;

/**
 * 12.3; 40; a rate or a length to a tenth.
 *
 * @param {number} value
 */
export function trim(value) {
    const text = value.toFixed(1);
    return text.endsWith(".0") ? text.slice(0, -2) : text;
}

/**
 * The end of an identifier that is too long for a table: its last characters tell it from its neighbours.
 *
 * @param {string} id
 */
export const shortID = (id) => (id.length > 14 ? `…${id.slice(-12)}` : id);
