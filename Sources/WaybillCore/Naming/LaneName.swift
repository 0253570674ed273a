import WaybillEncoding

/// Words about lanes that nobody has configured.
package enum LaneName {
    /// Characters of a name from outside that are shown; a configured name has no more.
    private static let mostCharacters = 64
    /// Configured lanes that are listed.
    private static let mostListed = 10

    /// Says which lane is not configured, and which ones are: `parcles is not configured; configured: parcels, promo`.
    ///
    /// - Parameters:
    ///   - name: as a message or an operator gave it: unchecked text of any length.
    ///   - configured: the names of the configuration, in its order.
    /// - Returns: one line of safe characters, bounded.
    package static func unknown(_ name: String, configured: [String]) -> String {
        let rest = configured.count - mostListed
        let list = configured.prefix(mostListed).joined(separator: ", ") + (rest > 0 ? " and \(rest) more" : "")
        return "\(shown(name)) is not configured; configured: \(list)"
    }

    /// The name with a question mark for every character that no lane's name can hold.
    private static func shown(_ name: String) -> String {
        let isToken = name.utf8.count >= 32 && name.utf8.allSatisfy { Hexadecimal.value(of: $0) != nil }
        guard !name.isEmpty, !isToken else { return "(a name of \(name.utf8.count) bytes)" }
        let shown = name.unicodeScalars.prefix(mostCharacters).map { isSafe($0) ? Character($0) : "?" }
        return String(shown) + (name.unicodeScalars.count > mostCharacters ? "…" : "")
    }

    private static func isSafe(_ scalar: UnicodeScalar) -> Bool {
        switch scalar {
        case "a"..."z", "A"..."Z", "0"..."9", ".", "-", "_": true
        default: false
        }
    }
}
