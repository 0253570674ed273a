import WaybillEncoding

/// Shortens what may be device tokens in a text that nobody could read as a message.
package enum TokenShortener {
    /// Hexadecimal digits in a row that are taken for a token: APNs' have 64 and more; UUIDs have dashes.
    private static let shortest = 32
    /// URL-safe characters in a row, with colons between, that are taken for one: FCM's have well over a hundred.
    private static let shortestOpaque = 100
    private static let shown = 8

    /// The text with each long run of hexadecimal digits, or of FCM's characters, cut to its beginning.
    package static func shorten(_ text: String) -> String {
        var result: [UInt8] = []
        var run: [UInt8] = []
        for byte in text.utf8 {
            if isOpaque(byte) {
                run.append(byte)
            } else {
                append(run, to: &result)
                run.removeAll(keepingCapacity: true)
                result.append(byte)
            }
        }
        append(run, to: &result)
        return String(decoding: result, as: UTF8.self)
    }

    private static func append(_ run: [UInt8], to result: inout [UInt8]) {
        guard run.count < shortestOpaque else { return appendBeginning(of: run[...], to: &result) }
        var rest = run[...]
        while !rest.isEmpty {
            let digits = rest.prefix { Hexadecimal.value(of: $0) != nil }
            if digits.count >= shortest { appendBeginning(of: digits, to: &result) } else { result += digits }
            rest = rest.dropFirst(digits.count)
            let others = rest.prefix { Hexadecimal.value(of: $0) == nil }
            result += others
            rest = rest.dropFirst(others.count)
        }
    }

    private static func appendBeginning(of token: ArraySlice<UInt8>, to result: inout [UInt8]) {
        result += token.prefix(shown) + Array("…".utf8)
    }

    private static func isOpaque(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: ":"):
            true
        default: false
        }
    }
}
