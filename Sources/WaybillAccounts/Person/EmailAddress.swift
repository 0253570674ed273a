/// An e-mail address, `local@domain.example`: personal data, which no way of printing shows.
///
/// The shape is checked and no more: whether somebody reads there, the confirmation tells. Nothing in it can begin a new line or
/// a new field of a mail's head. Addresses outside of ASCII are written as `xn--` domains; their local parts are not taken.
package struct EmailAddress: Hashable, Sendable {
    /// Of the whole (RFC 5321, 4.5.3.1.3, without its brackets), and of what stands in front of the @.
    package static let maximumBytes = 254
    private static let maximumLocalBytes = 64

    /// As it was typed, the domain in small letters.
    package let text: String

    /// - Returns: `nil` for what has not the shape of one.
    package init?(_ text: String) {
        guard text.utf8.count <= Self.maximumBytes else { return nil }
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        guard parts.count == 2, (1...Self.maximumLocalBytes).contains(parts[0].utf8.count),
            Self.isLocal(parts[0]), Self.isDomain(parts[1])
        else { return nil }
        self.text = "\(parts[0])@\(parts[1].lowercased())"
    }

    /// What addresses are compared by: two that differ by capitals alone are one account's.
    package var key: String { text.lowercased() }

    /// Whether mails to it go to a server of the internet: its domain ends neither in a number, as an IP address does, nor in a name that is
    /// used within networks alone.
    package var isPublic: Bool {
        guard let last = text.split(separator: ".").last else { return false }
        let isWord = last.hasPrefix("xn--") || last.utf8.count >= 2 && last.utf8.allSatisfy { $0 >= UInt8(ascii: "a") }
        return isWord && !Self.localDomains.contains(String(last))
    }

    /// RFC 6761, 6762, 8375 (`home.arpa`), and what mail servers call themselves.
    private static let localDomains: Set<String> = [
        "localhost", "localdomain", "local", "internal", "lan", "intranet", "corp", "home", "arpa", "onion", "invalid",
    ]

    /// One person's mailbox, however they write it: without what stands behind a `+`.
    package var mailbox: String {
        let parts = key.split(separator: "@")
        return "\(parts[0].prefix { $0 != "+" })@\(parts[1])"
    }

    /// Letters, digits and what RFC 5322 (3.2.3) allows between dots; quoted forms are not taken.
    private static func isLocal(_ part: Substring) -> Bool {
        part.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { atom in
            !atom.isEmpty && atom.utf8.allSatisfy { isAlphanumeric($0) || "!#$%&'*+-/=?^_`{|}~".utf8.contains($0) }
        }
    }

    private static func isDomain(_ domain: Substring) -> Bool {
        let labels = domain.split(separator: ".", omittingEmptySubsequences: false)
        return labels.count >= 2
            && labels.allSatisfy { label in
                (1...63).contains(label.utf8.count)
                    && label.utf8.allSatisfy { isAlphanumeric($0) || $0 == UInt8(ascii: "-") }
                    && label.first != "-" && label.last != "-"
            }
    }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: false
        }
    }
}

extension EmailAddress: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "an e-mail address" }
    package var debugDescription: String { description }
    /// Keeps `dump` and the tests' own printing from looking inside.
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
