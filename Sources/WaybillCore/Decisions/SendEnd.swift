/// How the sending of one notification ended, in no provider's terms.
package struct SendEnd: Sendable {
    /// Whether the provider has a say in it.
    package enum Kind: Hashable, Sendable {
        /// The provider answered.
        case answered
        /// It was certainly not sent.
        case notSent
        /// It was taken back before it was sent, because its lane was parked.
        case withdrawn
        /// It was sent, and no answer came.
        case unanswered
    }

    package let kind: Kind
    /// What is to be done with the notification, and what its end says of the lane.
    package let disposition: Disposition
    /// The status of the answer.
    package let statusCode: Int?
    /// The provider's own word, or what stood in the way.
    package let reason: String?
    /// The provider's own words beside the reason, where these say more; never a token.
    package let detail: String?
    /// The provider's own name for what it took, where it gives one.
    package let providerID: String?
    /// Since when the provider has known the device token to be invalid, in milliseconds since 1970.
    package let invalidSince: Int64?
    /// From request to answer, in nanoseconds; `nil` without an answer.
    package let latency: UInt64?
    /// The same of a push without an answer: until it was given up, in nanoseconds; 0 for any other.
    package let duration: UInt64
    /// The seconds that the provider asks for; 0 for none.
    package let retryAfter: Int
    /// The least seconds to wait where the provider asks for none; 0 for no such limit.
    package let leastWait: Int
    /// Pushes that were sent, answered or not.
    package let attempts: Int
    /// The answers among them whose time the client waited for, to send the push again.
    package let waits: Int
    /// The pushes before the last one, oldest first; with it, where that one was put back and not sent again.
    package let history: [AttemptRecord]

    package init(
        _ kind: Kind,
        _ disposition: Disposition,
        statusCode: Int? = nil,
        reason: String?,
        detail: String? = nil,
        providerID: String? = nil,
        invalidSince: Int64? = nil,
        latency: UInt64? = nil,
        duration: UInt64 = 0,
        retryAfter: Int = 0,
        leastWait: Int = 0,
        attempts: Int,
        waits: Int = 0,
        history: [AttemptRecord]
    ) {
        self.kind = kind
        self.disposition = disposition
        self.statusCode = statusCode
        self.reason = reason
        self.detail = detail
        self.providerID = providerID
        self.invalidSince = invalidSince
        self.latency = latency
        self.duration = duration
        self.retryAfter = retryAfter
        self.leastWait = leastWait
        self.attempts = attempts
        self.waits = waits
        self.history = history
    }
}
