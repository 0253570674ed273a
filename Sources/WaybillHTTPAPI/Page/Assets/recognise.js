// What somebody typed or pasted into the search box: known by its form, as `waybill explain` knows it.

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const TOKEN = /^(?:[0-9a-f]{2}){32,200}$/i;
/** The form that FCM's tokens have today; their case counts. */
const FCM_TOKEN = /^[A-Za-z0-9_-]{22}:APA91b[A-Za-z0-9_:-]+$/;
const KEY = /wbk_(?:live|test)_/;
/** A token as tables and logs shorten it. */
const SHORTENED = /^[0-9a-f]{2,}(?:…|\.{2,3})[0-9a-f]*$|^(?:…|\.{2,3})[0-9a-f]{2,}$/i;
/** Digits that may be a part of a token, and a batch's name as well. */
const PART = /^[0-9a-f]{16,}$/i;
/** So many digits are most of a token: they stay out of the address. */
const MOST_OF_A_TOKEN = 32;
/** So many digits in a row are a token, whatever stands around them. */
const TOKEN_WITHIN = /[0-9a-f]{64}/i;

/** @typedef {"nothing" | "apns-id" | "token" | "batch" | "key"} Subject */

/** @param {string} typed @returns {{kind: Subject, value: string, says: string}} */
export function recognise(typed) {
    const value = typed.trim();
    // A token as Xcode, JSON and some logs print it: <…>, "…", 0x…, in groups of digits.
    const digits = value
        .replace(/^(?:device[_ ]?token|token)\b[\s:=]*/i, "")
        .replace(/["'<>,;:\s-]+/g, "")
        .replace(/^0x/i, "");
    if (value === "") return { kind: "nothing", value, says: "" };
    if (KEY.test(value)) return { kind: "key", value: "", says: "This is a key, not something to search for. It was not sent." };
    if (UUID.test(value)) return { kind: "apns-id", value: value.toLowerCase(), says: "An apns-id, or the id of what a service has said: its story" };
    if (FCM_TOKEN.test(value)) return { kind: "token", value, says: "A registration token of FCM: the device's last pushes. It stays out of the address" };
    if (TOKEN.test(digits)) return { kind: "token", value: digits.toLowerCase(), says: "A device token: the device's last pushes. It stays out of the address" };
    if (TOKEN_WITHIN.test(value.replace(/[\s:-]+/g, ""))) {
        return { kind: "nothing", value: "", says: "There is a device token in this: search for the token alone. It was not sent." };
    }
    if (SHORTENED.test(value)) {
        return { kind: "nothing", value: "", says: "This is a shortened device token: only a whole one can be looked up, of 64 digits or more" };
    }
    if (PART.test(digits) && digits.length >= MOST_OF_A_TOKEN) {
        return {
            kind: "nothing",
            value: "",
            says: `A device token has 64 digits or more, and this has ${digits.length}. It was not sent. If a batch is called so: waybill explain --as batch`,
        };
    }
    if (PART.test(value)) {
        return { kind: "batch", value, says: `A batch; a device token would have 64 digits or more, and this has ${value.length}` };
    }
    return { kind: "batch", value, says: "A batch: how it ended, and what failed" };
}
