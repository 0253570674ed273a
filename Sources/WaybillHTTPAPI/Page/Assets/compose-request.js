// What is typed in the form of a campaign, as the API and as the command take it; and a campaign as the form shows it.

import { lines, words } from "./compose-fields.js";

/** @typedef {Record<string, string>} Values of the form, by the names of its fields; empty for what is not said */

/** Fields that are texts for the API and options of the same name for the command. */
const TEXTS = ["client", "title", "subtitle", "body", "category", "level", "quiet"];

/** A moment of a `datetime-local` input, in ISO 8601. @param {string} text @param {boolean} isLocal */
function moment(text, isLocal) {
    const date = new Date(isLocal ? text : `${text}Z`);
    return Number.isNaN(date.getTime()) ? text : date.toISOString().replace(".000Z", "Z");
}

/** @param {string} day */
const seconds = (day) => Date.parse(`${day}T00:00:00Z`) / 1000;

/**
 * The fields that are said, of those that the choices of the form show.
 *
 * @param {Values} all
 * @param {boolean} isLocal whether moments are typed in local time, else in UTC
 */
function said(all, isLocal) {
    const values = { ...all };
    const hidden = {
        all: ["users", "devices", "tags", "locale", "time_zone", "version_from", "version_below", "seen_since", "seen_before"],
        filter: ["users", "devices"],
        users: ["devices", "tags", "locale", "time_zone", "version_from", "version_below", "seen_since", "seen_before"],
        devices: ["users", "tags", "locale", "time_zone", "version_from", "version_below", "seen_since", "seen_before"],
    }[values.who] ?? [];
    for (const name of hidden) values[name] = "";
    if (values.when !== "at") values.at = "";
    if (values.when !== "local") values.local_at = "";
    if (values.at) values.at = moment(values.at, isLocal);
    if (values.expires_at) values.expires_at = moment(values.expires_at, isLocal);
    return values;
}

/** @param {Values} all @param {boolean} isLocal @returns {any} the body of `POST /v1/campaigns` */
export function requestOf(all, isLocal) {
    const values = said(all, isLocal);
    /** @type {any} */
    const body = { name: values.name };
    for (const name of [...TEXTS, "at", "local_at", "expires_at", "zone"]) if (values[name]) body[name] = values[name];
    if (values.passed === "now") body.passed = "now";
    if (values.per_minute) body.per_minute = Number(values.per_minute);
    const apps = words(values.app);
    body.select = { app: apps.length > 1 ? apps : values.app };
    if (values.who === "users" || values.who === "devices") body.select[values.who] = lines(values[values.who]);
    if (values.who === "filter") body.select.filter = filterOf(values);
    return body;
}

/** @param {Values} values */
function filterOf(values) {
    /** @type {any} */
    const filter = {};
    for (const name of ["tags", "locale", "time_zone"]) if (values[name]) filter[name] = words(values[name]);
    if (values.version_from || values.version_below) filter.app_version = { from: values.version_from || undefined, below: values.version_below || undefined };
    if (values.seen_since || values.seen_before) {
        filter.seen = { since: values.seen_since ? seconds(values.seen_since) : undefined, before: values.seen_before ? seconds(values.seen_before) : undefined };
    }
    return filter;
}

/** @param {Values} all @param {boolean} isLocal @returns {Record<string, any>} options of `waybill campaign create` */
export function optionsOf(all, isLocal) {
    const values = said(all, isLocal);
    /** @type {Record<string, any>} */
    const options = { app: words(values.app) };
    for (const name of TEXTS) if (values[name]) options[name] = values[name];
    for (const name of ["at", "local_at", "expires_at", "zone", "per_minute", "version_from", "version_below", "seen_since", "seen_before"]) {
        if (values[name]) options[name.replaceAll("_", "-")] = values[name];
    }
    if (values.passed === "now") options["passed-now"] = true;
    if (values.users) options.user = lines(values.users);
    if (values.devices) options.device = lines(values.devices);
    if (values.tags) options.tag = words(values.tags);
    if (values.locale) options.locale = words(values.locale);
    if (values.time_zone) options["time-zone"] = words(values.time_zone);
    return options;
}

/**
 * A campaign as the form shows it, for another like it: without its name and its times.
 *
 * @param {any} campaign
 * @returns {Values}
 */
export function valuesOf(campaign) {
    const { app, users, devices, filter = {} } = campaign.select;
    /** @type {Values} */
    const values = { app: [app].flat().join(", "), zone: campaign.zone, passed: campaign.passed, per_minute: campaign.per_minute ? String(campaign.per_minute) : "" };
    for (const name of TEXTS) values[name] = campaign[name] ?? "";
    values.who = users ? "users" : devices ? "devices" : Object.keys(filter).length ? "filter" : "all";
    values.users = (users ?? []).join("\n");
    values.devices = (devices ?? []).join("\n");
    for (const name of ["tags", "locale", "time_zone"]) values[name] = (filter[name] ?? []).join(", ");
    values.version_from = filter.app_version?.from ?? "";
    values.version_below = filter.app_version?.below ?? "";
    values.seen_since = dayOf(filter.seen?.since);
    values.seen_before = dayOf(filter.seen?.before);
    return values;
}

/** @param {number | undefined} point seconds since 1970 */
const dayOf = (point) => (point === undefined ? "" : new Date(point * 1000).toISOString().slice(0, 10));
