/// What an invitation's link holds: `wbi_` and 43 random characters of base 62 (256 bits), good once.
///
/// No way of printing it shows it but ``reveal()``.
package struct InvitationSecret: Sendable {
    private static let prefix = "wbi_"
    private static let count = 43

    private let text: String

    /// Makes a new one, from the system's random numbers.
    static func generate() -> Self { Self(trusted: prefix + Base62.random(count: count)) }

    /// Reads what somebody shows; `nil` for what has not the form.
    package init?(_ text: String) {
        let rest = text.utf8.dropFirst(Self.prefix.utf8.count)
        guard text.hasPrefix(Self.prefix), rest.count == Self.count, rest.allSatisfy(Base62.isDigit) else { return nil }
        self.init(trusted: text)
    }

    private init(trusted text: String) {
        self.text = text
    }

    /// For the mail, or for who made it, once.
    package func reveal() -> String { text }

    var digest: SecretDigest { SecretDigest(of: text) }
}

extension InvitationSecret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "an invitation's secret" }
    package var debugDescription: String { description }
    /// Keeps `dump` and the tests' own printing from looking inside.
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
