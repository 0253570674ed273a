/// Why a client, or its credentials, cannot be set up.
public struct FCMSetupError: Error, Hashable, Sendable, CustomStringConvertible {
    /// For a person; holds no key material.
    public let text: String

    package init(_ text: String) {
        self.text = text
    }

    /// The text.
    public var description: String { text }
}
