/// FCM's own word for a refusal (Google, `ErrorCode`); an open set, so that a new one costs no release.
public struct FCMErrorCode: RawRepresentable, Hashable, Sendable {
    /// The word as it stood in the answer.
    public let rawValue: String

    /// Creates a code from its word.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The payload, or the token, does not fit.
    public static let invalidArgument = Self(rawValue: "INVALID_ARGUMENT")
    /// The token is dead.
    public static let unregistered = Self(rawValue: "UNREGISTERED")
    /// The token belongs to another Firebase project.
    public static let senderIDMismatch = Self(rawValue: "SENDER_ID_MISMATCH")
    /// Too many messages, in a project, to a device or to a topic.
    public static let quotaExceeded = Self(rawValue: "QUOTA_EXCEEDED")
    /// FCM is overloaded.
    public static let unavailable = Self(rawValue: "UNAVAILABLE")
    /// FCM failed.
    public static let internalError = Self(rawValue: "INTERNAL")
    /// The project's APNs key or web push key is no good; says nothing of the access token.
    public static let thirdPartyAuthError = Self(rawValue: "THIRD_PARTY_AUTH_ERROR")
    /// FCM says no more.
    public static let unspecified = Self(rawValue: "UNSPECIFIED_ERROR")
}
