// The webhooks of a service: where its events are posted, with a secret that is shown once.

import { act, boxes, choice, once } from "./app-act.js";
import { call, get } from "./app-session.js";
import { deliveriesPart } from "./app-webhook-deliveries.js";
import { confirmation } from "./dialog.js";
import { h } from "./dom.js";
import { entryForm } from "./form.js";
import { panel } from "./panel.js";
import { foreign, plain } from "./text.js";
import { time } from "./time.js";

/** @type {[string, string][]} */
const EVENTS = [
    ["notification.accepted", "A push was accepted"],
    ["notification.rejected", "A push was rejected"],
    ["notification.invalid", "A push could not be sent"],
    ["notification.expired", "A push was too late"],
    ["notification.cancelled", "A push was cancelled"],
    ["notification.superseded", "A newer push took its place"],
    ["notification.unknown", "Nobody knows what became of a push"],
    ["notification.suppressed", "Somebody was not told"],
    ["notification.acknowledged", "Somebody has acknowledged"],
    ["device.invalid", "A device is no longer there"],
    ["member.joined", "Somebody has joined"],
    ["member.changed", "Somebody has another role"],
    ["member.left", "Somebody has left"],
    ["service.key_expiring", "A key ends soon"],
    ["webhook.disabled", "Another webhook was disabled"],
];

/**
 * For those who manage the service.
 *
 * @param {string} path of the service
 * @returns {import("./panel.js").Panel}
 */
export function webhooksPart(path) {
    /** @type {Map<string, ReturnType<typeof deliveriesPart>>} */
    const deliveries = new Map();
    const shown = h("div", { id: "new-webhook" });
    const list = panel({
        name: "webhooks",
        title: "Webhooks",
        // What came of a test is told while somebody looks at it.
        isLive: () => [...deliveries.values()].some((each) => each.isOpen()),
        load: async (signal) => (await get(`${path}/webhooks`, {}, signal)).webhooks,
        draw: (/** @type {any[]} */ webhooks) => {
            forget(webhooks.map(({ id }) => id));
            return webhooks.length === 0 ? h("p", { class: "dim" }, "None yet: nobody's program is told of this service.") : h("ul", { class: "rows webhooks" }, webhooks.map(row));
        },
    });
    /** @param {string[]} present */
    const forget = (present) => {
        for (const [id, each] of deliveries) {
            if (present.includes(id)) continue;
            each.stop();
            deliveries.delete(id);
        }
    };
    /** @param {string} id */
    const deliveriesOf = (id) => {
        const known = deliveries.get(id) ?? deliveriesPart(`${path}/webhooks/${encodeURIComponent(id)}`, id);
        deliveries.set(id, known);
        return known;
    };
    /** @param {any} webhook */
    const row = (webhook) => {
        const isActive = webhook.state === "active";
        /** @param {string} name @param {string} words @param {() => any} click @param {boolean} [isDangerous] */
        const button = (name, words, click, isDangerous) => h("button", { type: "button", class: `small${isDangerous ? " danger" : ""}`, "data-key": `${name}-${webhook.id}`, "aria-label": `${words} ${plain(webhook.url)}`, on: { click } }, words);
        return h(
            "li",
            { "data-id": webhook.id },
            h(
                "div",
                null,
                h("strong", null, foreign(webhook.url)),
                h("span", { class: `state-word${isActive ? "" : " is-down"}` }, isActive ? "Active" : "Disabled"),
                webhook.reason && h("div", null, foreign(webhook.reason)),
                h("div", { class: "dim" }, told(webhook)),
                webhook.failing_since && h("div", { class: "cause" }, "It has failed since ", time(webhook.failing_since), webhook.rest_until && [", and is left alone until ", time(webhook.rest_until)], "."),
                h("div", { class: "dim" }, wanted(webhook.events)),
            ),
            isActive && button("test", "Test", () => test(webhook)),
            button("rotate", "Rotate", () => rotate(webhook)),
            isActive ? button("disable", "Disable", () => turn(webhook, "disable")) : button("enable", "Enable", () => turn(webhook, "enable")),
            button("remove", "Remove", () => remove(webhook), true),
            deliveriesOf(webhook.id).element,
        );
    };
    /** @param {any} made @param {any} [more] */
    const show = (made, more) => shown.replaceChildren(once("webhook-once", "Copy the secret now: nobody can read it again.", made.secret), ...(more ? [h("p", { class: "note" }, more)] : []));
    /** @param {any} webhook */
    const one = (webhook) => `${path}/webhooks/${encodeURIComponent(webhook.id)}`;
    /** @param {any} webhook */
    const test = (webhook) => act(() => call("POST", `${one(webhook)}/test`), "It is posted something harmless", () => deliveriesOf(webhook.id).show());
    /** @param {any} webhook @param {"enable" | "disable"} what */
    const turn = (webhook, what) => act(() => call("POST", `${one(webhook)}/${what}`), what === "enable" ? "Events are posted to it again" : "Nothing is posted to it", list.reload);
    /** @param {any} webhook */
    const rotate = async (webhook) => {
        const overlap = choice("overlap", "The old secret still signs for", [["24h", "A day"], ["1h", "An hour"], ["7d", "A week"], ["0", "No longer"]], "24h");
        if (!(await confirmation({ title: "Rotate the secret?", text: ["Events are signed with a new one, and with both for a while. ", overlap], yes: "Rotate it" }))) return;
        const work = async () => {
            const made = await (await call("POST", `${one(webhook)}/rotate`, { overlap: overlap[1].value })).json();
            show(made, ["The old one signs, too, until ", time(made.former_signs_until), "."]);
        };
        await act(work, "There is a new secret", list.reload);
    };
    /** @param {any} webhook */
    const remove = async (webhook) => {
        if (!(await confirmation({ title: "Remove this webhook?", text: "What it was still to be told is told nobody, and its secret is gone.", yes: "Remove it", isDangerous: true }))) return;
        await act(() => call("DELETE", one(webhook)), "The webhook is gone", list.reload);
    };
    const events = boxes("webhook-events", "It is told when", EVENTS, []);
    const form = entryForm({
        id: "webhook",
        fields: [{ name: "url", label: "URL", maxlength: 2048, placeholder: "https://example.com/hooks", help: "With TLS, and at a public address. Tick nothing to have it told everything." }],
        button: "Add a webhook",
        send: async ({ url }) => {
            show(await (await call("POST", `${path}/webhooks`, { url, events: events.values() })).json());
            form.reset();
            await list.reload();
        },
    });
    form.querySelector(".form-error")?.before(events.element);
    list.element.append(shown, h("details", { "data-key": "webhook-form" }, h("summary", null, "Add a webhook"), form));
    return {
        ...list,
        stop: () => {
            list.stop();
            forget([]);
        },
    };
}

/** @param {string[]} events none is all */
const wanted = (events) => (events.length === 0 ? "Told everything" : `Told of ${events.map((event) => EVENTS.find(([name]) => name === event)?.[1].toLowerCase() ?? event).join("; ")}`);

/** @param {any} webhook */
const told = (webhook) => (webhook.last_success ? ["It took the last event ", time(webhook.last_success)] : "It has taken no event yet");
