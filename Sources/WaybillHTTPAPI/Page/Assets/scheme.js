// Runs before anything is drawn, so that a chosen scheme does not flash. Not a module: those come too late.
"use strict";
(() => {
    let scheme = null;
    try {
        scheme = localStorage.getItem("waybill.scheme");
    } catch {
        // Without storage the system's scheme holds.
    }
    if (scheme === "light" || scheme === "dark") document.documentElement.dataset.scheme = scheme;
})();
