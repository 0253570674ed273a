import Testing
import WaybillCore

struct DeadlineTests {
    /// Expiration, greatest age in seconds, the last resort in milliseconds; the message is from second 1,000.
    @Test(
        arguments: [
            (.immediate, nil, nil, .max, .expiration), (.absent, nil, nil, .max, .expiration),
            (.at(5_000), nil, nil, 5_000, .expiration), (.immediate, 60, nil, 1_060, .maxAge),
            (.at(1_050), 60, nil, 1_050, .expiration), (.at(1_070), 60, nil, 1_060, .maxAge),
            (.at(1_060), 60, nil, 1_060, .expiration), (.absent, 60, nil, 1_060, .maxAge),
            (.immediate, nil, 9_000_999, 9_000, .maxAge), (.at(8_000), nil, 9_000_000, 8_000, .expiration),
            (.immediate, 60, 9_000_000, 1_060, .maxAge), (.immediate, 31_536_000, 9_000_000, 9_000, .maxAge),
        ] as [(Expiration, Int?, Int64?, Int64, Deadline.Cause)]
    )
    func theFirstLimitCounts(
        expiration: Expiration,
        maxAge: Int?,
        retriesEnd: Int64?,
        seconds: Int64,
        cause: Deadline.Cause
    ) {
        let deadline = Deadline(
            expiration: expiration,
            maxAge: maxAge,
            messageTime: 1_000_999,
            retriesEnd: retriesEnd
        )
        #expect(deadline.seconds == seconds)
        #expect(deadline.cause == cause)
        #expect(!deadline.hasPassed(at: seconds - 1))
        #expect(deadline.hasPassed(at: seconds))
        if seconds < .max {
            #expect(deadline.allows(seconds * 1000 - 1))
            #expect(!deadline.allows(seconds * 1000))
        }
    }
}
