package import WaybillCore

/// What to count, and how to divide it.
package struct StatisticsQuery: Hashable, Sendable {
    /// What rows are divided by.
    package enum Dimension: String, CaseIterable, Sendable {
        case reason
        case client
        case lane
        case topic
        case pushType = "push_type"
        case outcome
    }

    /// Milliseconds since 1970, included; the minute that it lies in is counted whole.
    package var since: Int64
    /// Milliseconds since 1970, excluded; the minute that it lies in is counted whole.
    package var until: Int64
    /// The length of a step in whole minutes, from multiples of it since 1970 on; `nil` for the whole time in one.
    package var step: Int64?
    package var dimension: Dimension?
    package var client: TextFilter
    package var lane: TextFilter
    package var topic: TextFilter
    package var pushType: TextFilter
    package var reason: TextFilter
    /// Any of these; empty for all.
    package var outcomes: [Outcome]
    /// None of these.
    package var excludedOutcomes: [Outcome]

    package init(
        since: Int64,
        until: Int64,
        step: Int64? = nil,
        dimension: Dimension? = nil,
        client: TextFilter = .all,
        lane: TextFilter = .all,
        topic: TextFilter = .all,
        pushType: TextFilter = .all,
        reason: TextFilter = .all,
        outcomes: [Outcome] = [],
        excludedOutcomes: [Outcome] = []
    ) {
        self.since = since
        self.until = until
        self.step = step
        self.dimension = dimension
        self.client = client
        self.lane = lane
        self.topic = topic
        self.pushType = pushType
        self.reason = reason
        self.outcomes = outcomes
        self.excludedOutcomes = excludedOutcomes
    }

    /// The minutes that are counted, since 1970.
    var minutes: Range<Int64> {
        let first = since / StatisticsMinute.milliseconds
        let end = (until + StatisticsMinute.milliseconds - 1) / StatisticsMinute.milliseconds
        return first..<max(first, end)
    }

    /// The minutes whose documents may tell of these: those by keys hold outcomes of the hour that follows.
    var documents: ClosedRange<Int64> {
        let outcomes = StatisticsMinute.outcomes
        return minutes.lowerBound
            - outcomes.upperBound...max(minutes.lowerBound, minutes.upperBound - outcomes.lowerBound)
    }
}

/// How many notifications had their outcomes in one step, of one value.
package struct StatisticsRow: Hashable, Sendable {
    /// When the step begins, in milliseconds since 1970; `nil` for the whole time.
    package var start: Int64?
    /// Of the dimension; `nil` where the records have none, or nothing was to be divided.
    package var value: String?
    /// By outcome: a word of ``WaybillCore/Outcome``, or one of a newer release.
    package var outcomes: [String: Int]
    /// Of those that have a latency, by class; see ``LatencyBuckets``.
    package var latency: [Int]
    /// What devices have said of them; `nil` where that was not asked for.
    package var receipts: ReceiptTally?

    package init(
        start: Int64?,
        value: String?,
        outcomes: [String: Int],
        latency: [Int],
        receipts: ReceiptTally? = nil
    ) {
        self.start = start
        self.value = value
        self.outcomes = outcomes
        self.latency = latency
        self.receipts = receipts
    }

    package var count: Int { outcomes.values.reduce(0, +) }
    package var accepted: Int { outcomes[Outcome.accepted.rawValue] ?? 0 }
}

/// What a query has found.
package struct StatisticsSeries: Hashable, Sendable {
    /// In the order of time, the most frequent value of each step first; steps in which nothing ended are left out.
    package var rows: [StatisticsRow]
    /// Whether there are more rows than can be told: those of the latest steps are missing.
    package var isCut = false
    /// Minutes of messages whose counts may lack something, until they are recounted.
    package var minutesInDoubt: Int
    /// Milliseconds since 1970: until then hours are known as a whole alone, where something finer was asked for, and stand
    /// at their beginning; `nil` where all is as it was asked for.
    package var wholeHoursUntil: Int64?
    /// The same of days.
    package var wholeDaysUntil: Int64?

    /// Puts the rows into their order.
    package mutating func sort() {
        rows.sort { one, other in
            (one.start ?? 0, other.count, one.value ?? "") < (other.start ?? 0, one.count, other.value ?? "")
        }
    }

    /// Takes over what is coarser than it was asked for.
    ///
    /// - Parameters:
    ///   - plan: where a part of it was read.
    ///   - minutes: all that is asked for, since 1970.
    mutating func note(_ plan: StatisticsPlan, of minutes: Range<Int64>) {
        func later(_ known: Int64?, _ end: Int64?) -> Int64? {
            guard let end else { return known }
            return max(known ?? 0, min(end, minutes.upperBound) * StatisticsMinute.milliseconds)
        }
        wholeHoursUntil = later(wholeHoursUntil, plan.hoursUntil)
        wholeDaysUntil = later(wholeDaysUntil, plan.daysUntil)
    }
}
