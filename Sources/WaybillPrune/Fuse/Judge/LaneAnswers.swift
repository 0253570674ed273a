import WaybillCore
import WaybillDeliveryLog
import WaybillDeviceRegistry
import WaybillMongo
import WaybillProviders

/// Reads from the log's statistics what push services have answered on a lane, app by app.
///
/// *Thread:* its client's. *Blocking:* up to the time limit of the reader.
struct LaneAnswers {
    let client: MongoClient
    let database: String
    let lane: String

    /// What the push service has said of a notification; what was never sent is no answer.
    private static let answers: [Outcome] = [.accepted, .rejected, .tokenInvalid]
    private static let patience = Duration.seconds(10)

    /// What was counted: by app the answers of each step, until when hours are known as a whole alone, and whether more may be in
    /// the log than was counted.
    typealias Counted = (steps: [String: [FuseRule.Minute]], wholeHoursUntil: Int64?, isInDoubt: Bool)

    /// By app, the answers of each minute of the windows that end with these, without most of what lies between them.
    ///
    /// - Parameters:
    ///   - ends: whole minutes since 1970; an absence, or clocks that differ, may have put them far apart.
    ///   - window: how many minutes each has.
    /// - Returns: what was counted.
    /// - Throws: what the statistics cannot be read for.
    func byApp(endingWith ends: Set<Int64>, window: Int64) throws(MongoError) -> Counted {
        var all: Counted = ([:], nil, false)
        for range in Self.ranges(endingWith: ends, window: window) {
            let part = try byApp(range, step: 1)
            all.steps.merge(part.steps) { $0 + $1 }
            all.wholeHoursUntil = [all.wholeHoursUntil, part.wholeHoursUntil].compactMap { $0 }.max()
            all.isInDoubt = all.isInDoubt || part.isInDoubt
        }
        return all
    }

    /// The minutes of windows, in order; those that are less than an hour apart are one.
    static func ranges(endingWith ends: Set<Int64>, window: Int64) -> [Range<Int64>] {
        ends.sorted().reduce(into: []) { ranges, end in
            let first = end - window + 1
            if let last = ranges.last, first < last.upperBound + 60 {
                ranges[ranges.count - 1] = last.lowerBound..<end + 1
            } else {
                ranges.append(first..<end + 1)
            }
        }
    }

    /// By app, the answers of each step.
    ///
    /// - Parameters:
    ///   - minutes: whole minutes since 1970.
    ///   - step: of how many minutes.
    /// - Returns: what was counted; steps by their first minute.
    /// - Throws: what the statistics cannot be read for.
    func byApp(_ minutes: Range<Int64>, step: Int64) throws(MongoError) -> Counted {
        let query = StatisticsQuery(
            since: minutes.lowerBound * FuseRule.Minute.milliseconds,
            until: minutes.upperBound * FuseRule.Minute.milliseconds,
            step: step,
            dimension: .topic,
            lane: TextFilter([lane]),
            outcomes: Self.answers
        )
        let series = try reader.series(query, within: Self.patience)
        var counts: [String: [Int64: FuseRule.Minute]] = [:]
        for row in series.rows {
            guard let start = row.start, let topic = row.value else { continue }
            let number = start / FuseRule.Minute.milliseconds
            let app = FuseName.app(ofTopic: topic)
            counts[app, default: [:]][number, default: FuseRule.Minute(number, answers: 0, invalid: 0)].add(row)
        }
        let until = series.wholeHoursUntil.map { $0 / FuseRule.Minute.milliseconds }
        return (counts.mapValues { Array($0.values) }, until, series.minutesInDoubt > 0)
    }

    /// The push service's words for dead and suspect tokens, of all apps of the lane.
    ///
    /// - Parameter minutes: whole minutes since 1970.
    /// - Returns: each word, with how often it was said.
    /// - Throws: what the statistics cannot be read for.
    func reasons(_ minutes: ClosedRange<Int64>) throws(MongoError) -> [(reason: String, count: Int)] {
        let query = StatisticsQuery(
            since: minutes.lowerBound * FuseRule.Minute.milliseconds,
            until: (minutes.upperBound + 1) * FuseRule.Minute.milliseconds,
            dimension: .reason,
            lane: TextFilter([lane]),
            outcomes: [.tokenInvalid]
        )
        return try reader.series(query, within: Self.patience).rows.compactMap { row in
            row.value.map { ($0, row.count) }
        }
    }

    private var reader: StatisticsReader { StatisticsReader(client: client, database: database, scope: .all) }
}

extension FuseRule.Minute {
    /// Counts what a row of the statistics has.
    fileprivate mutating func add(_ row: StatisticsRow) {
        answers += row.count
        invalid += row.outcomes[Outcome.tokenInvalid.rawValue] ?? 0
    }
}
