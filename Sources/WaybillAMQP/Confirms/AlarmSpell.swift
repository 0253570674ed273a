/// Notices that an alarm of the broker keeps from publishing, and that it is over: each once, however often the connection is
/// lost meanwhile.
///
/// Pure: the time is given.
package struct AlarmSpell {
    package enum Change: Hashable, Sendable {
        /// In words, for a person.
        case began(String)
        case ended(after: Duration)
    }

    private var since: ContinuousClock.Instant?

    package init() {}

    /// Takes note of what is known of the broker.
    ///
    /// - Parameters:
    ///   - finding: what a publisher has found.
    ///   - now: this moment.
    /// - Returns: what is news.
    package mutating func note(_ finding: ProbedPublisher.Finding, now: ContinuousClock.Instant = .now) -> Change? {
        switch (finding, since) {
        case (.blocked(let words), nil):
            since = now
            return .began(words)
        case (.takes, let begin?):
            since = nil
            return .ended(after: now - begin)
        case (.unknown, _), (.blocked, _), (.takes, nil): return nil
        }
    }
}
