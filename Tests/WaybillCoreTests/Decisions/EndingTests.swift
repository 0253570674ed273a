import Testing
import WaybillCore

/// What is recorded of a notification that is not tried again.
struct EndingTests {
    private static func answered(_ status: Int, _ reason: String?) -> AttemptRecord {
        AttemptRecord(date: 1, status: status, reason: reason)
    }

    private static func lost(_ reason: String) -> AttemptRecord {
        AttemptRecord(date: 1, status: nil, reason: reason)
    }

    private static let unavailable = answered(503, "ServiceUnavailable")
    private static let throttled = answered(429, "TooManyRequests")
    private static let timeout = lost("timeout")
    private static let reset = lost("reset_2")
    private static let refused = lost("refused_stream")
    private static let goaway = lost("goaway")

    @Test(
        arguments: [
            // The last answer, whatever passes that sent nothing came after it.
            (.attemptsUsedUp, [unavailable, unavailable], .rejected, 503, "ServiceUnavailable"),
            (.attemptsUsedUp, [unavailable, throttled], .rejected, 429, "TooManyRequests"),
            (.attemptsUsedUp, [answered(500, nil)], .rejected, 500, nil),
            (.attemptsUsedUp, [unavailable, refused], .rejected, 503, "ServiceUnavailable"),
            (.attemptsUsedUp, [goaway, unavailable], .rejected, 503, "ServiceUnavailable"),
            // A push without an answer may have arrived.
            (.attemptsUsedUp, [timeout], .unknown, nil, "timeout"),
            (.attemptsUsedUp, [timeout, unavailable], .unknown, nil, "timeout"),
            (.attemptsUsedUp, [unavailable, timeout, reset], .unknown, nil, "reset_2"),
            (.tooLate(.expiration), [timeout, unavailable], .unknown, nil, "timeout"),
            (.tooLate(.maxAge), [unavailable, timeout], .unknown, nil, "timeout"),
            // Too late, and nothing else.
            (.tooLate(.expiration), [], .expired, nil, "expiration"),
            (.tooLate(.maxAge), [], .expired, nil, "max_age"),
            (.tooLate(.expiration), [unavailable], .expired, nil, "expiration"),
            (.tooLate(.maxAge), [unavailable, throttled], .expired, nil, "max_age"),
            (.tooLate(.maxAge), [refused, goaway], .expired, nil, "max_age"),
            // Cancelled: what may have arrived is not said to be so.
            (.cancelled(by: "anna@host"), [], .cancelled, nil, "by anna@host"),
            (.cancelled(by: "anna@host"), [unavailable], .cancelled, nil, "by anna@host"),
            (.cancelled(by: "anna@host"), [timeout, unavailable], .unknown, nil, "timeout"),
            // Not to be met: whoever counts attempts has sent them.
            (.attemptsUsedUp, [], .unknown, nil, "no answer"),
            (.attemptsUsedUp, [refused], .unknown, nil, "refused_stream"),
        ] as [(Ending.Cause, [AttemptRecord], Outcome, Int?, String?)]
    )
    func theEndOfTheRoad(
        cause: Ending.Cause,
        attempts: [AttemptRecord],
        outcome: Outcome,
        status: Int?,
        reason: String?
    ) {
        let ending = Ending(cause, attempts: attempts)
        #expect(ending.outcome == outcome)
        #expect(ending.statusCode == status)
        #expect(ending.reason == reason)
    }
}
