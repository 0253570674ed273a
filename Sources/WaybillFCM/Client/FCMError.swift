package import WaybillPushTransport

/// Why a message has no answer.
///
/// A refusal by FCM is no error: it is an ``FCMResponse``.
public struct FCMError: Error, Hashable, Sendable {
    /// Whether FCM may have the message all the same.
    public enum Fate: Hashable, Sendable {
        /// It certainly never reached FCM: sending it again cannot show it twice.
        case notSent
        /// It was sent and nobody answered: sending it again may reach the app twice. FCM joins no repeats.
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

        /// A value of the message is not allowed; ``FCMError/field`` names it.
        public static let invalidMessage = Self(rawValue: "invalid_message")
        /// The message's expiration passed before it could be sent.
        public static let expired = Self(rawValue: "expired")
        /// No connection could take it in time; ``FCMError/cause`` says how the last one failed.
        public static let unreachable = Self(rawValue: "unreachable")
        /// There is no access token to send with; ``FCMError/cause`` says why.
        public static let credentials = Self(rawValue: "credentials")
        /// The client was closed.
        public static let closed = Self(rawValue: "closed")
        /// The task was cancelled before the message left.
        public static let cancelled = Self(rawValue: "cancelled")
        /// The connection or the stream ended without an answer.
        public static let connection = Self(rawValue: "connection")
        /// The answer's deadline passed.
        public static let timeout = Self(rawValue: "timeout")
    }

    /// The kind of error.
    public let code: Code
    /// Whether FCM may have the message.
    public let fate: Fate
    /// The part of the message that is not allowed, for ``Code/invalidMessage``: `data`, `android.ttl`.
    public let field: String?
    /// What happened, for a person; never a token, a payload or a key.
    public let text: String
    /// What was at the root of it, where more is known than ``code`` says, and ``text`` ends with: how the last connection
    /// failed (`127.0.0.1:8444: Connection refused`), or why there is no access token.
    public let cause: String?
    /// How often the message was put on a stream, 0 when never.
    public let attempts: Int

    package init(
        _ code: Code,
        _ fate: Fate = .notSent,
        field: String? = nil,
        text: String,
        cause: String? = nil,
        attempts: Int = 0
    ) {
        self.code = code
        self.fate = fate
        self.field = field
        self.text = text
        self.cause = cause
        self.attempts = attempts
    }

    static func invalid(_ field: String, _ problem: String) -> FCMError {
        FCMError(.invalidMessage, field: field, text: "\(field) \(problem)")
    }

    package init(_ failure: PushFailure, attempts: Int = 0) {
        let fate: Fate
        switch failure {
        case .notSent: fate = .notSent
        case .unknown: fate = .unknown
        }
        let explanation = failure.explanation(service: "FCM", token: "access token")
        self.init(
            explanation.map { Code(rawValue: $0.code) } ?? .invalidMessage,
            fate,
            text: explanation?.text ?? "\(failure.cause.word) may not stand in a request",
            cause: failure.cause.text,
            attempts: attempts
        )
    }
}

extension FCMError: CustomStringConvertible {
    /// The text, with the kind and the fate in front.
    public var description: String {
        "\(code.rawValue) (\(fate == .notSent ? "not sent" : "may have been sent")): \(text)"
    }
}
