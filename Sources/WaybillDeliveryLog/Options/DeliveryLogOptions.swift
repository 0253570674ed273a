package import WaybillCore

/// What the operator wants the log to hold.
package struct DeliveryLogOptions: Sendable {
    /// How much of what was sent is kept.
    package enum Body: String, CaseIterable, Sendable {
        /// The message, or the payload's JSON text exactly as sent.
        case full
        /// `sha256:` and the digest's hexadecimal digits.
        case digest
        /// Nothing.
        case none
    }

    /// How device tokens are kept.
    package enum Tokens: Sendable {
        /// As they are sent.
        case plain
        /// As the hexadecimal digits of HMAC-SHA-256 over the token as it is sent.
        case digest(key: [UInt8])
    }

    package var database: String
    package var body: Body
    package var tokens: Tokens
    package var retention: RetentionPolicy

    package init(database: String, body: Body = .full, tokens: Tokens = .plain, retention: RetentionPolicy) {
        self.database = database
        self.body = body
        self.tokens = tokens
        self.retention = retention
    }
}
