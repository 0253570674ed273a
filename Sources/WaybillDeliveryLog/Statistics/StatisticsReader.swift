import WaybillCore
import WaybillEncoding
package import WaybillMongo

/// Reads statistics; the log itself is not touched.
///
/// *Thread:* its client's. *Blocking:* up to the limits of the pool and the time limit.
package struct StatisticsReader {
    private let collection: MongoCollection
    private let documents: StatisticsDocuments
    private let sums: StatisticsSums
    private let scope: DeliveryScope

    /// The most rows that are returned: a query of more is a mistake.
    package static let rowLimit = 50_000
    private static let maximumTime = Duration.seconds(12)
    private static let tries = 5
    private static let late = MongoError(
        code: .timeLimitExceeded,
        operation: "count in \(Statistics.collection)",
        reason: "there is more to add up than the time allows"
    )

    /// - Parameters:
    ///   - client: the store.
    ///   - database: where the log is.
    ///   - scope: whose records are counted, whatever is asked.
    package init(client: MongoClient, database: String, scope: DeliveryScope) {
        collection = client.collection(database: database, name: Statistics.collection)
        documents = StatisticsDocuments(collection: collection)
        sums = StatisticsSums(collection: collection)
        self.scope = scope
    }

    /// Counts, piece by piece: however long the time is, no question takes the server for long.
    ///
    /// - Parameters:
    ///   - query: what.
    ///   - limit: how long all of it may take.
    /// - Returns: the rows; more than ``rowLimit`` are cut off, which ``StatisticsSeries/isCut`` says.
    /// - Throws: what the store says, and ``WaybillMongo/MongoError/Code/timeLimitExceeded`` when the limit is met.
    package func series(_ query: StatisticsQuery, within limit: Duration = .seconds(12)) throws(MongoError)
        -> StatisticsSeries
    {
        let end = ContinuousClock.now + limit
        var rows: [RowKey: StatisticsRow] = [:]
        var series = StatisticsSeries(rows: [], minutesInDoubt: 0)
        let minutes = try counted(query)
        // Also before: what is recounted while the rows are read may be in them as it was.
        let before = try minutesInDoubt(query)
        for (level, segment) in Self.segments(minutes, step: query.step) {
            var first = segment.lowerBound
            var length = Self.piece(of: level)
            while first < segment.upperBound {
                let piece = Piece(
                    minutes: first..<min(first + length, segment.upperBound),
                    isFirst: first == minutes.lowerBound,
                    wanted: level
                )
                do throws(MongoError) {
                    let time = min(Self.maximumTime, end - .now)
                    let (found, plan) = try exactly(query, piece, within: max(.milliseconds(1), time))
                    for row in found { Self.add(row, to: &rows) }
                    series.note(plan, of: minutes)
                    first += length
                } catch {
                    let smallest = Self.smallestPiece(of: level)
                    guard error.code == .timeLimitExceeded, length > smallest, .now < end else { throw error }
                    length = max(smallest, level.floor(length / 2))
                }
            }
        }
        series.rows = Array(rows.values)
        series.sort()
        series.isCut = series.rows.count > Self.rowLimit
        series.rows = Array(series.rows.prefix(Self.rowLimit))
        // Documents of more minutes than are asked for may tell of these.
        series.minutesInDoubt = min(before.union(try minutesInDoubt(query)).count, minutes.count)
        return series
    }

    /// Minutes of outcomes that one question is about.
    private struct Piece {
        var minutes: Range<Int64>
        /// Whether nothing is asked for that is earlier: an hour or a day that is known as a whole alone belongs to the piece
        /// in which it begins, and the one in which all begins to the first.
        var isFirst: Bool
        /// The coarsest level that tells of them exactly.
        var wanted: StatisticsLevel

        /// The times of the cells that are wanted of documents of a level, in minutes since 1970.
        func times(of level: StatisticsLevel) -> Range<Int64> {
            isFirst ? level.floor(minutes.lowerBound)..<minutes.upperBound : minutes
        }
    }

    /// How long a piece is at first and at least, in minutes: what is read for it should not take the server for long.
    private static func piece(of level: StatisticsLevel) -> Int64 {
        switch level {
        case .minute: 2 * 1440
        case .hour: 60 * 1440
        case .day: 3650 * 1440
        }
    }

    private static func smallestPiece(of level: StatisticsLevel) -> Int64 { max(15, level.length) }

    /// The times of a query, each with the coarsest level that divides it as it is asked for: whole days in the middle, the
    /// rest of the hours before and behind them, the rest of the minutes before and behind those.
    static func segments(_ minutes: Range<Int64>, step: Int64?) -> [(StatisticsLevel, Range<Int64>)] {
        var segments: [(StatisticsLevel, Range<Int64>)] = [(.minute, minutes)]
        for level in [StatisticsLevel.hour, .day] where step.map({ $0 % level.length == 0 }) ?? true {
            segments = segments.flatMap { finer, range -> [(StatisticsLevel, Range<Int64>)] in
                let first = level.ceiling(range.lowerBound)
                let end = level.floor(range.upperBound)
                guard first < end, finer == (level == .hour ? .minute : .hour) else { return [(finer, range)] }
                return [(finer, range.lowerBound..<first), (level, first..<end), (finer, end..<range.upperBound)]
                    .filter { !$0.1.isEmpty }
            }
        }
        return segments
    }

    /// The minutes of a query in which anything can have been counted: somebody may ask for all time.
    private func counted(_ query: StatisticsQuery) throws(MongoError) -> Range<Int64> {
        let wanted = query.minutes
        guard let known = try sums.span() else { return wanted.lowerBound..<wanted.lowerBound }
        // Whole days: what is asked for in steps stays divided by them.
        let day = StatisticsLevel.day
        let first = max(wanted.lowerBound, day.floor(known.lowerBound + StatisticsMinute.outcomes.lowerBound))
        let end = min(wanted.upperBound, day.ceiling(known.upperBound + StatisticsMinute.outcomes.upperBound + 1))
        return first..<max(first, end)
    }

    private static func add(_ row: StatisticsRow, to rows: inout [RowKey: StatisticsRow]) {
        let key = RowKey(start: row.start, value: row.value)
        rows[key, default: StatisticsRow(start: row.start, value: row.value)].add(row)
    }

    /// The rows of a piece, as they are at one moment, and where they were read.
    private func exactly(
        _ query: StatisticsQuery,
        _ piece: Piece,
        within time: Duration
    ) throws(MongoError) -> ([StatisticsRow], StatisticsPlan) {
        var known = try state(piece)
        // A minute that is recounted meanwhile could be seen twice, as it was and as it is: its head stays beside what it
        // stands for until any query has ended that began before it, so that the second look sees it. So could one that is
        // summed up meanwhile.
        for _ in 1..<Self.tries {
            let rows = try read(query, piece, known, within: time)
            let later = try state(piece)
            guard later != known else { return (rows, known.plan) }
            known = later
        }
        return (try read(query, piece, known, within: time), known.plan)
    }

    /// What decides where the counts of a piece are read.
    private struct State: Hashable {
        var plan: StatisticsPlan
        /// Minutes that stand for documents that are there still.
        var heads: [StatisticsDocument]

        var hidden: Set<String> { heads.reduce(into: []) { $0.formUnion($1.replaces) } }
    }

    private func state(_ piece: Piece) throws(MongoError) -> State {
        let reach = StatisticsPlan.reach(piece.minutes)
        var known = StatisticsPlan.Sums()
        // What is summed up between these questions: in this order, a sum is taken for older than it is, and not for newer.
        known.unsummed = Set(try sums.unsummedHours(in: reach).keys)
        for sum in try sums.of(.hour, in: reach) { known.hours[sum.start] = sum }
        for sum in try sums.of(.day, in: reach) { known.days[sum.start] = sum }
        let heads = try documents.unresolved(of: reach.lowerBound...reach.upperBound).filter(\.isHead)
        return State(plan: StatisticsPlan(piece.minutes, wanted: piece.wanted, known), heads: heads)
    }

    private func read(
        _ query: StatisticsQuery,
        _ piece: Piece,
        _ state: State,
        within time: Duration
    ) throws(MongoError) -> [StatisticsRow] {
        // The server's limit is on its own work alone.
        let end = ContinuousClock.now + time
        var rows: [RowKey: StatisticsRow] = [:]
        for run in state.plan.runs {
            let cursor = collection.aggregate(
                pipeline(query, run, times: piece.times(of: run.level), hidden: state.hidden),
                maximumTime: time,
                readsMajority: true
            )
            while let cell = try cursor.next() {
                guard ContinuousClock.now < end else { throw Self.late }
                guard let found = StatisticsCell(cell) else { continue }
                // Steps of whole minutes since 1970, of times that are none before.
                let start = query.step.map { $0 * StatisticsMinute.milliseconds }.map { found.time - found.time % $0 }
                let key = RowKey(start: start, value: found.value)
                rows[key, default: StatisticsRow(start: key.start, value: key.value)].add(found)
            }
        }
        return Array(rows.values)
    }

    private struct RowKey: Hashable {
        let start: Int64?
        let value: String?

        /// As the store tells texts apart.
        static func == (left: Self, right: Self) -> Bool {
            left.start == right.start && left.value.isExactly(right.value)
        }
    }

    /// The minutes of which more may be in the log than was written down: those that are to be recounted, and those whose writer
    /// has been silent for so long that it may be gone, though nobody takes its place yet.
    private func minutesInDoubt(_ query: StatisticsQuery) throws(MongoError) -> Set<StatisticsMinute> {
        try minutesInDoubt(of: query.documents)
    }

    /// The same of some minutes of messages.
    ///
    /// - Parameter numbers: whole minutes since 1970.
    /// - Returns: those of them.
    /// - Throws: what the store says.
    package func minutesInDoubt(of numbers: ClosedRange<Int64>) throws(MongoError) -> Set<StatisticsMinute> {
        let unresolved = try documents.unresolved(of: numbers)
        guard !unresolved.isEmpty else { return [] }
        let live = try documents.heardWriters()
        let found = Dictionary(grouping: unresolved, by: \.minute).filter {
            StatisticsDocuments.areInDoubt($0.value, live)
        }
        return Set(found.keys)
    }

    // MARK: - The query

    /// The stages: documents of the time, one document for each cell, those that are asked for, and what is asked of them.
    ///
    /// The cells are added up here: to group them takes the server ten times as long as to send them.
    ///
    /// - Parameters:
    ///   - query: what is asked.
    ///   - run: the documents.
    ///   - times: of cells, in minutes since 1970.
    ///   - hidden: documents that others stand for.
    /// - Returns: the stages.
    func pipeline(
        _ query: StatisticsQuery,
        _ run: StatisticsPlan.Run,
        times: Range<Int64>,
        hidden: Set<String>
    ) -> [BSONDocument] {
        let documents = BSONDocument { stage in
            stage.append("$match") { match in
                if run.level != .minute { match.append(Statistics.Field.level, string: run.level.rawValue) }
                if run.areUnsummed { match.append(Statistics.Field.unsummed, bool: true) }
                // The cells of a document are many, and need not be looked at one by one where none is wanted.
                TextFilter(query.topic.values).append(Statistics.Field.topics, to: match)
                match.append(run.level == .minute ? Statistics.Field.minute : Statistics.Field.start) { condition in
                    condition.append("$gte", date: run.documents.lowerBound * StatisticsMinute.milliseconds)
                    condition.append("$lt", date: run.documents.upperBound * StatisticsMinute.milliseconds)
                }
                guard run.level == .minute else { return }
                match.append(Statistics.Field.state) { $0.append("$ne", string: Statistics.State.replaced.rawValue) }
                guard !hidden.isEmpty else { return }
                match.append(Statistics.Field.id) { condition in
                    condition.append(
                        "$nin",
                        array: { array in for id in hidden.sorted() { array.append(string: id) } }
                    )
                }
            }
        }
        let cells = BSONDocument { $0.append("$unwind", string: "$\(Statistics.Field.cells)") }
        let alone = BSONDocument { stage in
            stage.append("$replaceRoot") { $0.append("newRoot", string: "$\(Statistics.Field.cells)") }
        }
        let wanted = BSONDocument { $0.append("$match", document: filter(query, times)) }
        return [documents, cells, alone, wanted, told(query)]
    }

    /// The condition on cells, narrowed to the scope: their fields have the names of the records'.
    private func filter(_ query: StatisticsQuery, _ times: Range<Int64>) -> BSONDocument {
        scope.filter { filter in
            filter.append(Statistics.Cell.minute) { condition in
                condition.append("$gte", date: times.lowerBound * StatisticsMinute.milliseconds)
                condition.append("$lt", date: times.upperBound * StatisticsMinute.milliseconds)
            }
            query.client.append(Statistics.Cell.client, to: filter)
            query.lane.append(Statistics.Cell.lane, to: filter)
            query.topic.append(Statistics.Cell.topic, to: filter)
            query.pushType.append(Statistics.Cell.pushType, to: filter)
            query.reason.append(Statistics.Cell.reason, to: filter)
            let outcomes = TextFilter(
                query.outcomes.map(\.rawValue),
                excluding: query.excludedOutcomes.map(\.rawValue)
            )
            outcomes.append(Statistics.Cell.outcome, to: filter)
        }
    }

    private func told(_ query: StatisticsQuery) -> BSONDocument {
        BSONDocument { stage in
            stage.append("$project") { cell in
                for name in [
                    Statistics.Cell.minute, Statistics.Cell.outcome, Statistics.Cell.count, Statistics.Cell.latency,
                ] { cell.append(name, int: 1) }
                if let dimension = query.dimension { cell.append(StatisticsCell.value, string: "$\(dimension.field)") }
            }
        }
    }
}

extension StatisticsQuery.Dimension {
    fileprivate var field: StaticString {
        switch self {
        case .reason: Statistics.Cell.reason
        case .client: Statistics.Cell.client
        case .lane: Statistics.Cell.lane
        case .topic: Statistics.Cell.topic
        case .pushType: Statistics.Cell.pushType
        case .outcome: Statistics.Cell.outcome
        }
    }
}
