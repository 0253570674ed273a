// A new campaign: what it says, as it is typed, to whom, and when. Nothing is sent by it.

import { get, post } from "./api.js";
import { say } from "./app-act.js";
import { campaignCommand, campaignPath } from "./campaign-parts.js";
import { areaField, listField, selectField, textField } from "./compose-fields.js";
import { optionsOf, requestOf, valuesOf } from "./compose-request.js";
import { copyMenu, curl } from "./copy.js";
import { fill, h } from "./dom.js";
import { sentence } from "./form.js";
import { lockScreen } from "./lock-screen.js";
import { problemBox } from "./panel.js";
import { go, href } from "./route.js";
import { currentSession, may } from "./session.js";
import { timeMode } from "./time.js";

/**
 * What somebody has typed and not sent: there again when they come back, and nobody else's.
 *
 * @type {{key: string, like: string, values: import("./compose-request.js").Values} | null}
 */
let kept = null;

/** @param {HTMLElement} place @param {import("./route.js").Route} route its `id` is a campaign to begin with */
export function composeView(place, route) {
    if (!may("operator")) {
        place.append(h("section", { class: "panel", id: "compose" }, h("h2", null, "New campaign"), h("p", null, "Preparing and sending takes a key with the role operator."), h("p", null, h("a", { href: href({ view: "campaigns", filters: {} }) }, "All campaigns"))));
        return { stop: () => {} };
    }
    const key = currentSession()?.key.id ?? "";
    const like = route.id ?? "";
    const form = composeForm();
    let isCreated = false;
    form.onCreated = () => (isCreated = true);
    place.append(form.element);
    if (kept?.key === key && kept.like === like) form.show(kept.values);
    else if (like) {
        get(campaignPath(like, "", route.filters.client?.[0])).then(
            (campaign) => form.show(valuesOf(campaign)),
            (error) => form.element.prepend(problemBox(error)),
        );
    }
    form.name.focus({ preventScroll: true });
    return { stop: () => (kept = isCreated ? null : { key, like, values: form.values() }) };
}

/** All fields, by the names that the API gives them. */
function makeFields() {
    const isLocal = timeMode() === "local";
    const zone = isLocal ? "local time" : "UTC";
    return {
        name: textField("compose-name", "Name", { required: true, help: "At most 200 bytes. It is the batch of its pushes, and is typed to start it." }),
        ...(currentSession()?.clients?.length === 1 ? {} : { client: textField("compose-client", "Client", { help: "Whose it is; by default that of the installation." }) }),
        title: textField("compose-title", "Title"),
        subtitle: textField("compose-subtitle", "Second line"),
        body: areaField("compose-body", "Text"),
        category: textField("compose-category", "Category", { help: "Which actions the app offers with it." }),
        level: selectField("compose-level", "Level", [["", "None"], ["info", "Information"], ["warning", "Warning"], ["error", "Error"]], ""),
        app: textField("compose-app", "App", { required: true, placeholder: "com.example.parcels", help: "The bundle id; with a comma and the project at Firebase behind it, phones of both kinds." }),
        who: selectField("compose-who", "Devices", [["all", "All of the app"], ["filter", "Those with …"], ["users", "Of users"], ["devices", "By the app’s own ids"]], "all"),
        users: listField("compose-users", "Users", "One a line, at most 1000."),
        devices: listField("compose-devices", "Ids", "One a line, at most 1000."),
        tags: textField("compose-tags", "All of these tags", { help: "With commas between them. What is said here must hold together." }),
        locale: textField("compose-locale", "One of these locales", { placeholder: "de, fr-CH", help: "de means de-AT, too." }),
        time_zone: textField("compose-time_zone", "In one of these time zones", { placeholder: "Europe/Vienna" }),
        version_from: textField("compose-version_from", "Version, at least", { placeholder: "2.10" }),
        version_below: textField("compose-version_below", "Version, earlier than"),
        seen_since: textField("compose-seen_since", "Seen since", { type: "date" }),
        seen_before: textField("compose-seen_before", "Last seen before", { type: "date" }),
        when: selectField("compose-when", "It begins", [["now", "When it is started"], ["at", "At one moment everywhere"], ["local", "When the devices’ clocks show it"]], "now"),
        at: textField("compose-at", `Moment, in ${zone}`, { type: "datetime-local" }),
        local_at: textField("compose-local_at", "On the devices’ clocks", { type: "datetime-local" }),
        zone: textField("compose-zone", "Zone where a device’s own is not known", { placeholder: "UTC", list: "compose-zones" }),
        passed: selectField("compose-passed", "Where that has passed at the start", [["skip", "Leave the device out"], ["now", "Tell it at once"]], "skip"),
        quiet: textField("compose-quiet", "Quiet hours", { placeholder: "22:00-08:00", help: "Where clocks show these, it waits for their end." }),
        expires_at: textField("compose-expires_at", `Nothing after, in ${zone}`, { type: "datetime-local" }),
        per_minute: textField("compose-per_minute", "A minute at most", { type: "number" }),
    };
}

function composeForm() {
    const isLocal = timeMode() === "local";
    /** @type {Record<string, import("./compose-fields.js").Field>} */
    const fields = makeFields();
    const message = h("p", { class: "form-error", id: "compose-error", role: "alert" });
    const button = h("button", { type: "submit", class: "primary", id: "compose-button" }, "Prepare the draft");
    const phone = h("div", { id: "compose-phone" });
    const filter = h("div", { class: "fields" }, ["tags", "locale", "time_zone", "version_from", "version_below", "seen_since", "seen_before"].map((name) => fields[name].parts));
    const values = () => Object.fromEntries(Object.entries(fields).map(([name, { input }]) => [name, input.tagName === "TEXTAREA" && name === "body" ? input.value : input.value.trim()]));
    const redraw = () => {
        const { who, when, ...now } = values();
        filter.hidden = who !== "filter";
        fields.users.parts.hidden = who !== "users";
        fields.devices.parts.hidden = who !== "devices";
        fields.at.parts.hidden = when !== "at";
        fields.local_at.parts.hidden = when !== "local";
        fields.passed.parts.hidden = when === "now";
        fields.zone.parts.hidden = when !== "local" && !now.quiet;
        fill(phone, lockScreen(now));
    };
    const own = {
        onCreated: () => {},
        name: fields.name.input,
        values,
        /** @param {import("./compose-request.js").Values} given */
        show: (given) => {
            for (const [name, value] of Object.entries(given)) if (fields[name] && value) fields[name].input.value = value;
            redraw();
        },
    };
    const submit = async (/** @type {Event} */ event) => {
        event.preventDefault();
        button.disabled = true;
        message.textContent = "";
        for (const { input } of Object.values(fields)) input.removeAttribute("aria-invalid");
        try {
            const campaign = await post("/v1/campaigns", requestOf(values(), isLocal));
            own.onCreated();
            say("The draft is prepared; nothing is sent");
            go({ view: "campaign", id: campaign.name, filters: {} });
        } catch (error) {
            message.textContent = sentence(/** @type {Error} */ (error));
            const wrong = fieldOf(/** @type {Error} */ (error).message, fields);
            wrong?.setAttribute("aria-invalid", "true");
            (wrong ?? button).focus();
        } finally {
            button.disabled = false;
        }
    };
    const menu = copyMenu("compose", () => ({
        curl: curl("/v1/campaigns", {}, { body: JSON.stringify(requestOf(values(), isLocal)) }),
        waybill: campaignCommand("create", values().name, optionsOf(values(), isLocal)),
        link: true,
    }));
    const group = (/** @type {string} */ legend, /** @type {any[]} */ ...parts) => h("fieldset", { class: "fields" }, h("legend", null, legend), parts);
    const all = (/** @type {string[]} */ ...names) => names.map((name) => fields[name]?.parts);
    const form = h(
        "form",
        { class: "compose-form", id: "compose-form", on: { submit, input: redraw } },
        group("What it says", all("name", "client", "title", "subtitle", "body", "category", "level")),
        group("To whom", all("app", "who", "users", "devices"), filter),
        group("When", all("when", "at", "local_at", "passed", "quiet", "zone", "expires_at", "per_minute")),
        h("datalist", { id: "compose-zones" }, Intl.supportedValuesOf("timeZone").map((each) => h("option", { value: each }))),
        message,
        button,
    );
    redraw();
    const element = h(
        "section",
        { class: "panel", id: "compose", "aria-labelledby": "compose-panel-title" },
        h("div", { class: "panel-head" }, h("h2", { id: "compose-panel-title" }, "New campaign"), h("div", { class: "tools" }, menu)),
        h("div", { class: "compose" }, form, phone),
    );
    return Object.assign(own, { element });
}

/**
 * The input that a sentence of the API is about: it begins with the field's name.
 *
 * @param {string} text
 * @param {Record<string, import("./compose-fields.js").Field>} fields
 */
function fieldOf(text, fields) {
    const named = (/[a-z_.]+/.exec(text)?.[0] ?? "").split(".").reverse();
    const other = /** @type {Record<string, string>} */ ({ app_version: "version_from", from: "version_from", below: "version_below", seen: "seen_since", since: "seen_since", before: "seen_before", filter: "who", another: "name" });
    const name = named.map((each) => (fields[each] ? each : other[each])).find((each) => each && fields[each]);
    if (!name) return null;
    return fields[name].parts.hidden ? fields.when.input : fields[name].input;
}
