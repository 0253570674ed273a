import WaybillThreads

/// How a connection answers: the only sign of life that counts while requests are open.
///
/// A peer behind which the service hangs goes on to answer PINGs and to open windows.
struct AnsweringRecord: Hashable {
    /// When the last answer came.
    private(set) var lastAnswer = MonotonicTime(nanoseconds: 0)
    /// When the request went out that went out last of all that were answered.
    private(set) var newestAnswered = MonotonicTime(nanoseconds: 0)

    /// How much later than a connection's first open request another connection's must have gone out, and been answered,
    /// for the first one to count as slow.
    static let lead = Duration.seconds(1)

    mutating func answered(submittedAt: MonotonicTime, at now: MonotonicTime) {
        lastAnswer = now
        if submittedAt > newestAnswered { newestAnswered = submittedAt }
    }

    /// Whether nothing was answered since a request went out.
    func isSilent(since submittedAt: MonotonicTime) -> Bool { lastAnswer < submittedAt }

    /// Since when the connection owes an answer, given when its oldest open request went out.
    func owesSince(_ oldestOpen: MonotonicTime) -> MonotonicTime { max(lastAnswer, oldestOpen) }

    /// Whether this connection has answered a request that went out well after another one began to owe.
    ///
    /// Of two connections at most one outpaces the other, and of several there is always one that none outpaces: what a
    /// connection has answered went out before it began to owe.
    func outpaces(owingSince other: MonotonicTime) -> Bool { newestAnswered >= other.advanced(by: Self.lead) }
}
