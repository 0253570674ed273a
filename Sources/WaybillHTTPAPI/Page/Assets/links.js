// Links within a page change what is shown, and load nothing.

/**
 * Follows clicks on links to a page's own path, with a query or without.
 *
 * @param {string} path
 * @param {(target: string) => void} follow
 */
export function followLinks(path, follow) {
    document.addEventListener("click", (event) => {
        if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
        const link = event.target instanceof Element ? event.target.closest("a[href]") : null;
        const target = link?.getAttribute("href");
        if (!target || !(target === path || target.startsWith(`${path}?`))) return;
        event.preventDefault();
        follow(target);
    });
}
