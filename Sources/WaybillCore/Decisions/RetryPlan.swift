package import WaybillAPNS

/// The answer to "when again?".
package enum RetryPlan: Hashable, Sendable {
    /// Over the delay queue of this position in the policy's steps.
    case delay(step: Int)
    /// Never: the outcome to record, and why.
    case giveUp(Outcome, reason: String)
}

extension RetryPolicy {
    /// When a notification is tried again.
    ///
    /// Each pass waits one step longer. A wait never ends past the notification's expiration or the greatest age; near the
    /// expiration a shorter step is taken if the class allows it.
    ///
    /// - Parameters:
    ///   - retryClass: why it has to wait.
    ///   - pass: the pass that has just ended, 1 for the first.
    ///   - now: milliseconds since 1970.
    ///   - firstSeen: when a dispatcher first saw the message, in milliseconds since 1970.
    ///   - expiration: the notification's own limit.
    /// - Returns: a step of the policy, or the outcome to record.
    package func plan(
        _ retryClass: RetryClass,
        pass: Int,
        now: Int64,
        firstSeen: Int64,
        expiration: APNSExpiration
    ) -> RetryPlan {
        func giveUp(_ reason: String) -> RetryPlan { .giveUp(retryClass.lastOutcome, reason: reason) }
        if retryClass.countsAttempts, pass >= maxAttempts { return giveUp("gave up after \(pass) attempts") }

        let ageLimit = retryClass.countsAttempts ? firstSeen + maxAge.wholeMilliseconds : .max
        var timeLimit = Int64.max
        if case .at(let seconds) = expiration, seconds <= .max / 1000 { timeLimit = seconds * 1000 }

        let first = firstStep(notBelow: retryClass.shortestDelay)
        let wanted = min(first + max(0, pass - 1), steps.count - 1)
        for step in stride(from: wanted, through: first, by: -1) {
            if now + steps[step].milliseconds < min(ageLimit, timeLimit) { return .delay(step: step) }
        }
        return giveUp(
            ageLimit < timeLimit
                ? "gave up at the greatest age" : "expiration leaves no time for another attempt"
        )
    }

    /// The step on which a message of a parked lane waits: short at first, then longer, and never so long that an
    /// operator's repair would go unnoticed for more than a quarter of an hour.
    ///
    /// - Parameters:
    ///   - firstSeen: when a dispatcher first saw the message, in milliseconds since 1970.
    ///   - now: milliseconds since 1970.
    /// - Returns: a position in the policy's steps.
    package func parkedStep(firstSeen: Int64, now: Int64) -> Int {
        let patience = min(max((now - firstSeen) / 2, 30_000), 900_000)
        return steps.lastIndex { $0.milliseconds <= patience } ?? 0
    }

    private func firstStep(notBelow delay: Duration) -> Int {
        steps.firstIndex { $0.duration >= delay } ?? steps.count - 1
    }
}

extension Duration {
    var wholeMilliseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds * 1000 + attoseconds / 1_000_000_000_000_000
    }
}
