package import WaybillCore

/// When the fuse of an app's lane blows: the one rule, pure and without a clock.
///
/// A list of addressees that is looked after has a few dead tokens in a hundred. Where a lane's answers call far more of them
/// dead or wrong at once, the tokens are mostly sound, and something else is not: the environment, the topic, the push service.
package enum FuseRule {
    /// What the answers of one minute were.
    package struct Minute: Hashable, Sendable {
        /// In whole minutes since 1970.
        package var number: Int64
        /// Those of the push service: what it took and what it refused.
        package var answers: Int
        /// Those of them that call a token dead or suspect.
        package var invalid: Int

        package init(_ number: Int64, answers: Int, invalid: Int) {
            self.number = number
            self.answers = answers
            self.invalid = invalid
        }

        package static let milliseconds: Int64 = 60_000
    }

    /// Why a fuse blows.
    package struct Finding: Hashable, Sendable {
        /// Whole minutes since 1970: from the first run of them over which the limit was passed, without the ordinary ones at
        /// its beginning, to the end of the last.
        package var minutes: ClosedRange<Int64>
        /// Of all those runs, without what is between them.
        package var answers: Int
        package var invalid: Int
        /// The part of the answers that was passed, 0 to 1.
        package var limit: Double
        /// The part that is usual, 0 to 1; `nil` for a lane without a history.
        package var usual: Double?
        /// The part of the answers with the ordinary minutes at the beginning, 0 to 1.
        package var wholeShare: Double

        package init(
            minutes: ClosedRange<Int64>,
            answers: Int,
            invalid: Int,
            limit: Double,
            usual: Double?,
            wholeShare: Double
        ) {
            self.minutes = minutes
            self.answers = answers
            self.invalid = invalid
            self.limit = limit
            self.usual = usual
            self.wholeShare = wholeShare
        }

        /// The part of the answers, 0 to 1.
        package var share: Double { Double(invalid) / Double(max(1, answers)) }
    }

    /// A lane has a history from so many answers on; below, one bad batch is most of what is known.
    static let leastHistory = 100

    /// The part of the answers that is usual: the median of the hours, each weighing as much as it has answers.
    ///
    /// A median, because a storm of an hour among a hundred must not become what is usual.
    ///
    /// - Parameter hours: of the time before, without those that are known to be wrong.
    /// - Returns: 0 to 1; `nil` if there is too little to tell.
    package static func usual(_ hours: [(answers: Int, invalid: Int)]) -> Double? {
        let known = hours.filter { $0.answers > 0 }
        let all = known.reduce(0) { $0 + $1.answers }
        guard all >= leastHistory else { return nil }
        let shares = known.map { (share: Double($0.invalid) / Double($0.answers), weight: $0.answers) }
            .sorted { $0.share < $1.share }
        var passed = 0
        for (share, weight) in shares {
            passed += weight
            if passed * 2 >= all { return share }
        }
        return shares.last?.share
    }

    /// The part of the answers that has to be passed.
    ///
    /// A multiple of what is usual may be more than all there is, and a fuse that cannot blow is none: so half of what is
    /// sound as a rule is the most that may turn bad unnoticed, and a lane of which nothing is sound always blows it.
    package static func limit(_ policy: FusePolicy, usual: Double?) -> Double {
        let least = Double(policy.percent) / 100
        guard let usual else { return least }
        return max(least, min(Double(policy.multiple) * usual, usual + (1 - usual) / 2, most))
    }

    /// The most that what is usual can make of the limit: with all of the fewest answers that count invalid, it is passed.
    private static let most = 0.95

    /// Decides.
    ///
    /// It blows for any run of minutes within the window that ends with one of `ends`: a storm of a minute shows after ten quiet
    /// ones, and one that comes in slowly over all ten. Of several storms the first is the beginning: what was said between them
    /// is in doubt, too.
    ///
    /// - Parameters:
    ///   - minutes: in any order; one that is missing had no answers.
    ///   - ends: the minutes from which it is looked back.
    ///   - armed: the first minute that counts: what was before has been decided by a person.
    ///   - usual: what ``usual(_:)`` says.
    ///   - isExact: whether each minute is known by itself, and nothing that was counted of it is missing for certain or perhaps;
    ///     otherwise nobody can tell where a storm began, and all of the run is taken for it.
    ///   - policy: the settings.
    /// - Returns: why it blows; `nil` if it does not.
    package static func judge(
        _ minutes: [Minute],
        ends: Set<Int64>,
        armed: Int64,
        usual: Double?,
        isExact: Bool = true,
        _ policy: FusePolicy
    ) -> Finding? {
        let runs = StormRuns(minutes, ends: ends, armed: armed, limit: limit(policy, usual: usual), policy)
        return runs.finding(usual: usual, isExact: isExact)
    }
}
