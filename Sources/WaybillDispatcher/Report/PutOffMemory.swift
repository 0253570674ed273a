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

    private struct Counts {
        let answered: Int
        let accepted: Int
        let putOff: PutOffAnswers
    }

    /// How far it looks back.
    static let period = Duration.seconds(5)
    /// Fewer answers show nothing.
    static let fewest = 10
    /// For so long without any answer: longer than the usual wait before the fourth attempt.
    static let keeping = Duration.seconds(180)

    private var window = SampleWindow<Counts>(Self.period)
    private var told: (recent: Recent, time: MonotonicTime)?

    /// - Parameters:
    ///   - answered: answers since the start.
    ///   - accepted: those of them with which a push was taken.
    ///   - putOff: those that put one off.
    ///   - now: this moment.
    /// - Returns: how the last answers were; `nil` while the push service takes pushes, or too little is known.
    mutating func take(answered: Int, accepted: Int, putOff: PutOffAnswers, now: MonotonicTime) -> Recent? {
        let recent = look(Counts(answered: answered, accepted: accepted, putOff: putOff), now: now)
        if recent.isTaking {
            told = nil
        } else if recent.putOff * 2 > recent.answers, recent.answers >= Self.fewest || told != nil {
            told = (recent, now)
        } else if let last = told, now.duration(since: last.time) > Self.keeping {
            told = nil
        }
        return told?.recent
    }

    private mutating func look(_ counts: Counts, now: MonotonicTime) -> Recent {
        let begin = window.begin(before: counts, now: now)
        let words = counts.putOff.since(begin.putOff)
        return Recent(
            answers: counts.answered - begin.answered,
            accepted: counts.accepted - begin.accepted,
            putOff: words.reduce(0) { $0 + $1.count },
            words: words
        )
    }
}
