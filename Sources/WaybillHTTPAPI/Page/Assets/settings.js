// What somebody chose for their own browser. Never a key, never a token.

/** @param {string} name @param {string} otherwise @returns {string} */
export function setting(name, otherwise) {
    try {
        return localStorage.getItem(`waybill.${name}`) ?? otherwise;
    } catch {
        return otherwise;
    }
}

/** @param {string} name @param {string | null} value */
export function keep(name, value) {
    try {
        if (value === null) localStorage.removeItem(`waybill.${name}`);
        else localStorage.setItem(`waybill.${name}`, value);
    } catch {
        // Then it holds until the page is closed.
    }
}
