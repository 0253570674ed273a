// What this browser is called in the list of sessions: a guess, for people to know it by.

const BROWSERS = [
    [/Edg(e|A|iOS)?\//, "Edge"],
    [/OPR\//, "Opera"],
    [/Firefox\/|FxiOS\//, "Firefox"],
    [/Chrome\/|CriOS\//, "Chrome"],
    [/Safari\//, "Safari"],
];
const SYSTEMS = [
    [/iPhone/, "iPhone"],
    [/iPad/, "iPad"],
    [/Android/, "Android"],
    [/Windows/, "Windows"],
    [/Mac OS X/, "Mac"],
    [/Linux/, "Linux"],
];

/** @param {(RegExp | string)[][]} names @param {string} otherwise */
const known = (names, otherwise) => String(names.find(([form]) => /** @type {RegExp} */ (form).test(navigator.userAgent))?.[1] ?? otherwise);

export const deviceName = () => `${known(BROWSERS, "A browser")}, ${known(SYSTEMS, "another system")}`;
