// One service: what it is, what one is told of it, and its end.

import { act, boxes, choice, say } from "./app-act.js";
import { part } from "./app-own-data.js";
import { go, href } from "./app-route.js";
import { imagePart, serviceImage } from "./app-service-image.js";
import { keysPart } from "./app-service-keys.js";
import { invitationsPart, membersPart } from "./app-service-people.js";
import { webhooksPart } from "./app-service-webhooks.js";
import { ROLES } from "./app-services.js";
import { call, get } from "./app-session.js";
import { confirmation } from "./dialog.js";
import { fill, h } from "./dom.js";
import { entryForm } from "./form.js";
import { panel, problemBox } from "./panel.js";
import { foreign } from "./text.js";
import { time } from "./time.js";

/** @type {[string, string][]} */
const LEVELS = [
    ["info", "Information"],
    ["warning", "Warnings"],
    ["error", "Errors"],
    ["critical", "What is critical, also when the phone is silent"],
];

/** @param {HTMLElement} place @param {string} id */
export function serviceView(place, id) {
    const path = `/v1/services/${encodeURIComponent(id)}`;
    /** @type {import("./panel.js").Panel[]} */
    let panels = [];
    let hasStopped = false;
    const show = async () => {
        try {
            const service = await get(path);
            if (hasStopped) return;
            panels.forEach((each) => each.stop());
            const manages = service.role !== "member";
            const facts = factsPart(service);
            panels = [facts, ...(manages ? [keysPart(path), webhooksPart(path), membersPart(path, service, show), invitationsPart(path)] : [])];
            fill(
                place,
                h("h1", { class: "unseen" }, service.name),
                h("p", null, h("a", { href: href("services") }, "All services")),
                panels.map((each) => each.element),
                h("div", { class: "halves" }, toldPart(path, service.membership, show), manages && [renamePart(path, service, show), imagePart(path, service, show)], endPart(path, service)),
            );
        } catch (error) {
            fill(place, h("p", null, h("a", { href: href("services") }, "All services")), problemBox(error));
        }
    };
    show();
    return {
        stop: () => {
            hasStopped = true;
            panels.forEach((each) => each.stop());
        },
    };
}

/** @param {any} service */
const factsPart = (service) =>
    panel({
        name: "service-facts",
        title: "The service",
        isLive: () => false,
        load: async () => service,
        draw: (/** @type {any} */ own) => [
            serviceImage(own),
            h(
                "dl",
                { class: "facts" },
                h("dt", null, "Name"),
                h("dd", null, foreign(own.name)),
                h("dt", null, "You are its"),
                h("dd", null, ROLES[/** @type {keyof ROLES} */ (own.role)].toLowerCase()),
                h("dt", null, "Since"),
                h("dd", null, time(own.created_at)),
                own.suspended && [h("dt", null, "State"), h("dd", null, "Suspended: it says nothing")],
            ),
        ],
    });

/** @param {string} path @param {any} membership @param {() => Promise<void>} show */
function toldPart(path, membership, show) {
    const levels = boxes("levels", "Of what you are told", LEVELS, membership.levels);
    const silence = [
        ["", membership.muted_until ? "As it is" : "Not muted"],
        ["off", "Not muted"],
        ["1", "An hour"],
        ["8", "Eight hours"],
        ["168", "A week"],
    ].filter(([value]) => value !== "off" || membership.muted_until);
    const mute = choice("mute", "Mute it for", /** @type {[string, string][]} */ (silence), "");
    const save = () => {
        const hours = mute[1].value;
        const until = hours === "" ? membership.muted_until : hours === "off" ? undefined : new Date(Date.now() + Number(hours) * 3_600_000).toISOString();
        return act(() => call("PUT", `${path}/membership`, { levels: levels.values(), muted_until: until }), "It holds from now on", show);
    };
    return part(
        "told",
        "What you are told",
        h("div", { class: "entry" }, levels.element, membership.muted_until && h("p", { class: "note" }, "Muted until ", time(membership.muted_until), "."), mute, h("button", { type: "button", class: "primary", id: "told-button", on: { click: save } }, "Save")),
    );
}

/** @param {string} path @param {any} service @param {() => Promise<void>} show */
const renamePart = (path, service, show) =>
    part(
        "rename-part",
        "Another name",
        entryForm({
            id: "rename",
            fields: [{ name: "name", label: "Name", maxlength: 64, value: service.name }],
            button: "Rename it",
            send: async (values) => {
                await call("PATCH", path, values);
                say("It has another name");
                await show();
            },
        }),
    );

/** @param {string} path @param {any} service */
function endPart(path, service) {
    const leave = async () => {
        if (await confirmation({ title: "Leave this service?", text: "It tells you nothing more. Somebody else has to invite you again.", yes: "Leave it", isDangerous: true })) await act(() => call("DELETE", `${path}/membership`), "You have left it", () => go("services"));
    };
    const end = async () => {
        const words = "Its keys are dead at once, nobody is told anything, and nobody can take it back.";
        if (await confirmation({ title: "Delete this service?", text: words, yes: "Delete it", isDangerous: true, type: service.name })) await act(() => call("DELETE", path), "The service is deleted", () => go("services"));
    };
    return part(
        "service-end",
        "Its end",
        h("div", { class: "buttons" }, h("button", { type: "button", id: "leave", on: { click: leave } }, "Leave"), service.role === "owner" && h("button", { type: "button", class: "danger", id: "delete-service", on: { click: end } }, "Delete")),
    );
}
