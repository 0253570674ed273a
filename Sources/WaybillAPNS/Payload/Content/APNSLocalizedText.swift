/// A text that the device takes from the app's `Localizable.strings`, with values for its placeholders.
///
/// Source: Apple, "Generating a remote notification", the keys that end in `loc-key` and `loc-args`.
public struct APNSLocalizedText: Hashable, Sendable {
    /// The text's key.
    public var key: String
    /// What takes the places of `%@` and `%n$@`, in order.
    public var arguments: [String]

    /// Creates a text from its key.
    public init(_ key: String, arguments: [String] = []) {
        self.key = key
        self.arguments = arguments
    }

    /// The arguments, if there are any to write.
    var argumentsToWrite: [String]? { arguments.isEmpty ? nil : arguments }
}

extension APNSLocalizedText: ExpressibleByStringLiteral {
    /// Creates a text without placeholders from its key.
    public init(stringLiteral key: String) {
        self.init(key)
    }
}
