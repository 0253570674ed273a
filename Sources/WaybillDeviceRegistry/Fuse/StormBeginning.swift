import WaybillCore

/// Where in a run of minutes over the limit the storm begins: pure.
///
/// A run is as long as its share stays over the limit, so that a storm drags the minutes before it along, with the tokens that
/// died in them as on any other day. Those are cut off, and no more than those: what may be the storm's is left in. A minute is the
/// finest that is known, so the one before the first that is out of the ordinary is left in, too: the storm may have begun in it.
struct StormBeginning {
    private let run: [FuseRule.Minute]
    private let limit: Double
    private let policy: FusePolicy
    /// The share that nobody would look at: what is usual, or a fifth of what the limit is.
    ///
    /// Where almost everything was called right, what is usual says nothing of a storm.
    private let ordinaryShare: Double

    /// - Parameters:
    ///   - run: the whole of it, in order, each minute with answers.
    ///   - limit: the part of the answers that it has passed.
    ///   - usual: the part that is usual; `nil` if there is too little to tell.
    ///   - policy: the settings.
    init(_ run: [FuseRule.Minute], limit: Double, usual: Double?, _ policy: FusePolicy) {
        self.run = run
        self.limit = limit
        self.policy = policy
        let usual = usual ?? 0
        ordinaryShare = max(usual < limit ? usual : 0, limit / 5)
    }

    /// The first minute that is not cut off, in whole minutes since 1970; `nil` if none is.
    ///
    /// What is left is over the limit, and has as many invalid answers as the policy asks for.
    var start: Int64? {
        for length in stride(from: ordinaryLength - 1, to: 0, by: -1) {
            let answers = run[length...].reduce(0) { $0 + $1.answers }
            let invalid = run[length...].reduce(0) { $0 + $1.invalid }
            if invalid >= policy.count, Double(invalid) > limit * Double(answers) { return run[length].number }
        }
        return nil
    }

    /// How many minutes at the beginning are ordinary: all before the first stretch that has more than the ordinary share, but for
    /// a single token, and after that token so many that no stretch up to the last of them has.
    ///
    /// The share of all of them alone would not do: many quiet minutes hide a bad one before them or behind them.
    private var ordinaryLength: Int {
        var ordinary = 0
        for end in run.indices {
            var (answers, invalid) = (0.0, 0.0)
            var isOrdinary = true
            for start in (0...end).reversed() {
                answers += Double(run[start].answers)
                invalid += Double(run[start].invalid)
                if invalid > max(1, ordinaryShare * answers) { return min(ordinary, start) }
                if invalid > ordinaryShare * answers { isOrdinary = false }
            }
            if isOrdinary { ordinary = end + 1 }
        }
        return ordinary
    }
}
