// The image of a service: what stands for it here, and on phones whose app shows it.

import { act, say } from "./app-act.js";
import { part } from "./app-own-data.js";
import { call, upload } from "./app-session.js";
import { h } from "./dom.js";
import { sentence } from "./form.js";

/** Pixels of each side: what is larger gets smaller here, before anybody else has it. */
const SIDE = 512;

/**
 * The image, beside the name that says the same in words.
 *
 * @param {any} service
 */
export const serviceImage = (service) => service.image && h("img", { class: "service-image", src: service.image.path, alt: "", width: service.image.width, height: service.image.height });

/** @param {string} path of the service @param {any} service @param {() => Promise<void>} show */
export function imagePart(path, service, show) {
    const message = h("p", { class: "form-error", id: "image-error", role: "alert" });
    const input = h("input", { type: "file", id: "image-file", accept: "image/png,image/jpeg", "aria-describedby": "image-help image-error", on: { change: () => choose() } });
    const choose = async () => {
        const file = input.files?.[0];
        if (!file) return;
        message.textContent = "";
        input.disabled = true;
        try {
            await upload(`${path}/image`, await smaller(file));
            say("It has another image");
            await show();
        } catch (error) {
            message.textContent = sentence(/** @type {Error} */ (error));
        } finally {
            input.disabled = false;
            input.value = "";
        }
    };
    const remove = () => act(() => call("DELETE", `${path}/image`), "It has no image", show);
    return part(
        "image-part",
        "Its image",
        h(
            "div",
            { class: "entry" },
            h("label", { for: "image-file" }, service.image ? "Another image" : "An image"),
            input,
            h("p", { id: "image-help", class: "note" }, "A PNG or a JPEG. Where and when it was taken does not leave this browser."),
            message,
            service.image && h("button", { type: "button", id: "image-remove", on: { click: remove } }, "Take it away"),
        ),
    );
}

/**
 * The same picture with nothing else in it, and no larger than it is shown.
 *
 * @param {File} file
 * @returns {Promise<Blob>}
 */
async function smaller(file) {
    const picture = await createImageBitmap(file).catch(() => null);
    if (!picture) throw new Error("this file is no image that the browser can read");
    const scale = Math.min(1, SIDE / Math.max(picture.width, picture.height));
    const canvas = h("canvas", { width: Math.max(1, Math.round(picture.width * scale)), height: Math.max(1, Math.round(picture.height * scale)) });
    canvas.getContext("2d").drawImage(picture, 0, 0, canvas.width, canvas.height);
    picture.close();
    /** @type {Blob | null} */
    const blob = await new Promise((done) => canvas.toBlob(done, file.type === "image/jpeg" ? "image/jpeg" : "image/png", 0.9));
    if (!blob) throw new Error("the browser cannot write this image");
    return blob;
}
