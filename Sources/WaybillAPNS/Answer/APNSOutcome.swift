package import WaybillPushTransport

/// What APNs answered to one request.
package struct APNSAnswer: Hashable, Sendable {
    /// The HTTP status.
    package let status: Int
    /// APNs' reason, unchanged; `nil` with 200, or when the body held none.
    package let reason: APNSReason?
    /// The 410 `timestamp`: milliseconds since 1970, the last time APNs knew the token to be invalid.
    package let timestamp: Int64?
    /// Whole seconds; kept small, because every outcome carries an answer.
    private let retrySeconds: UInt16

    private static let noRetry = UInt16.max

    /// How long the server asks to wait before the next request, by its `retry-after`: whole seconds, 0 to 1 hour.
    ///
    /// `nil` when it asks for nothing, or with 200. With 429 and the reason TooManyRequests it is about the device token
    /// alone, otherwise about everything that goes the same way.
    package var retryAfter: Duration? { retrySeconds == Self.noRetry ? nil : .seconds(retrySeconds) }

    /// Creates an answer.
    ///
    /// - Parameters:
    ///   - status: the HTTP status.
    ///   - reason: APNs' reason.
    ///   - timestamp: milliseconds since 1970.
    ///   - retryAfter: how long to wait; rounded up to whole seconds, and bounded to 0 to 1 hour.
    package init(
        status: Int,
        reason: APNSReason? = nil,
        timestamp: Int64? = nil,
        retryAfter: Duration? = nil
    ) {
        self.status = status
        self.reason = reason
        self.timestamp = timestamp
        retrySeconds = retryAfter.map(Self.wholeSeconds) ?? Self.noRetry
    }

    private static func wholeSeconds(_ duration: Duration) -> UInt16 {
        let (seconds, attoseconds) = min(max(duration, .zero), RetryAfter.longest).components
        return UInt16(seconds) + (attoseconds > 0 ? 1 : 0)
    }
}

/// The end of one request: an answer, or the reason why there is none.
package enum APNSResult: Hashable, Sendable {
    /// APNs answered.
    case answered(APNSAnswer)
    /// There is no answer.
    case failed(PushFailure)
}

/// What became of one request of a batch.
package struct APNSOutcome: Sendable {
    /// The batch's owner.
    package let owner: any PushRequestOwner
    /// The request's number within the batch.
    package let index: Int
    /// How the last attempt ended.
    package let result: APNSResult
    /// From the request's frame to the answer, in nanoseconds; 0 when it was never sent.
    package let latency: UInt64
    /// How often the request was put on a stream, 0 when never.
    package let attempts: Int
    /// The attempts before the last one, oldest first; empty in the common case.
    package let history: [APNSAttempt]
    /// What the answer holds besides status and reason; `nil` in the common case.
    package let details: APNSAnswerDetails?

    /// Creates an outcome.
    package init(
        owner: any PushRequestOwner,
        index: Int,
        result: APNSResult,
        latency: UInt64,
        attempts: Int,
        history: [APNSAttempt] = [],
        details: APNSAnswerDetails? = nil
    ) {
        self.owner = owner
        self.index = index
        self.result = result
        self.latency = latency
        self.attempts = attempts
        self.history = history
        self.details = details
    }
}
