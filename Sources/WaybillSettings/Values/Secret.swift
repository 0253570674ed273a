/// A password or the like: every way of printing it says "redacted".
package struct Secret: Hashable, Sendable {
    /// The secret itself, for the one call that needs it.
    package let value: String

    package init(_ value: String) {
        self.value = value
    }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "redacted" }
    package var debugDescription: String { "redacted" }
    /// Keeps `dump` and the tests' own printing from looking inside.
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
