/// Where a notification leads: a web page, or something in an app.
///
/// The rule is about the scheme alone (RFC 3986, section 3.1). `http` and `https` go with a host. Of the others only those pass that an app may
/// register as its own: not those of browsers and systems, which run code, show what stands in the URL itself, wrap another URL, or reach
/// files and settings of the phone.
enum NoticeURL {
    static let most = 2048

    /// Those that are no app's to register, as they stand in `docs/notify.md`.
    static let refused: Set<String> = [
        // They run what they hold.
        "javascript", "jscript", "livescript", "mocha", "vbscript", "vbs",
        // They are what they hold, or something in the memory of the page that opens them.
        "about", "blob", "cid", "data", "filesystem", "mediasource", "mhtml", "mid",
        // They wrap another URL.
        "android-app", "feed", "intent", "jar", "view-source", "wyciwyg",
        // They are the browser's or the system's own, and lead to files, settings and installers.
        "app-prefs", "chrome", "chrome-extension", "content", "edge", "file", "itms-services",
        "moz-extension", "ms-settings", "opera", "prefs", "res", "resource", "safari-web-extension", "search-ms",
        "shell",
    ]

    /// What is wrong with a URL; `nil` if nothing is.
    static func problem(_ url: String) -> String? {
        guard url.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F }), let scheme = scheme(url) else {
            return "url is one with a scheme, such as https:, and without spaces"
        }
        guard !isRefused(scheme) else {
            return "url must lead to the web or into an app; its scheme runs, wraps or shows something else"
        }
        let rest = url.utf8.dropFirst(scheme.utf8.count + 1)
        guard scheme == "http" || scheme == "https" else {
            return rest.isEmpty ? "url has nothing behind its scheme" : nil
        }
        let host = rest.starts(with: "//".utf8) ? rest.dropFirst(2).first : nil
        return host.map { !"/?#\\:@".utf8.contains($0) } ?? false ? nil : "url has no host behind \(scheme)://"
    }

    /// Also one of which a part, between the signs that a scheme may have, is refused: `x-javascript`, `web+vbscript`.
    private static func isRefused(_ scheme: String) -> Bool {
        refused.contains(scheme)
            || scheme.split { "+.-".contains($0) }.contains { ["javascript", "vbscript"].contains($0) }
    }

    /// In small letters; `nil` where there is none: an ASCII letter, and then digits, `+`, `-` and `.` besides.
    private static func scheme(_ url: String) -> String? {
        let scheme = url.utf8.prefix { $0 != UInt8(ascii: ":") }
        guard scheme.count < url.utf8.count, let first = scheme.first, isLetter(first),
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
