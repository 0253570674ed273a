/// Why a lane or a driver could not be set up.
///
/// What happens to a request later is a value, never an error.
public struct APNSSetupError: Error, Hashable, Sendable {
    /// The kind of error; an open set.
    public struct Code: RawRepresentable, Hashable, Sendable {
        /// The kind's name.
        public let rawValue: String

        /// Creates a code from its name.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// A value of the configuration is not allowed.
        public static let invalidConfiguration = Self(rawValue: "invalid_configuration")
        /// A key, a certificate or a trust file cannot be read or used.
        public static let credentials = Self(rawValue: "credentials")
        /// The operating system refused a thread, a descriptor or the like.
        public static let system = Self(rawValue: "system")
    }

    /// The kind of error.
    public let code: Code
    /// What is wrong, for a person; never holds a key, a token or a payload.
    public let text: String

    package init(_ code: Code, _ text: String) {
        self.code = code
        self.text = text
    }
}

extension APNSSetupError: CustomStringConvertible {
    /// The text, with the kind in front.
    public var description: String { "\(code.rawValue): \(text)" }
}
