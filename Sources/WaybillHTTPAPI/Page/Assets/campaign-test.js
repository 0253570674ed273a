// The content of a campaign, sent at once to a few devices that somebody names.

import { post } from "./api.js";
import { say } from "./app-act.js";
import { campaignCommand, campaignPath, devices } from "./campaign-parts.js";
import { lines, listField, selectField } from "./compose-fields.js";
import { copyMenu, curl } from "./copy.js";
import { fill, h } from "./dom.js";
import { sentence } from "./form.js";
import { href } from "./route.js";
import { foreign } from "./text.js";

/** @param {string} name of the campaign @param {string} [client] whose it is */
export function testPart(name, client) {
    const whose = selectField("test-by", "Devices", [["users", "of users"], ["devices", "by the app’s own ids"]], "users");
    const names = listField("test-names", "Which", "One a line, at most 100. Nothing of them is kept in the browser.");
    const says = h("p", { class: "form-error", id: "test-error", role: "alert" });
    const done = h("p", { id: "test-sent", role: "status" });
    const button = h("button", { type: "submit", class: "primary", id: "test-button" }, "Send the test");
    const request = () => ({ [whose.input.value]: lines(names.input.value) });
    const submit = async (/** @type {Event} */ event) => {
        event.preventDefault();
        says.textContent = "";
        done.replaceChildren();
        button.disabled = true;
        try {
            const answer = await post(campaignPath(name, "test", client), request());
            const words = `On its way to ${devices(answer.devices)}`;
            fill(done, `${words}: `, h("a", { href: href({ view: "batch", id: answer.notification, filters: {} }) }, foreign(answer.notification, { cut: 80 })));
            say(words);
        } catch (error) {
            says.textContent = sentence(/** @type {Error} */ (error));
            names.input.focus();
        }
        button.disabled = false;
    };
    names.input.required = true;
    names.input.setAttribute("aria-describedby", "test-names-help test-error");
    const option = () => (whose.input.value === "users" ? "user" : "device");
    const menu = copyMenu("test", () => ({
        curl: curl(campaignPath(name, "test", client), {}, { body: JSON.stringify(request()) }),
        waybill: campaignCommand("test", name, { client, [option()]: lines(names.input.value) }),
    }));
    return h(
        "section",
        { class: "panel", id: "campaign-test", "aria-labelledby": "campaign-test-title" },
        h("div", { class: "panel-head" }, h("h2", { id: "campaign-test-title" }, "Try it on a few"), h("div", { class: "tools" }, menu)),
        h("form", { class: "entry", id: "test-form", on: { submit } }, whose.parts, names.parts, says, button, done),
    );
}
