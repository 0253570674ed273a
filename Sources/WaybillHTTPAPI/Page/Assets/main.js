// Starts the page: is somebody logged in, what does the address say, who draws it.

import { onSignedOut } from "./api.js";
import { markView, showBar } from "./bar.js";
import { batchView } from "./batch.js";
import { campaignView } from "./campaign.js";
import { campaignsView } from "./campaigns.js";
import { composeView } from "./compose.js";
import { fill, h } from "./dom.js";
import { installKeys, showHelp } from "./keys.js";
import { laneView } from "./lane.js";
import { schedule } from "./live.js";
import { showLogin } from "./login.js";
import { overviewView } from "./overview.js";
import { problemBox } from "./panel.js";
import { rejectedView } from "./rejected.js";
import { currentRoute, forgetTokens, go, onRoute } from "./route.js";
import { currentSession, forgetSession, logOut, resumeSession } from "./session.js";
import { storyView, tokenView } from "./story.js";

const bar = /** @type {HTMLElement} */ (document.getElementById("bar"));
const main = /** @type {HTMLElement} */ (document.getElementById("main"));

/** Milliseconds until a server that does not answer is asked again. */
const RETRY = 5000;

const TITLES = { overview: "State and outcomes", story: "Notification", token: "Device", batch: "Batch", lane: "Lane", rejected: "Rejected messages", campaigns: "Campaigns", campaign: "Campaign", compose: "New campaign" };

/**
 * What is shown now.
 *
 * @type {{stop: () => void, update?: (route: import("./route.js").Route) => void} | null}
 */
let view = null;
let viewName = "";

/** @param {import("./route.js").Route} route */
function show(route) {
    if (!currentSession()) return;
    document.title = `${TITLES[route.view]} · Waybill`;
    // The overview changes with its filters and keeps what it has; any other view begins anew.
    if (view?.update && viewName === route.view) {
        view.update(route);
        return;
    }
    view?.stop();
    fill(main, h("h1", { class: "unseen" }, TITLES[route.view]));
    viewName = route.view;
    main.dataset.view = route.view;
    markView(route.view);
    switch (route.view) {
        case "overview":
            view = overviewView(main, route);
            break;
        case "story":
            view = storyView(main, route);
            break;
        case "token":
            view = tokenView(main);
            break;
        case "batch":
            view = batchView(main, route);
            break;
        case "lane":
            view = laneView(main, route);
            break;
        case "rejected":
            view = rejectedView(main);
            break;
        case "campaigns":
            view = campaignsView(main, route);
            break;
        case "campaign":
            view = campaignView(main, route);
            break;
        case "compose":
            view = composeView(main, route);
            break;
    }
}

/** Draws everything again, for what the style sheet or the times say has changed. */
function redraw() {
    view?.stop();
    view = null;
    show(currentRoute());
}

function drawBar() {
    showBar(bar, {
        redraw,
        help: showHelp,
        logOut: async () => {
            stopView();
            forgetTokens();
            await logOut().catch(() => {});
            go({ filters: {} }, { replace: true });
            askForKey(false);
        },
    });
}

function stopView() {
    view?.stop();
    view = null;
    viewName = "";
}

/** @param {boolean} hasEnded */
function askForKey(hasEnded) {
    stopView();
    delete main.dataset.view;
    drawBar();
    showLogin(main, { hasEnded, done: begin });
}

function begin() {
    drawBar();
    show(currentRoute());
    schedule();
}

onSignedOut(() => {
    if (!currentSession()) return;
    forgetSession();
    askForKey(true);
});
onRoute(show);
installKeys();
await start();

/** Asks who is logged in, until the server answers. */
async function start() {
    try {
        if (await resumeSession()) begin();
        else askForKey(false);
    } catch (error) {
        drawBar();
        fill(main, problemBox(error));
        setTimeout(start, RETRY);
    }
}
