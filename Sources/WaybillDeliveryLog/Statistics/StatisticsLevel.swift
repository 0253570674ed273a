/// How long the time is that one document of the statistics tells of.
enum StatisticsLevel: String, CaseIterable, Comparable {
    case minute
    case hour
    case day

    /// In minutes; periods begin at multiples of it since 1970.
    var length: Int64 {
        switch self {
        case .minute: 1
        case .hour: 60
        case .day: 1440
        }
    }

    /// The minute in which the period of a minute begins.
    func floor(_ minute: Int64) -> Int64 { minute / length * length }
    /// The same of the first period that begins there or later.
    func ceiling(_ minute: Int64) -> Int64 { floor(minute + length - 1) }

    static func < (one: Self, other: Self) -> Bool { one.length < other.length }
}

/// The sums that there are of minutes, and of hours.
enum StatisticsPeriod: String, CaseIterable {
    case hour
    case day

    var level: StatisticsLevel { self == .hour ? .hour : .day }
    /// What its sums are made of.
    var parts: StatisticsLevel { self == .hour ? .minute : .hour }

    /// The id of its sum.
    ///
    /// - Parameter start: the minute in which it begins.
    /// - Returns: the id.
    func id(_ start: Int64) -> String { "\(rawValue)/\(start)" }
}

/// How long what has been summed up is kept as well.
package struct StatisticsKeeping: Sendable {
    package var minutes: Duration
    /// No shorter than the minutes.
    package var hours: Duration

    package init(minutes: Duration = .seconds(7 * 86_400), hours: Duration = .seconds(90 * 86_400)) {
        self.minutes = minutes
        self.hours = hours
    }

    func time(of level: StatisticsLevel) -> Duration { level == .minute ? minutes : hours }
}
