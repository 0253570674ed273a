/// What a browser keeps of a session: 43 random characters of base 62, which are 256 bits.
///
/// No way of printing it shows it but ``reveal()``.
package struct SessionSecret: Sendable {
    private let text: String

    private static let count = 43

    /// Makes a new one, from the system's random numbers.
    package static func generate() -> Self { Self(trusted: Base62.random(count: count)) }

    /// Reads what somebody shows; `nil` for what has not the form.
    package init?(_ text: String) {
        guard text.utf8.count == Self.count, text.utf8.allSatisfy(Base62.isDigit) else { return nil }
        self.init(trusted: text)
    }

    private init(trusted text: String) {
        self.text = text
    }

    /// The secret itself: for the browser of whoever has logged in.
    package func reveal() -> String { text }

    /// What the store knows of it.
    package var digest: SecretDigest { SecretDigest(of: text) }
}

extension SessionSecret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "a session's secret" }
    package var debugDescription: String { description }
    /// Keeps `dump` and the tests' own printing from looking inside.
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
