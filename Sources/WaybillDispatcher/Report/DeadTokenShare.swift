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

    private struct Sample {
        let time: MonotonicTime
        let dead: Int
        let ended: Int
        let sources: DeadTokenSources
    }

    /// How far it looks back, and how far apart its samples are at the least.
    static let period = Duration.seconds(10)
    private static let interval = Duration.seconds(1)

    private var samples: [Sample] = []

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
        if samples.last.map({ $0.time.advanced(by: Self.interval) <= now }) ?? true {
            samples.append(Sample(time: now, dead: dead, ended: ended, sources: sources))
        }
        // The last one that is old enough is where the period begins.
        let first = samples.lastIndex { $0.time.advanced(by: Self.period) <= now } ?? 0
        samples.removeFirst(first)
        return Recent(
            dead: dead - samples[0].dead,
            ended: ended - samples[0].ended,
            sources: sources.since(samples[0].sources)
        )
    }
}
