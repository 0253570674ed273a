import WaybillThreads

/// How many of a lane's last outcomes were dead tokens, and whose.
struct DeadTokenShare {
    /// What there was lately.
    struct Recent {
        let dead: Int
        let ended: Int
        /// The most first.
        let sources: [(source: DeadTokenSource, count: Int)]
    }

    private struct Counts {
        let dead: Int
        let ended: Int
        let sources: DeadTokenSources
    }

    /// How far it looks back.
    static let period = Duration.seconds(10)

    private var window = SampleWindow<Counts>(Self.period)

    /// - Parameters:
    ///   - dead: outcomes since the start that say that a token is dead.
    ///   - ended: all final outcomes since the start.
    ///   - sources: whose the dead ones were.
    ///   - now: this moment.
    /// - Returns: how many of each there were in the last ``period``.
    mutating func take(
        dead: Int,
        ended: Int,
        sources: DeadTokenSources = DeadTokenSources(),
        now: MonotonicTime
    ) -> Recent {
        let begin = window.begin(before: Counts(dead: dead, ended: ended, sources: sources), now: now)
        return Recent(dead: dead - begin.dead, ended: ended - begin.ended, sources: sources.since(begin.sources))
    }
}
