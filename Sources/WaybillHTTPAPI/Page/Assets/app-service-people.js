// Who belongs to a service, and who is asked to.

import { act, choice, once } from "./app-act.js";
import { call, get, ownAccount } from "./app-session.js";
import { confirmation } from "./dialog.js";
import { h } from "./dom.js";
import { entryForm } from "./form.js";
import { panel } from "./panel.js";
import { foreign, plain } from "./text.js";
import { time } from "./time.js";

/** @type {[string, string][]} */
const ROLES = [
    ["member", "Member"],
    ["manager", "Manager"],
];

/**
 * @param {string} path of the service
 * @param {any} service with one's own role
 * @param {() => Promise<void>} changed draws the whole service again
 */
export function membersPart(path, service, changed) {
    const { role } = service;
    const roles = role === "owner" ? [...ROLES, /** @type {[string, string]} */ (["owner", "Owner"])] : ROLES;
    const list = panel({
        name: "members",
        title: "People",
        isLive: () => false,
        load: async (signal) => (await get(`${path}/members`, {}, signal)).members,
        draw: (members) => h("ul", { class: "rows" }, members.map(row)),
    });
    /** @param {any} member */
    const row = (member) => {
        const name = member.username ? plain(member.username) : "somebody who has gone";
        const mayChange = role === "owner" || member.role !== "owner";
        const [label, select] = choice(`role-${member.account}`, `What ${name} is`, roles, member.role, (value) => act(() => call("PUT", `${path}/members/${member.account}`, { role: value }), "It is changed", changed));
        label.className = "unseen";
        return h(
            "li",
            { "data-id": member.account },
            h("div", null, h("strong", null, foreign(name)), h("div", { class: "dim" }, "Since ", time(member.joined_at))),
            mayChange ? [label, select] : h("span", { class: "state-word" }, "Owner"),
            role === "owner" && member.account !== ownAccount() && h("button", { type: "button", class: "small", "aria-label": `Transfer to ${name}`, on: { click: () => transfer(member, name) } }, "Transfer"),
            mayChange && h("button", { type: "button", class: "small danger", "aria-label": `Take ${name} away`, on: { click: () => remove(member, name) } }, "Take away"),
        );
    };
    /** @param {any} member @param {string} name */
    const remove = async (member, name) => {
        if (await confirmation({ title: `Take ${name} away?`, text: "They are told nothing more by this service.", yes: "Take away", isDangerous: true })) await act(() => call("DELETE", `${path}/members/${member.account}`), "They have gone", changed);
    };
    /** @param {any} member @param {string} name */
    const transfer = async (member, name) => {
        const words = `${name} owns it from then on. You still manage it, and cannot take it back.`;
        if (await confirmation({ title: `Transfer the service to ${name}?`, text: words, yes: "Transfer it", isDangerous: true, type: service.name })) await act(() => call("POST", `${path}/transfer`, { account: member.account }), "It is theirs", changed);
    };
    return list;
}

/** @param {string} path of the service */
export function invitationsPart(path) {
    const shown = h("div", { id: "new-invitation" });
    const list = panel({
        name: "invitations",
        title: "Invitations",
        isLive: () => false,
        load: async (signal) => (await get(`${path}/invitations`, {}, signal)).invitations,
        draw: (found) => (found.length === 0 ? h("p", { class: "dim" }, "Nobody is invited at the moment.") : h("ul", { class: "rows" }, found.map(row))),
    });
    /** @param {any} each */
    const row = (each) =>
        h(
            "li",
            { "data-id": each.id },
            h("div", null, h("strong", null, each.email ? foreign(each.email) : "By a link"), h("span", { class: "state-word" }, each.role === "manager" ? "Manager" : "Member"), h("div", { class: "dim" }, "Until ", time(each.expires_at))),
            h("button", { type: "button", class: "small", on: { click: () => act(() => call("DELETE", `${path}/invitations/${each.id}`), "It is withdrawn", list.reload) } }, "Withdraw"),
        );
    const role = choice("invitation-role", "As", ROLES, "member");
    const form = entryForm({
        id: "invite",
        fields: [{ name: "email", label: "E-mail address", type: "email", maxlength: 254, isOptional: true, help: "Without one you get a link to hand on. It is good once, for a week." }],
        button: "Invite",
        send: async ({ email }) => {
            const made = await (await call("POST", `${path}/invitations`, { role: role[1].value, ...(email ? { email } : {}) })).json();
            shown.replaceChildren(made.link ? once("link-once", "Hand on this link; nobody can read it again.", made.link) : h("p", { role: "status" }, "A mail is on its way."));
            await list.reload();
        },
    });
    form.querySelector(".form-error")?.before(h("div", { class: "entry" }, role));
    list.element.append(shown, h("details", { "data-key": "invite-form" }, h("summary", null, "Invite somebody"), form));
    return list;
}
