import WaybillCore

/// The runs of minutes over the limit, and what follows from all of them: pure.
struct StormRuns {
    /// In order, each with answers.
    private let minutes: [FuseRule.Minute]
    private let limit: Double
    private let policy: FusePolicy
    /// For each minute in which one ends, the longest: it begins with a minute in which a token died.
    private let runs: [ClosedRange<Int64>]

    /// - Parameters:
    ///   - minutes: in any order; one that is missing had no answers.
    ///   - ends: the minutes from which it is looked back.
    ///   - armed: the first minute that counts.
    ///   - limit: the part of the answers that has to be passed.
    ///   - policy: the settings.
    init(_ minutes: [FuseRule.Minute], ends: Set<Int64>, armed: Int64, limit: Double, _ policy: FusePolicy) {
        let byNumber = Dictionary(minutes.map { ($0.number, $0) }) { one, _ in one }
        var firsts: [Int64: Int64] = [:]
        for end in ends where end >= armed {
            let first = max(armed, end - policy.minutes + 1)
            for last in first...end where byNumber[last] != nil {
                firsts[last] = min(first, firsts[last] ?? first)
            }
        }
        self.minutes = byNumber.values.filter { $0.answers > 0 }.sorted { $0.number < $1.number }
        self.limit = limit
        self.policy = policy
        runs = firsts.compactMap { last, first in
            var (answers, invalid) = (0, 0)
            var longest: ClosedRange<Int64>?
            for start in stride(from: last, through: first, by: -1) {
                guard let minute = byNumber[start] else { continue }
                answers += minute.answers
                invalid += minute.invalid
                guard invalid >= policy.count, Double(invalid) > limit * Double(answers) else { continue }
                if minute.invalid > 0 { longest = start...last }
            }
            return longest
        }
    }

    /// What is found.
    ///
    /// - Parameters:
    ///   - usual: the part of the answers that is usual; `nil` if there is too little to tell.
    ///   - isExact: whether it can be told where a storm began; otherwise all of the first run is taken for it.
    /// - Returns: why the fuse blows; `nil` if no run is over the limit.
    func finding(usual: Double?, isExact: Bool) -> FuseRule.Finding? {
        guard let end = runs.map(\.upperBound).max(), let since = beginning(usual: usual, isExact: isExact) else {
            return nil
        }
        let covered = runs.reduce(into: Set<Int64>()) { $0.formUnion($1) }
        let whole = minutes.filter { covered.contains($0.number) }
        let storm = whole.filter { $0.number >= since }
        return FuseRule.Finding(
            minutes: since...end,
            answers: storm.reduce(0) { $0 + $1.answers },
            invalid: storm.reduce(0) { $0 + $1.invalid },
            limit: limit,
            usual: usual,
            wholeShare: Double(whole.reduce(0) { $0 + $1.invalid }) / Double(whole.reduce(0) { $0 + $1.answers })
        )
    }

    /// The first minute of the first storm.
    private func beginning(usual: Double?, isExact: Bool) -> Int64? {
        var first: Int64?
        for run in runs.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if let first, run.lowerBound >= first { break }
            let inside = minutes.filter { run.contains($0.number) }
            let start =
                isExact
                ? StormBeginning(inside, limit: limit, usual: usual, policy).start ?? run.lowerBound : run.lowerBound
            first = min(start, first ?? start)
        }
        return first
    }
}
