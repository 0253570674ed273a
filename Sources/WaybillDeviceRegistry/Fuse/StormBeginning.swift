import WaybillCore

/// Where in a run of minutes over the limit the storm begins: pure.
///
/// A run is as long as its share stays over the limit, so that a storm drags the minutes before it along, with the tokens that
/// died in them as on any other day. Those are cut off, and no more than those: what may be the storm's is left in. A minute is the
/// finest that is known, so the one before the first that is out of the ordinary is left in, too: the storm may have begun in it.
struct StormBeginning {
    private let finding: FuseRule.Finding
    private let policy: FusePolicy

    /// - Parameters:
    ///   - finding: the whole run.
    ///   - policy: the settings.
    init(_ finding: FuseRule.Finding, _ policy: FusePolicy) {
        self.finding = finding
        self.policy = policy
    }

    /// The share that nobody would look at: what is usual, or a fifth of what the limit is.
    private var ordinaryShare: Double { max(finding.usual ?? 0, finding.limit / 5) }

    /// The run without its ordinary minutes.
    ///
    /// - Parameter minutes: all that are known.
    /// - Returns: a run over the limit, with as many invalid answers as the policy asks for.
    func cut(_ minutes: [FuseRule.Minute]) -> FuseRule.Finding {
        let run = minutes.filter { finding.minutes.contains($0.number) && $0.answers > 0 }.sorted {
            $0.number < $1.number
        }
        var cut = finding
        for length in stride(from: ordinaryLength(of: run) - 1, to: 0, by: -1) {
            let rest = run[length...]
            cut.answers = rest.reduce(0) { $0 + $1.answers }
            cut.invalid = rest.reduce(0) { $0 + $1.invalid }
            cut.minutes = run[length].number...finding.minutes.upperBound
            if cut.invalid >= policy.count, cut.share > finding.limit { return cut }
        }
        return finding
    }

    /// How many minutes at the beginning are ordinary: no stretch that ends with the last of them has more than the ordinary share,
    /// and none among them more than the limit, but for a single token.
    ///
    /// The share of all of them alone would not do: many quiet minutes hide a bad one behind them.
    private func ordinaryLength(of run: [FuseRule.Minute]) -> Int {
        var ordinary = 0
        for end in run.indices {
            var (answers, invalid) = (0.0, 0.0)
            var isOrdinary = true
            for minute in run[...end].reversed() {
                answers += Double(minute.answers)
                invalid += Double(minute.invalid)
                if invalid > max(1, finding.limit * answers) { return ordinary }
                if invalid > ordinaryShare * answers { isOrdinary = false }
            }
            if isOrdinary { ordinary = end + 1 }
        }
        return ordinary
    }
}
