/// What a service answered to one request, as far as every service has it.
package struct PushAnswer: Hashable, Sendable {
    /// The HTTP status.
    package var status: Int
    /// The service's own word for why it refused, unchanged.
    package var reason: String?
    /// Since when the target is known to be gone, in milliseconds since 1970.
    package var goneSince: Int64?
    /// How long the service asks to wait before the next request.
    package var retryAfter: Duration?

    package init(status: Int, reason: String? = nil, goneSince: Int64? = nil, retryAfter: Duration? = nil) {
        self.status = status
        self.reason = reason
        self.goneSince = goneSince
        self.retryAfter = retryAfter
    }
}

/// An answer as it came: what was kept of it.
package struct RawAnswer {
    package let status: Int
    /// The body, as far as it is kept.
    package let body: [UInt8]
    /// The headers that are kept; `nil` without any.
    package let headers: AnswerHeaders?

    package init(status: Int, body: [UInt8], headers: AnswerHeaders?) {
        self.status = status
        self.body = body
        self.headers = headers
    }
}

/// What a service makes of an answer.
package struct ReadAnswer: Hashable {
    package var answer: PushAnswer
    package var verdict: AnswerVerdict
    /// Whether the answer shows that the connection's credentials are good.
    package var provesCredentials: Bool

    package init(_ answer: PushAnswer, _ verdict: AnswerVerdict, provesCredentials: Bool) {
        self.answer = answer
        self.verdict = verdict
        self.provesCredentials = provesCredentials
    }
}

/// What an answer means for the lane while it runs; what it means for the request is its sender's business.
package enum AnswerVerdict: Hashable, Sendable {
    /// Nothing: the request is over.
    case final
    /// The connection is at fault: again at once, on another one.
    case reconnect
    /// The lane's credentials are refused: again only if they were replaced meanwhile.
    case credentialsRefused
    /// The token that the request carried is refused, and the connection with it: again if there is hope of another.
    case tokenRefused(TokenRefusal)
    /// The token that the request carried is refused, and the connection is as good as before: again with another token.
    case tokenOutdated
    /// The request is over, and no other may go for so long, if the lane keeps a pace.
    case throttled(Duration)
    /// The same request may go again after this time, and the lane goes on: a short wait stays in memory.
    case later(Duration)
}

/// The end of one request: an answer, or the reason why there is none.
package enum PushResult: Hashable, Sendable {
    case answered(PushAnswer)
    case failed(PushFailure)
}

/// One earlier attempt of a request that took several.
package struct PushAttempt: Hashable, Sendable {
    /// When it ended, in milliseconds since 1970.
    package let date: Int64
    /// How it ended.
    package let result: PushResult
    /// From the request's frame to that end, in nanoseconds; 0 where it is not known.
    package let latency: UInt64

    package init(date: Int64, result: PushResult, latency: UInt64 = 0) {
        self.date = date
        self.result = result
        self.latency = latency
    }
}

/// How one request ended.
package struct RequestEnd {
    /// How the last attempt ended.
    package let result: PushResult
    /// From the request's frame to the answer, in nanoseconds; 0 when it was never sent.
    package let latency: UInt64
    /// How often the request was put on a stream, 0 when never.
    package let attempts: Int
    /// The attempts before the last one, oldest first; empty in the common case.
    package let history: [PushAttempt]
    /// The answer's body, as far as it is kept.
    package let body: [UInt8]
    /// The answer's headers that are kept; `nil` in the common case.
    package let headers: AnswerHeaders?

    package init(
        result: PushResult,
        latency: UInt64,
        attempts: Int,
        history: [PushAttempt],
        body: [UInt8],
        headers: AnswerHeaders?
    ) {
        self.result = result
        self.latency = latency
        self.attempts = attempts
        self.history = history
        self.body = body
        self.headers = headers
    }
}
