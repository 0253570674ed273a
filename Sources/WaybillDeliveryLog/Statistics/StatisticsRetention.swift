import WaybillCore

/// Until when the records of a minute are all there.
struct StatisticsRetention {
    /// Milliseconds; `nil` where everything is kept.
    private let shortest: Int64?
    /// For clocks that differ, and for the time that counting takes.
    private static let margin: Int64 = 600_000

    init(_ policy: RetentionPolicy) {
        let days = ([policy.defaultPeriod] + policy.clients.values).compactMap { period in
            if case .days(let days) = period { Int64(days) } else { nil }
        }
        shortest = days.min().map { $0 * 86_400_000 }
    }

    /// Whether the first records of a minute may be gone.
    func mayHaveRemoved(_ minute: StatisticsMinute, now: Int64) -> Bool {
        guard let shortest else { return false }
        let first = minute.start + StatisticsMinute.outcomes.lowerBound * StatisticsMinute.milliseconds
        return first + shortest <= now + Self.margin
    }
}
