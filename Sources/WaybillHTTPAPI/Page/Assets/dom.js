// Elements, made without a line of HTML: text enters as text and nothing else.

const SVG = "http://www.w3.org/2000/svg";
const SVG_TAGS = new Set(["svg", "path", "rect", "circle", "line", "polyline", "g"]);

/**
 * Makes an element.
 *
 * @param {string} tag its name
 * @param {Record<string, any> | null} [props] attributes; `on` has listeners by event, `style` custom properties by name;
 *   `false`, `null` and `undefined` leave an attribute out, `true` sets it empty
 * @param {...any} children nodes, texts, arrays of them; `null`, `false` and `undefined` are left out
 * @returns {any} the element
 */
export function h(tag, props, ...children) {
    /** @type {any} */
    const element = SVG_TAGS.has(tag) ? document.createElementNS(SVG, tag) : document.createElement(tag);
    for (const [name, value] of Object.entries(props ?? {})) {
        if (value === null || value === undefined || value === false) continue;
        if (name === "on") {
            for (const [event, listener] of Object.entries(value)) element.addEventListener(event, listener);
        } else if (name === "style") {
            for (const [property, text] of Object.entries(value)) element.style.setProperty(property, String(text));
        } else if (name === "value") {
            element.value = value;
        } else {
            element.setAttribute(name, value === true ? "" : String(value));
        }
    }
    append(element, children);
    return element;
}

/** @param {Element | DocumentFragment} parent @param {any} child */
function append(parent, child) {
    if (child === null || child === undefined || child === false) return;
    if (Array.isArray(child)) for (const each of child) append(parent, each);
    else parent.append(child instanceof Node ? child : document.createTextNode(String(child)));
}

/**
 * Puts other children into an element; the focus stays on what has the same `data-key`, and open details stay open.
 *
 * @param {Element} parent
 * @param {...any} children
 */
export function fill(parent, ...children) {
    const focused = parent.contains(document.activeElement) ? /** @type {HTMLElement} */ (document.activeElement) : null;
    const key = focused?.dataset?.key;
    const open = [...parent.querySelectorAll("details[open][data-key]")].map((each) => each.getAttribute("data-key"));
    parent.replaceChildren();
    append(parent, children);
    for (const each of parent.querySelectorAll("details[data-key]")) {
        if (open.includes(each.getAttribute("data-key"))) each.setAttribute("open", "");
    }
    if (key) {
        const successor = /** @type {HTMLElement | null} */ (parent.querySelector(`[data-key="${CSS.escape(key)}"]`));
        successor?.focus({ preventScroll: true });
    }
}

/**
 * Whether somebody is selecting text in an element: then it is not to be replaced.
 *
 * @param {Element} element
 */
export function isBeingRead(element) {
    const selection = getSelection();
    return Boolean(selection && !selection.isCollapsed && selection.anchorNode && element.contains(selection.anchorNode));
}

/**
 * Says something to those who do not see the page.
 *
 * @param {string} text
 */
export function announce(text) {
    const place = document.getElementById("announcer");
    if (place) place.textContent = text;
}
