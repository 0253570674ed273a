import WaybillThreads

/// Whether a lane's push service answers, and takes next to nothing.
///
/// Told of until it takes pushes again: what was put off comes back after minutes, and no answer until then is no good sign.
struct PutOffMemory {
    /// How the last answers were.
    struct Recent {
        let answers: Int
        let accepted: Int
        let putOff: Int
        /// What was said, the most first.
        let words: [(answer: PutOffAnswer, count: Int)]

        /// Whether so many are taken that the push service works.
        fileprivate var isTaking: Bool { accepted > 0 && accepted * 20 >= answers }
    }

    private struct Sample {
        let time: MonotonicTime
        let answered: Int
        let accepted: Int
        let putOff: PutOffAnswers
    }

    /// How far it looks back, and how far apart its samples are at the least.
    static let period = Duration.seconds(10)
    private static let interval = Duration.seconds(1)
    /// Fewer answers show nothing.
    static let fewest = 20
    /// For so long without any answer: longer than the usual wait before the fourth attempt.
    static let keeping = Duration.seconds(180)

    private var samples: [Sample] = []
    private var told: (recent: Recent, time: MonotonicTime)?

    /// - Parameters:
    ///   - answered: answers since the start.
    ///   - accepted: those of them with which a push was taken.
    ///   - putOff: those that put one off.
    ///   - now: this moment.
    /// - Returns: how the last answers were; `nil` while the push service takes pushes, or too little is known.
    mutating func take(answered: Int, accepted: Int, putOff: PutOffAnswers, now: MonotonicTime) -> Recent? {
        let recent = look(answered: answered, accepted: accepted, putOff: putOff, now: now)
        if recent.isTaking {
            told = nil
        } else if recent.putOff * 2 > recent.answers, recent.answers >= Self.fewest || told != nil {
            told = (recent, now)
        } else if let last = told, now.duration(since: last.time) > Self.keeping {
            told = nil
        }
        return told?.recent
    }

    private mutating func look(answered: Int, accepted: Int, putOff: PutOffAnswers, now: MonotonicTime) -> Recent {
        if samples.last.map({ $0.time.advanced(by: Self.interval) <= now }) ?? true {
            samples.append(Sample(time: now, answered: answered, accepted: accepted, putOff: putOff))
        }
        // The last one that is old enough is where the period begins.
        samples.removeFirst(samples.lastIndex { $0.time.advanced(by: Self.period) <= now } ?? 0)
        let words = putOff.since(samples[0].putOff)
        return Recent(
            answers: answered - samples[0].answered,
            accepted: accepted - samples[0].accepted,
            putOff: words.reduce(0) { $0 + $1.count },
            words: words
        )
    }
}
