// Starts the page for people: is somebody logged in, what does the address say, who draws it.

import { accountView } from "./app-account.js";
import { showBar } from "./app-bar.js";
import { showEntry } from "./app-enter.js";
import { notificationsView } from "./app-notifications.js";
import { currentRoute, onRoute } from "./app-route.js";
import { serviceView } from "./app-service.js";
import { servicesView } from "./app-services.js";
import { isLoggedIn, logOut, onSession, resume } from "./app-session.js";
import { fill, h } from "./dom.js";
import { schedule } from "./live.js";
import { problemBox } from "./panel.js";

const bar = /** @type {HTMLElement} */ (document.getElementById("bar"));
const main = /** @type {HTMLElement} */ (document.getElementById("main"));

/** Milliseconds until a server that does not answer is asked again. */
const RETRY = 5000;

/** @type {Record<string, string>} */
const TITLES = { login: "Log in", "sign-up": "Sign up", confirmation: "Confirm the address", "password-reset": "Forgot the password", account: "Your account", notifications: "Your notifications", services: "Your services", service: "A service" };

/** @type {{stop: () => void} | null} */
let view = null;
/** Whether the session has ended by itself, and not by a click here. */
let hasEnded = false;

function show() {
    const isIn = isLoggedIn();
    const route = currentRoute(isIn);
    view?.stop();
    view = null;
    document.title = `${TITLES[route.view]} · Waybill`;
    main.dataset.view = route.view;
    showBar(bar, { isIn, view: route.view, redraw: show, logOut: () => logOut().catch(() => {}) });
    if (!isIn) {
        showEntry(main, route.view, hasEnded);
        return;
    }
    hasEnded = false;
    fill(main, h("h1", { class: "unseen" }, TITLES[route.view]));
    if (route.view === "account") view = accountView(main);
    else if (route.view === "notifications") view = notificationsView(main);
    else if (route.view === "services") view = servicesView(main);
    else view = serviceView(main, route.id ?? "");
}

/** Asks whether this browser has a session, until the server answers. */
async function start() {
    try {
        await resume();
        show();
    } catch (error) {
        showBar(bar, { isIn: false, view: "", redraw: () => {}, logOut: () => {} });
        fill(main, problemBox(error));
        setTimeout(start, RETRY);
    }
}

onSession((isIn, isWanted) => {
    hasEnded = !isIn && !isWanted;
    show();
});
onRoute(show);
await start();
schedule();
