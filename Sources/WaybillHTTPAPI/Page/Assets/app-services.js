// The services that somebody belongs to, what they are invited to, and when their phones are to be silent.

import { act, say } from "./app-act.js";
import { part } from "./app-own-data.js";
import { go, href, invitation, forgetInvitation } from "./app-route.js";
import { serviceImage } from "./app-service-image.js";
import { call, get } from "./app-session.js";
import { fill, h } from "./dom.js";
import { entryForm } from "./form.js";
import { panel } from "./panel.js";
import { foreign } from "./text.js";
import { time } from "./time.js";

/** What somebody is to a service. */
export const ROLES = { owner: "Owner", manager: "Manager", member: "Member" };

/** @param {HTMLElement} place */
export function servicesView(place) {
    const offered = invitation() ? offer(invitation()) : null;
    const list = services();
    const hours = quietHours();
    place.append(...[offered, list].filter((each) => each !== null).map((each) => each.element), h("div", { class: "halves" }, creation(), hours));
    return { stop: () => [offered, list].forEach((each) => each?.stop()) };
}

const services = () =>
    panel({
        name: "services",
        title: "Your services",
        isLive: () => false,
        load: async (signal) => {
            /** @type {any[]} */
            const all = [];
            let cursor;
            do {
                const page = await get("/v1/services", { limit: "200", cursor }, signal);
                all.push(...page.services);
                cursor = page.next;
            } while (cursor);
            return all;
        },
        draw: (found) =>
            found.length === 0
                ? h("p", { class: "dim" }, "None yet. Make one, or open the link of an invitation.")
                : h(
                      "ul",
                      { class: "rows" },
                      found.map((/** @type {any} */ each) =>
                          h(
                              "li",
                              { "data-id": each.id },
                              h(
                                  "div",
                                  null,
                                  serviceImage(each),
                                  h("a", { href: href("service", each.id) }, foreign(each.name)),
                                  h("span", { class: "state-word" }, ROLES[/** @type {keyof ROLES} */ (each.role)]),
                                  each.suspended && h("span", { class: "state-word is-degraded" }, "Suspended"),
                              ),
                          ),
                      ),
                  ),
    });

function creation() {
    return part(
        "service-creation",
        "Another service",
        entryForm({
            id: "create",
            fields: [{ name: "name", label: "Name", maxlength: 64, help: "A server, a job: what tells you something." }],
            button: "Make it",
            send: async ({ name }) => {
                const made = await (await call("POST", "/v1/services", { name })).json();
                say("The service is there");
                go("service", made.id);
            },
        }),
    );
}

/** @param {string} token */
function offer(token) {
    const path = `/v1/invitations/${encodeURIComponent(token)}`;
    return panel({
        name: "invitation",
        title: "You are invited",
        isLive: () => false,
        load: (signal) => get(path, {}, signal),
        draw: (found) => [
            h("p", null, "To ", h("strong", null, foreign(found.name)), `, as ${ROLES[/** @type {keyof ROLES} */ (found.role)].toLowerCase()}. Until `, time(found.expires_at), "."),
            h(
                "div",
                { class: "buttons" },
                h("button", { type: "button", class: "primary", id: "accept", on: { click: () => act(() => call("PUT", path), "You belong to it", () => (forgetInvitation(), go("service", found.service))) } }, "Accept"),
                h("button", { type: "button", id: "decline", on: { click: () => act(() => call("DELETE", path), "It is declined", () => (forgetInvitation(), go("services"))) } }, "Decline"),
            ),
        ],
    });
}

function quietHours() {
    const path = "/v1/account/quiet-hours";
    const place = h("div", null);
    const draw = async () => {
        const hours = await get(path).catch(() => ({}));
        const form = entryForm({
            id: "quiet",
            fields: [
                { name: "from", label: "From", type: "time", value: hours.from ?? "22:00" },
                { name: "to", label: "To", type: "time", value: hours.to ?? "07:00" },
                { name: "zone", label: "Time zone", value: hours.zone ?? Intl.DateTimeFormat().resolvedOptions().timeZone, maxlength: 64, help: "Information and warnings wait for no morning: they do not come. Errors do." },
            ],
            button: "Be silent then",
            send: async (values) => {
                await call("PUT", path, values);
                say("The quiet hours hold");
                await draw();
            },
            more: hours.from && h("button", { type: "button", id: "quiet-off", on: { click: () => act(() => call("DELETE", path), "There are no quiet hours", draw) } }, "No quiet hours"),
        });
        fill(place, form);
    };
    draw();
    return part("quiet-hours", "Quiet hours", place);
}
