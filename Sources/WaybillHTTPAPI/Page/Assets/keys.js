// The keyboard.

import { showDialog } from "./dialog.js";
import { h } from "./dom.js";
import { liveState, setPaused } from "./live.js";
import { currentRoute, go, goBack } from "./route.js";

const KEYS = [
    ["/", "search"],
    ["j k", "next and previous row; the arrows too, once a row has the focus"],
    ["Enter", "open the row"],
    ["Esc", "close what is open; then back to where one came from; on the first screen, show all again"],
    ["p", "hold the page, and go on"],
    ["← →", "in the chart: a step back and forth; with Shift select, Enter narrows the time to it"],
    ["?", "this list"],
];

export function showHelp() {
    showDialog("Keys", h("dl", { class: "key-list" }, KEYS.map(([key, does]) => [h("dt", null, key.split(" ").map((each) => h("kbd", null, each))), h("dd", null, does)])));
}

export function installKeys() {
    document.addEventListener("keydown", (event) => {
        if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
        const target = /** @type {HTMLElement} */ (event.target);
        if (event.key === "Escape") {
            escape(target);
            return;
        }
        if (target.closest("input, textarea, select, [contenteditable]")) return;
        const isRow = target.classList.contains("row-link");
        if (event.key === "/") focusSearch();
        else if (event.key === "?") showHelp();
        else if (event.key === "p" && document.getElementById("pause")) setPaused(!liveState().isPaused);
        else if (event.key === "j" || (isRow && event.key === "ArrowDown")) moveRow(target, 1);
        else if (event.key === "k" || (isRow && event.key === "ArrowUp")) moveRow(target, -1);
        else return;
        event.preventDefault();
    });
}

function focusSearch() {
    const search = /** @type {HTMLInputElement | null} */ (document.getElementById("search"));
    search?.focus();
    search?.select();
}

/** @param {HTMLElement} from @param {number} direction */
function moveRow(from, direction) {
    const rows = /** @type {HTMLElement[]} */ ([...document.querySelectorAll("main .row-link")]).filter((each) => each.getClientRects().length > 0);
    if (!rows.length) return;
    const present = rows.indexOf(/** @type {HTMLElement} */ (from.closest(".row-link") ?? from.closest("tr")?.querySelector(".row-link")));
    const next = present < 0 ? rows.find((row) => row.getBoundingClientRect().top > 60) ?? rows[0] : rows[Math.min(rows.length - 1, Math.max(0, present + direction))];
    next.focus();
    next.scrollIntoView({ block: "nearest" });
}

/** @param {HTMLElement} target */
function escape(target) {
    const open = document.querySelector("details.copy[open], details.account[open]");
    if (open) {
        open.removeAttribute("open");
        /** @type {HTMLElement | null} */ (open.querySelector("summary"))?.focus();
        return;
    }
    if (target.closest("input, textarea, select")) {
        target.blur();
        return;
    }
    const route = currentRoute();
    if (route.view !== "overview") goBack();
    else if (Object.keys(route.filters).length || route.since) go({ range: route.range, filters: {} });
}
