import WaybillCore
import WaybillDeliveryLog
import WaybillDeviceRegistry
import WaybillMongo
import WaybillProviders

/// Reads from the log's statistics what push services have answered on a lane, app by app.
///
/// Apps are asked for by their names: a producer may give each push another topic, and whatever is counted of those must neither hide
/// what is asked for nor take long.
///
/// *Thread:* its client's. *Blocking:* up to the time limit of the reader, question by question.
struct LaneAnswers {
    let client: MongoClient
    let database: String
    let lane: String

    /// What the push service has said of a notification; what was never sent is no answer.
    private static let answers: [Outcome] = [.accepted, .rejected, .tokenInvalid]
    private static let patience = Duration.seconds(10)
    /// Apps that are asked for in one question.
    private static let mostApps = 2000

    /// What was counted.
    struct Counted {
        /// By app the answers of each step.
        var steps: [String: [FuseRule.Minute]] = [:]
        /// Until when hours are known as a whole alone, in whole minutes since 1970.
        var wholeHoursUntil: Int64?
        /// Whether more may be in the log than was counted.
        var isInDoubt = false

        mutating func add(_ other: Counted) {
            steps.merge(other.steps) { $0 + $1 }
            wholeHoursUntil = [wholeHoursUntil, other.wholeHoursUntil].compactMap { $0 }.max()
            isInDoubt = isInDoubt || other.isInDoubt
        }
    }

    /// The answers of each minute of the windows that end with these, without most of what lies between them.
    ///
    /// - Parameters:
    ///   - apps: of which.
    ///   - ends: whole minutes since 1970; an absence, or clocks that differ, may have put them far apart.
    ///   - window: how many minutes each has.
    /// - Returns: what was counted.
    /// - Throws: what the statistics cannot be read for.
    func of(_ apps: some Sequence<String>, endingWith ends: Set<Int64>, window: Int64) throws(MongoError) -> Counted {
        var all = Counted()
        for range in Self.ranges(endingWith: ends, window: window) { all.add(try of(apps, range, step: 1)) }
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

    /// The answers of each step.
    ///
    /// - Parameters:
    ///   - apps: of which.
    ///   - minutes: whole minutes since 1970.
    ///   - step: of how many minutes.
    /// - Returns: what was counted; steps by their first minute.
    /// - Throws: what the statistics cannot be read for.
    func of(_ apps: some Sequence<String>, _ minutes: Range<Int64>, step: Int64) throws(MongoError) -> Counted {
        var all = Counted()
        var parts = [Array(apps)]
        while let part = parts.popLast() {
            // No topic would be all of them.
            guard !part.isEmpty else { continue }
            guard part.count <= Self.mostApps, let counted = try count(part, minutes, step: step) else {
                parts += [Array(part.prefix(part.count / 2)), Array(part.dropFirst(part.count / 2))]
                continue
            }
            all.add(counted)
        }
        return all
    }

    /// - Returns: `nil` for apps, more than one, of which there is more than one question can tell.
    private func count(_ apps: [String], _ minutes: Range<Int64>, step: Int64) throws(MongoError) -> Counted? {
        let series = try reader.series(
            query(apps, minutes, step: step, by: .topic, Self.answers),
            within: Self.patience
        )
        guard !series.isCut || apps.count == 1 else { return nil }
        let wanted = Set(apps)
        var counts: [String: [Int64: FuseRule.Minute]] = [:]
        for row in series.rows {
            guard let start = row.start, let topic = row.value else { continue }
            let number = start / FuseRule.Minute.milliseconds
            let app = FuseName.app(ofTopic: topic)
            // A topic with a suffix may be that of two apps.
            guard wanted.contains(app) else { continue }
            counts[app, default: [:]][number, default: FuseRule.Minute(number, answers: 0, invalid: 0)].add(row)
        }
        return Counted(
            steps: counts.mapValues { Array($0.values) },
            wholeHoursUntil: series.wholeHoursUntil.map { $0 / FuseRule.Minute.milliseconds },
            isInDoubt: series.isCut || series.minutesInDoubt > 0
        )
    }

    /// The push service's words for dead and suspect tokens.
    ///
    /// - Parameters:
    ///   - app: of which.
    ///   - minutes: whole minutes since 1970.
    /// - Returns: each word, with how often it was said.
    /// - Throws: what the statistics cannot be read for.
    func reasons(of app: String, _ minutes: ClosedRange<Int64>) throws(MongoError) -> [(reason: String, count: Int)] {
        let query = query([app], minutes.lowerBound..<minutes.upperBound + 1, step: nil, by: .reason, [.tokenInvalid])
        return try reader.series(query, within: Self.patience).rows.compactMap { row in
            row.value.map { ($0, row.count) }
        }
    }

    private func query(
        _ apps: [String],
        _ minutes: Range<Int64>,
        step: Int64?,
        by dimension: StatisticsQuery.Dimension,
        _ outcomes: [Outcome]
    ) -> StatisticsQuery {
        StatisticsQuery(
            since: minutes.lowerBound * FuseRule.Minute.milliseconds,
            until: minutes.upperBound * FuseRule.Minute.milliseconds,
            step: step,
            dimension: dimension,
            lane: TextFilter([lane]),
            topic: TextFilter(apps.flatMap(FuseName.topics)),
            outcomes: outcomes
        )
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
