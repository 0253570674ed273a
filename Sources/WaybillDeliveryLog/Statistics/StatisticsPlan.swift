/// Where the counts of some minutes of outcomes are read: in days, in hours or in minutes.
///
/// Each hour of messages is read once. What no sum has yet is read as minutes; what is gone, as the hour or the day that
/// has it. Of an hour whose sum is made no more, minutes that came later are read beside it.
struct StatisticsPlan: Hashable {
    /// Documents of one level that are read by one question.
    struct Run: Hashable {
        var level: StatisticsLevel
        /// When their periods begin, in minutes since 1970.
        var documents: Range<Int64>
        /// Only minutes that no sum has.
        var areUnsummed = false
    }

    /// What there is to choose from, by the minute in which each hour and day begins.
    struct Sums {
        var hours: [Int64: StatisticsSum] = [:]
        var days: [Int64: StatisticsSum] = [:]
        /// Hours with minutes that their sums do not have.
        var unsummed: Set<Int64> = []
    }

    private(set) var runs: [Run] = []
    /// Until when there are only hours, or days, where something finer was wanted; in minutes since 1970.
    private(set) var hoursUntil: Int64?
    private(set) var daysUntil: Int64?

    /// - Parameters:
    ///   - minutes: of outcomes, since 1970.
    ///   - wanted: the coarsest level that tells of these exactly.
    ///   - sums: of ``reach(_:)`` at the least.
    init(_ minutes: Range<Int64>, wanted: StatisticsLevel, _ sums: Sums) {
        let reach = Self.reach(minutes)
        let days = Dictionary(grouping: sums.hours.values, by: { StatisticsLevel.day.floor($0.start) })
        var complete: Set<Int64> = []
        for (day, sum) in sums.days {
            let isUpToDate =
                days[day, default: []].allSatisfy(\.isSummed)
                && stride(from: day, to: day + StatisticsLevel.day.length, by: Int(StatisticsLevel.hour.length))
                    .allSatisfy { !sums.unsummed.contains($0) || sums.hours[$0]?.isSealed == true }
            if sum.isSealed || isUpToDate { complete.insert(day) }
        }
        for hour in stride(from: reach.lowerBound, to: reach.upperBound, by: Int(StatisticsLevel.hour.length)) {
            let day = StatisticsLevel.day.floor(hour)
            let (sum, isUnsummed) = (sums.hours[hour], sums.unsummed.contains(hour))
            if sums.days[day]?.isSealed == true || wanted == .day && complete.contains(day) {
                add(.day, day, minutes, wanted)
            } else if let sum, sum.isSealed || wanted > .minute && !isUnsummed {
                add(.hour, hour, minutes, wanted)
            } else if sum != nil || isUnsummed {
                add(.minute, hour, minutes, wanted)
                continue
            }
            guard isUnsummed else { continue }
            let late = Self.clipped(hour..<hour + StatisticsLevel.hour.length, to: minutes)
            if !late.isEmpty { runs.append(Run(level: .minute, documents: late, areUnsummed: true)) }
        }
    }

    /// The hours of messages, whole days of them, that can tell of outcomes of these minutes.
    static func reach(_ minutes: Range<Int64>) -> Range<Int64> {
        let day = StatisticsLevel.day
        return day.floor(
            day.floor(minutes.lowerBound) - StatisticsMinute.outcomes.upperBound
        )..<day.ceiling(day.ceiling(minutes.upperBound) - StatisticsMinute.outcomes.lowerBound)
    }

    /// The minutes of messages that tell of outcomes of these minutes.
    private static func clipped(_ documents: Range<Int64>, to minutes: Range<Int64>) -> Range<Int64> {
        let outcomes = StatisticsMinute.outcomes
        let first = minutes.lowerBound - outcomes.upperBound
        return documents.clamped(to: first..<max(first, minutes.upperBound - outcomes.lowerBound))
    }

    private mutating func add(
        _ level: StatisticsLevel,
        _ start: Int64,
        _ minutes: Range<Int64>,
        _ wanted: StatisticsLevel
    ) {
        let length = max(level, .hour).length
        let aligned = level.floor(minutes.lowerBound)..<level.ceiling(minutes.upperBound)
        let documents = start..<start + length
        let told = Self.clipped(documents, to: aligned)
        guard !told.isEmpty else { return }
        if level > wanted {
            // Outcomes come until an hour after their messages.
            let end = level.ceiling(documents.upperBound + StatisticsMinute.outcomes.upperBound)
            switch level {
            case .minute: break
            case .hour: hoursUntil = max(hoursUntil ?? end, end)
            case .day: daysUntil = max(daysUntil ?? end, end)
            }
        }
        let wholly = level == .minute ? told : documents
        // Hours of which nothing is known part no run; a day comes once for each of its hours.
        if let last = runs.lastIndex(where: { !$0.areUnsummed }), runs[last].level == level {
            let known = runs[last].documents
            runs[last].documents = known.lowerBound..<max(known.upperBound, wholly.upperBound)
        } else {
            runs.append(Run(level: level, documents: wholly))
        }
    }
}
