// What becomes a file of whoever looks at a page.

import { h } from "./dom.js";

/**
 * @param {Blob} content
 * @param {string} name of the file
 */
export function save(content, name) {
    const url = URL.createObjectURL(content);
    const link = h("a", { href: url, download: name });
    document.body.append(link);
    link.click();
    link.remove();
    setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
