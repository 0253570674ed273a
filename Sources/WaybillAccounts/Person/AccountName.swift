/// What somebody is called here: 4 to 64 letters, digits, dots, underscores and hyphens of ASCII.
///
/// Names that differ by capitals alone are the same. None has an @, so that no name is an address.
package struct AccountName: Hashable, Sendable {
    package static let lengths = 4...64

    /// As it was typed.
    package let text: String

    /// - Returns: `nil` for what is no name.
    package init?(_ text: String) {
        guard Self.lengths.contains(text.utf8.count), text.utf8.allSatisfy(Self.isAllowed) else { return nil }
        self.text = text
    }

    /// What names are compared by.
    package var key: String { text.lowercased() }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
            true
        default: false
        }
    }
}

extension AccountName: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "a person's name" }
    package var debugDescription: String { description }
    /// Keeps `dump` and the tests' own printing from looking inside.
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
