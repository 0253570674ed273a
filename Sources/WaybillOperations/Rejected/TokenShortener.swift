import WaybillEncoding

/// Shortens what may be device tokens in a text that nobody could read as a message.
package enum TokenShortener {
    /// Hexadecimal digits in a row that are taken for a token: APNs' have 64 and more; UUIDs have dashes.
    private static let shortest = 32
    private static let shown = 8

    /// The text with each long run of hexadecimal digits cut to its beginning.
    package static func shorten(_ text: String) -> String {
        var result: [UInt8] = []
        var run: [UInt8] = []
        func endRun() {
            if run.count >= shortest {
                result += run.prefix(shown) + Array("…".utf8)
            } else {
                result += run
            }
            run.removeAll(keepingCapacity: true)
        }
        for byte in text.utf8 {
            if Hexadecimal.value(of: byte) != nil {
                run.append(byte)
            } else {
                endRun()
                result.append(byte)
            }
        }
        endRun()
        return String(decoding: result, as: UTF8.self)
    }
}
