// What the page asked, to be asked again by a program.

import { address } from "./api.js";
import { announce, h } from "./dom.js";
import { hiddenIn } from "./hidden.js";

/**
 * A word for a shell, whatever it holds.
 *
 * @param {string} text
 */
export function shellWord(text) {
    // Not one that begins with `=`: zsh would look for a program of that name.
    if (/^[A-Za-z0-9_./:@%+-][A-Za-z0-9_./:=@%+-]*$/.test(text)) return text;
    // Hidden characters are written out, so that the command is what one sees. A NUL cannot be part of an argument.
    if (hiddenIn(text).length > 0) {
        const escaped = [...text].map((each) => {
            const code = each.codePointAt(0) ?? 0;
            if (each === "\\" || each === "'") return `\\${each}`;
            if (hiddenIn(each).length === 0) return each;
            if (code < 0x80) return `\\x${code.toString(16).padStart(2, "0")}`;
            return code < 0x10000 ? `\\u${code.toString(16).padStart(4, "0")}` : `\\U${code.toString(16).padStart(8, "0")}`;
        });
        return `$'${escaped.join("")}'`;
    }
    return `'${text.replaceAll("'", `'\\''`)}'`;
}

/**
 * @param {string} path
 * @param {import("./api.js").Query} [query]
 * @param {{body?: string, accept?: string}} [more] `body`: JSON, or `-` for standard input
 */
export function curl(path, query, more = {}) {
    const words = ["curl", "-H", '"Authorization: Bearer $WAYBILL_KEY"'];
    if (more.accept) words.push("-H", shellWord(`Accept: ${more.accept}`));
    if (more.body === "-") words.push("--json", "@-");
    else if (more.body) words.push("--json", shellWord(more.body));
    words.push(shellWord(location.origin + address(path, query)));
    return words.join(" ");
}

/**
 * A command with options.
 *
 * @param {string[]} command
 * @param {Record<string, string | string[] | boolean | undefined>} options
 */
export function waybill(command, options = {}) {
    const words = ["waybill", ...command.map(shellWord)];
    for (const [name, value] of Object.entries(options)) {
        if (value === undefined || value === false) continue;
        if (value === true) words.push(`--${name}`);
        else for (const each of Array.isArray(value) ? value : [value]) words.push(`--${name}=${shellWord(each)}`);
    }
    return words.join(" ");
}

/**
 * The filters of a search as options of a command.
 *
 * @param {import("./api.js").Query} query
 */
export function filterOptions(query) {
    /** @type {Record<string, any>} */
    const options = {};
    for (const [name, value] of Object.entries(query)) {
        if (value === undefined || value === null || value === "") continue;
        const option = name.replaceAll("_", "-");
        options[option] = name === "exact" ? true : Array.isArray(value) ? value : String(value);
    }
    return options;
}

/**
 * A small menu with what to copy.
 *
 * @param {string} key tells it from others of the view
 * @param {() => {curl?: string, waybill?: string, link?: boolean}} what
 */
export function copyMenu(key, what) {
    const menu = h("div", { class: "menu", role: "group" });
    const details = h(
        "details",
        {
            class: "copy",
            "data-key": `copy-${key}`,
            on: {
                toggle: () => {
                    if (!details.open) return;
                    const { curl: curlText, waybill: command, link } = what();
                    menu.replaceChildren(
                        ...[
                            curlText && item("Copy as curl", curlText, details),
                            command && item("Copy as waybill command", command, details),
                            link && item("Copy link", location.href, details),
                        ].filter((each) => each !== undefined && each !== false && each !== ""),
                    );
                },
            },
        },
        h("summary", { "data-key": `copy-summary-${key}` }, "Copy as"),
        menu,
    );
    return details;
}

/** @param {string} label @param {string} text @param {HTMLDetailsElement} details */
function item(label, text, details) {
    return h(
        "button",
        {
            type: "button",
            title: text,
            "data-copies": text,
            on: {
                click: async () => {
                    await copyText(text);
                    details.open = false;
                    details.querySelector("summary")?.focus();
                },
            },
        },
        h("span", null, label),
        h("code", null, text),
    );
}

/**
 * Puts a text into the clipboard, and says so.
 *
 * @param {string} text
 */
export async function copyText(text) {
    try {
        await navigator.clipboard.writeText(text);
    } catch {
        // Without TLS beyond this machine there is no clipboard for a page: the old way.
        const area = h("textarea", { class: "unseen", value: text, readonly: true });
        document.body.append(area);
        area.select();
        document.execCommand("copy");
        area.remove();
    }
    announce("Copied");
    toast("Copied");
}

/**
 * A word that goes away by itself.
 *
 * @param {string} text
 * @param {number} milliseconds how long it is there
 */
export function toast(text, milliseconds = 1800) {
    const element = h("div", { class: "toast", "aria-hidden": "true" }, text);
    document.body.append(element);
    setTimeout(() => element.remove(), milliseconds);
}

// One menu at a time; a click elsewhere closes it, and so does Esc.
document.addEventListener("click", (event) => {
    for (const open of document.querySelectorAll("details.copy[open], details.account[open]")) {
        if (event.target instanceof Node && !open.contains(event.target)) open.removeAttribute("open");
    }
});
