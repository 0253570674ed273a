/// The answer to "when again?".
package enum RetryPlan: Hashable, Sendable {
    /// Over the delay queue of this position in the policy's steps, as this pass.
    case delay(step: Int, pass: Int)
    /// Never; ``Ending`` says what is recorded.
    case giveUp(Ending.Cause)
}

extension RetryPolicy {
    /// When a notification is tried again.
    ///
    /// After each of its own attempts it waits one step longer. What was not sent, or refused for a fault of the lane, waits
    /// as the messages of a parked lane do, and uses up nothing. No wait ends past the deadline; near it a shorter step is
    /// taken if the class allows it.
    ///
    /// - Parameters:
    ///   - retryClass: why it has to wait.
    ///   - pass: the pass that has just ended, 1 for the first.
    ///   - now: milliseconds since 1970.
    ///   - firstSeen: when a dispatcher first saw the message, in milliseconds since 1970.
    ///   - deadline: from when on it is too late, ``retriesEnd(firstSeen:)`` included if the notification was sent.
    ///   - retryAfter: the seconds that the provider asked for, 0 for none; beyond the longest step that one has to do.
    /// - Returns: a step of the policy, or why there is none.
    package func plan(
        _ retryClass: RetryClass,
        pass: Int,
        now: Int64,
        firstSeen: Int64,
        deadline: Deadline,
        retryAfter: Int = 0
    ) -> RetryPlan {
        let counts = retryClass.countsAttempts
        if counts, pass >= maxAttempts { return .giveUp(.attemptsUsedUp) }
        let first = firstStep(notBelow: max(retryClass.shortestDelay, .seconds(retryAfter)))
        let wanted =
            counts
            ? min(first + max(0, pass - 1), steps.count - 1) : max(first, parkedStep(firstSeen: firstSeen, now: now))
        for step in stride(from: wanted, through: first, by: -1)
        where deadline.allows(now + steps[step].milliseconds) {
            return .delay(step: step, pass: counts ? pass + 1 : pass)
        }
        return .giveUp(.tooLate(deadline.cause))
    }

    /// When retries end in any case, in milliseconds since 1970: for what was sent at least once.
    package func retriesEnd(firstSeen: Int64) -> Int64 {
        firstSeen + maxAge.wholeMilliseconds
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
