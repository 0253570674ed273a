package import WaybillPushTransport

/// How one request ended: exactly one for each.
package struct FCMOutcome: Sendable {
    /// Whoever handed the request over.
    package let owner: any PushRequestOwner
    /// The request's own number, ``FCMRequest/index``.
    package let index: Int
    package let result: FCMResult
    /// From the request's frame to the answer, in nanoseconds; 0 when it was never sent.
    package let latency: UInt64
    /// How often the request was put on a stream, 0 when never.
    package let attempts: Int
    /// The attempts before the last one, oldest first; empty in the common case.
    package let history: [PushAttempt]

    package init(
        owner: any PushRequestOwner,
        index: Int,
        result: FCMResult,
        latency: UInt64 = 0,
        attempts: Int = 0,
        history: [PushAttempt] = []
    ) {
        self.owner = owner
        self.index = index
        self.result = result
        self.latency = latency
        self.attempts = attempts
        self.history = history
    }
}

/// The end of one request: an answer, or the reason why there is none.
package enum FCMResult: Sendable {
    case answered(FCMAnswer)
    case failed(PushFailure)
}

/// What FCM answered.
package struct FCMAnswer: Sendable {
    /// The HTTP status.
    package let status: Int
    package let body: FCMAnswerBody
    /// What the answer itself asks for; ``wait`` is what is to be kept.
    package let retryAfter: Duration?
    /// When the request went out, in milliseconds since 1970: a token that FCM calls dead was dead by then, for it says no
    /// time of its own.
    package let sentAt: Int64

    package init(status: Int, body: FCMAnswerBody = FCMAnswerBody(), retryAfter: Duration? = nil, sentAt: Int64 = 0) {
        self.status = status
        self.body = body
        self.retryAfter = retryAfter
        self.sentAt = sentAt
    }

    /// What it means.
    package var meaning: FCMMeaning { FCMMeaning(status: status, body: body) }

    /// FCM's own word: of several the one that says most; `nil` where the answer has none.
    package var word: String? { body.errorCode ?? body.errorInfo ?? body.status }

    /// How long to wait before it is sent again.
    package var wait: Duration { FCMMeaning.wait(status: status, asked: retryAfter) }

    /// Whether the answer itself asks for ``wait``.
    package var asksToWait: Bool { retryAfter.map { $0 > .zero } ?? false }
}

extension FCMOutcome {
    /// The end as the client's callers get it.
    var response: Result<FCMResponse, FCMError> {
        switch result {
        case .answered(let answer):
            .success(
                FCMResponse(
                    status: answer.status,
                    body: answer.body,
                    retryAfter: answer.retryAfter,
                    latency: .nanoseconds(Int64(clamping: latency)),
                    attempts: attempts
                )
            )
        case .failed(let failure): .failure(FCMError(failure, attempts: attempts))
        }
    }
}
