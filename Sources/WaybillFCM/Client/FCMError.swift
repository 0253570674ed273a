import WaybillPushTransport

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

    /// The kind of error.
    public enum Code: String, Hashable, Sendable {
        /// A value of the message is not allowed; ``FCMError/field`` names it.
        case invalidMessage = "invalid_message"
        /// The message's expiration passed before it could be sent.
        case expired
        /// No connection could take it in time.
        case unreachable
        /// There is no access token to send with.
        case credentials
        /// The client was closed.
        case closed
        /// The task was cancelled before the message left.
        case cancelled
        /// The connection or the stream ended without an answer.
        case connection
        /// The answer's deadline passed.
        case timeout
    }

    /// The kind of error.
    public let code: Code
    /// Whether FCM may have the message.
    public let fate: Fate
    /// The part of the message that is not allowed, for ``Code/invalidMessage``: `data`, `android.ttl`.
    public let field: String?
    /// What happened, for a person; never a token, a payload or a key.
    public let text: String

    package init(_ code: Code, _ fate: Fate = .notSent, field: String? = nil, text: String) {
        self.code = code
        self.fate = fate
        self.field = field
        self.text = text
    }

    static func invalid(_ field: String, _ problem: String) -> FCMError {
        FCMError(.invalidMessage, field: field, text: "\(field) \(problem)")
    }

    init(_ failure: PushFailure) {
        let code: Code
        switch failure.cause {
        case .expired: code = .expired
        case .unreachable: code = .unreachable
        case .credentials: code = .credentials
        case .closed: code = .closed
        case .parked, .cancelled: code = .cancelled
        case .invalid: code = .invalidMessage
        case .timeout: code = .timeout
        case .goAway, .refusedStream, .reset, .connectionLost: code = .connection
        }
        var fate = Fate.notSent
        if case .unknown = failure { fate = .unknown }
        self.init(code, fate, text: failure.cause.description)
    }
}

extension FCMError: CustomStringConvertible {
    /// The text, with the kind and the fate in front.
    public var description: String {
        "\(code.rawValue) (\(fate == .notSent ? "not sent" : "may have been sent")): \(text)"
    }
}
