// The search box.

import { h } from "./dom.js";
import { recognise } from "./recognise.js";
import { go, goToToken } from "./route.js";
import { may } from "./session.js";

/** @returns {HTMLElement} */
export function searchBox() {
    const says = h("span", { id: "search-says", class: "search-says", "aria-live": "polite" });
    const input = h("input", {
        id: "search",
        type: "search",
        name: "q",
        placeholder: matchMedia("(max-width: 860px)").matches ? "apns-id, device token, batch" : "Why didn’t it arrive? apns-id, device token or batch",
        "aria-label": "Search by apns-id, device token or batch",
        "aria-describedby": "search-says",
        "aria-keyshortcuts": "/",
        autocomplete: "off",
        autocapitalize: "off",
        spellcheck: "false",
        maxlength: "2000",
        on: { input: () => say() },
    });
    const say = () => {
        const found = recognise(input.value);
        const isForbidden = found.kind === "token" && !may("investigator");
        says.textContent = isForbidden ? "A device token: looking it up takes the role investigator" : found.says;
        says.dataset.kind = isForbidden ? "key" : found.kind;
        return isForbidden ? { ...found, kind: "key" } : found;
    };
    return h(
        "form",
        {
            class: "search",
            role: "search",
            on: {
                submit: (/** @type {Event} */ event) => {
                    event.preventDefault();
                    const found = say();
                    if (found.kind === "key" || found.kind === "nothing") return;
                    input.value = "";
                    says.textContent = "";
                    input.blur();
                    if (found.kind === "token") goToToken(found.value);
                    else go({ view: found.kind === "batch" ? "batch" : "story", id: found.value, filters: {} });
                    scrollTo(0, 0);
                },
            },
        },
        icon(),
        input,
        h("kbd", { class: "search-key", "aria-hidden": "true" }, "/"),
        says,
    );
}

const icon = () =>
    h("svg", { class: "icon", viewBox: "0 0 16 16", "aria-hidden": "true" }, h("path", { d: "M7 2.5a4.5 4.5 0 1 0 0 9a4.5 4.5 0 1 0 0-9M10.500 10.500l3.500 3.500" }));
