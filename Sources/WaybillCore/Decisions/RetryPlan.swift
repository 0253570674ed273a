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
    /// After each of its own attempts it waits one step longer; a time that the provider asks for is the wait, whatever the
    /// pass. What was not sent, or refused for a fault of the lane, waits as the messages of a parked lane do, and uses up
    /// nothing. No wait ends past the deadline; near it a shorter step is taken if the class allows it.
    ///
    /// - Parameters:
    ///   - retryClass: why it has to wait.
    ///   - pass: the pass that has just ended, 1 for the first.
    ///   - now: milliseconds since 1970.
    ///   - firstSeen: when a dispatcher first saw the message, in milliseconds since 1970.
    ///   - deadline: from when on it is too late, ``retriesEnd(firstSeen:)`` included if the notification was sent.
    ///   - retryAfter: the seconds that the provider asked for, 0 for none; beyond the longest step that one has to do. For
    ///     what was not sent, the rest of the silence that its lane was asked for.
    ///   - leastWait: the least seconds to wait, where the provider asked for none.
    /// - Returns: a step of the policy, or why there is none.
    package func plan(
        _ retryClass: RetryClass,
        pass: Int,
        now: Int64,
        firstSeen: Int64,
        deadline: Deadline,
        retryAfter: Int = 0,
        leastWait: Int = 0
    ) -> RetryPlan {
        let counts = retryClass.countsAttempts
        if counts, pass >= maxAttempts { return .giveUp(.attemptsUsedUp) }
        let first: Int
        let wanted: Int
        switch retryClass {
        case _ where counts && retryAfter > 0:
            first = step(covering: .seconds(retryAfter))
            wanted = first
        case _ where counts:
            first = step(covering: max(retryClass.shortestDelay, .seconds(leastWait)))
            wanted = min(first + max(0, pass - 1), steps.count - 1)
        case .notSent:
            first = 0
            wanted = parkedStep(
                firstSeen: firstSeen,
                now: now,
                silence: retryAfter > 0 ? .seconds(retryAfter) : nil
            )
        default:
            first = step(covering: max(retryClass.shortestDelay, .seconds(max(retryAfter, leastWait))))
            wanted = max(first, parkedStep(firstSeen: firstSeen, now: now))
        }
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

    /// The shortest step that lasts for a time; the longest step where none does.
    private func step(covering time: Duration) -> Int { step(covering: time.wholeMilliseconds) }

    /// The step on which a message of a parked lane waits: short at first, then longer, and never so long that an
    /// operator's repair would go unnoticed for more than a quarter of an hour.
    ///
    /// - Parameters:
    ///   - firstSeen: when a dispatcher first saw the message, in milliseconds since 1970.
    ///   - now: milliseconds since 1970.
    ///   - silence: how long the lane is parked because the provider asked for it: no wait needs to be longer.
    /// - Returns: a position in the policy's steps.
    package func parkedStep(firstSeen: Int64, now: Int64, silence: Duration? = nil) -> Int {
        let patience = min(max((now - firstSeen) / 2, 30_000), 900_000)
        let usual = steps.lastIndex { $0.milliseconds <= patience } ?? 0
        return silence.map { min(usual, step(covering: $0)) } ?? usual
    }
}

extension Duration {
    var wholeMilliseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds * 1000 + attoseconds / 1_000_000_000_000_000
    }
}
