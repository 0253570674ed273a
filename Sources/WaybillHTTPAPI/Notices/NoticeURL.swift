/// Where a notification leads: a web page, or something in an app.
///
/// It is of printable ASCII, as URLs are (RFC 3986): nothing in it is shown as something else than it is. `http` and `https`
/// go with a host (``WebAuthority``). Of the other schemes only those pass that an app may register as its own: not those of
/// browsers and systems, which run code, show what stands in the URL itself, or reach files and settings of the phone; and
/// none that wraps another URL.
enum NoticeURL {
    static let most = 2048

    /// They run what they hold.
    private static let running: Set<String> = ["javascript", "jscript", "livescript", "mocha", "vbscript", "vbs"]
    private static let web: Set<String> = ["http", "https"]

    /// Those that are no app's to register, as they stand in `docs/notify.md`.
    static let refused: Set<String> = running.union([
        // They are what they hold, or something in the memory of the page that opens them.
        "about", "blob", "cid", "data", "filesystem", "mediasource", "mhtml", "mid",
        // They wrap another URL.
        "android-app", "feed", "intent", "jar", "microsoft-edge", "view-source", "wyciwyg",
        // They are the browser's or the system's own, and lead to files, settings and installers.
        "app-prefs", "chrome", "chrome-extension", "content", "edge", "file", "itms-services",
        "moz-extension", "ms-settings", "opera", "prefs", "res", "resource", "safari-web-extension", "search-ms",
        "shell",
    ])

    /// What is wrong with a URL; `nil` if nothing is.
    static func problem(_ url: String) -> String? {
        guard url.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            return "url is of printable ASCII without spaces: percent-encode the rest, and write a host's name as xn--…"
        }
        guard let scheme = scheme(url.utf8[...]) else { return "url is one with a scheme, such as https:" }
        guard !isRefused(scheme) else {
            return "url must lead to the web or into an app; its scheme runs, wraps or shows something else"
        }
        let rest = url.utf8.dropFirst(scheme.utf8.count + 1)
        guard web.contains(scheme) else {
            guard !rest.isEmpty else { return "url has nothing behind its scheme" }
            return isURL(rest) ? "url must lead to the web or into an app; its scheme wraps another URL" : nil
        }
        guard rest.starts(with: "//".utf8) else { return "url has no host behind \(scheme)://" }
        return WebAuthority.problem(rest.dropFirst(2).prefix { !"/?#".utf8.contains($0) }).map { "url \($0)" }
    }

    /// Also one of which a part, between the signs that a scheme may have, is refused: `x-javascript`, `web+vbscript`.
    private static func isRefused(_ scheme: String) -> Bool {
        refused.contains(scheme)
            || scheme.split { "+.-".contains($0) }.contains { ["javascript", "vbscript"].contains($0) }
    }

    /// Whether what stands behind a scheme is a URL of its own: any with `//`, or of the web, or one that runs.
    ///
    /// Words between colons are none: `myapp:order:7`.
    private static func isURL(_ rest: Substring.UTF8View) -> Bool {
        let inner = rest.drop { $0 == UInt8(ascii: "/") }
        guard let scheme = scheme(inner) else { return false }
        return web.contains(scheme) || running.contains(scheme)
            || inner.dropFirst(scheme.utf8.count + 1).starts(with: "//".utf8)
    }

    /// In small letters; `nil` where there is none: an ASCII letter, and then digits, `+`, `-` and `.` besides.
    private static func scheme(_ url: Substring.UTF8View) -> String? {
        let scheme = url.prefix { $0 != UInt8(ascii: ":") }
        guard scheme.count < url.count, let first = scheme.first, isLetter(first),
            scheme.allSatisfy({ isLetter($0) || isDigit($0) || "+-.".utf8.contains($0) })
        else { return nil }
        return String(decoding: scheme, as: UTF8.self).lowercased()
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
}
