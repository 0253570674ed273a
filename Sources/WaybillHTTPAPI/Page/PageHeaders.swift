import HTTPTypes

/// What browsers are told of the page: it is made of its own files alone, nobody frames it, and it uses nothing of the machine.
enum PageHeaders {
    static let all: [(HTTPField.Name, String)] = [
        (.contentSecurityPolicy, contentSecurityPolicy),
        (HTTPField.Name("Permissions-Policy")!, permissions),
        (HTTPField.Name("Cross-Origin-Opener-Policy")!, "same-origin"),
    ]

    /// No script of a document's text, no style of an attribute, and no text that a script turns into markup.
    private static let contentSecurityPolicy = [
        "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self'", "connect-src 'self'",
        "font-src 'self'", "base-uri 'none'", "form-action 'self'", "frame-ancestors 'none'",
        "require-trusted-types-for 'script'", "trusted-types 'none'",
    ].joined(separator: "; ")

    /// Nothing, but to put into the clipboard what somebody copies.
    private static let permissions =
        [
            "accelerometer", "autoplay", "camera", "clipboard-read", "display-capture",
            "encrypted-media", "fullscreen", "gamepad", "geolocation", "gyroscope", "hid", "identity-credentials-get",
            "idle-detection", "local-fonts", "magnetometer", "microphone", "midi", "otp-credentials", "payment",
            "picture-in-picture", "publickey-credentials-create", "publickey-credentials-get", "screen-wake-lock",
            "serial", "storage-access", "usb", "window-management", "xr-spatial-tracking",
        ].map { "\($0)=()" }.joined(separator: ", ") + ", clipboard-write=(self)"
}
