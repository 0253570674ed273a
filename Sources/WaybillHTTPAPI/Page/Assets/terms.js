// Values of filters, as the API writes them: `shop`, and `!shop` for all but that.

/** Filters that can be against a value. */
const AGAINST = new Set(["outcome", "client", "reason", "lane", "topic", "push_type"]);

/** @param {string} name of a filter */
export const canBeAgainst = (name) => AGAINST.has(name);

/**
 * The term that asks for a value, or for all but that.
 *
 * @param {string} value
 * @param {boolean} [isAgainst]
 */
export function termOf(value, isAgainst = false) {
    if (isAgainst) return `!${value}`;
    return /^(!|\\!|\\\\)/.test(value) ? `\\${value}` : value;
}

/**
 * What a term of a filter asks for.
 *
 * @param {string} name of the filter
 * @param {string} term
 */
export function readTerm(name, term) {
    if (!canBeAgainst(name)) return { value: term, isAgainst: false };
    if (term.startsWith("!")) return { value: term.slice(1), isAgainst: true };
    return { value: /^\\[!\\]/.test(term) ? term.slice(1) : term, isAgainst: false };
}
