/// Why a notification could not be delivered to APNs.
///
/// A refusal by APNs is no error: it is an ``APNSResponse``.
public struct APNSError: Error, Hashable, Sendable {
    /// Whether APNs may have the notification all the same.
    public enum Fate: Hashable, Sendable {
        /// It certainly never reached APNs: sending it again cannot show it twice.
        case notSent
        /// It was sent and nobody answered: sending it again may show it twice, unless a collapse id joins the two.
        case unknown
    }

    /// The kind of error; an open set.
    public struct Code: RawRepresentable, Hashable, Sendable {
        /// The kind's name.
        public let rawValue: String

        /// Creates a code from its name.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// A value of the notification is not allowed; ``APNSError/field`` names it.
        public static let invalidNotification = Self(rawValue: "invalid_notification")
        /// The notification's expiration passed before it could be sent.
        public static let expired = Self(rawValue: "expired")
        /// No connection could take the notification in time; ``APNSError/cause`` says how the last one failed.
        public static let unreachable = Self(rawValue: "unreachable")
        /// There is no provider token to send with; ``APNSError/cause`` says why.
        public static let credentials = Self(rawValue: "credentials")
        /// The client was closed.
        public static let closed = Self(rawValue: "closed")
        /// The task was cancelled before the notification left.
        public static let cancelled = Self(rawValue: "cancelled")
        /// The connection or the stream ended without an answer.
        public static let connection = Self(rawValue: "connection")
        /// The answer's deadline passed.
        public static let timeout = Self(rawValue: "timeout")
    }

    /// The kind of error.
    public let code: Code
    /// Whether APNs may have the notification.
    public let fate: Fate
    /// The property of the notification that is not allowed, for ``Code/invalidNotification``.
    public let field: String?
    /// What happened, for a person; never holds a device token, a payload or a key.
    public let text: String
    /// What was at the root of it, where more is known than ``code`` says, and ``text`` ends with: how the last connection
    /// failed (`127.0.0.1:8443: Connection refused`), or why there is no provider token.
    public let cause: String?
    /// The notification's `apns-id`, to join logs by.
    public let apnsID: APNSID?
    /// The attempts before the one that ended so, oldest first; empty in the common case.
    public let attempts: [APNSAttempt]

    package init(
        _ code: Code,
        _ fate: Fate,
        field: String? = nil,
        text: String,
        cause: String? = nil,
        apnsID: APNSID? = nil,
        attempts: [APNSAttempt] = []
    ) {
        self.code = code
        self.fate = fate
        self.field = field
        self.text = text
        self.cause = cause
        self.apnsID = apnsID
        self.attempts = attempts
    }

    /// A value that is not allowed: nothing was sent.
    package static func invalid(_ field: String, _ problem: String, apnsID: APNSID? = nil) -> APNSError {
        APNSError(.invalidNotification, .notSent, field: field, text: "\(field) \(problem)", apnsID: apnsID)
    }
}

extension APNSError: CustomStringConvertible {
    /// The text, with the kind and the fate in front.
    public var description: String {
        "\(code.rawValue) (\(fate == .notSent ? "not sent" : "may have been sent")): \(text)"
    }
}
