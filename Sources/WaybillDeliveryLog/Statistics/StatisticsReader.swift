import WaybillCore
package import WaybillMongo

/// Reads statistics; the log itself is not touched.
///
/// *Thread:* its client's. *Blocking:* up to the limits of the pool and the time limit.
package struct StatisticsReader {
    private let collection: MongoCollection
    private let documents: StatisticsDocuments
    private let scope: DeliveryScope

    /// The most rows that are returned: a query of more is a mistake.
    package static let rowLimit = 50_000
    private static let maximumTime = Duration.seconds(12)
    private static let tries = 5

    /// - Parameters:
    ///   - client: the store.
    ///   - database: where the log is.
    ///   - scope: whose records are counted, whatever is asked.
    package init(client: MongoClient, database: String, scope: DeliveryScope) {
        collection = client.collection(database: database, name: Statistics.collection)
        documents = StatisticsDocuments(collection: collection)
        self.scope = scope
    }

    /// Counts, piece by piece: however long the time is, no question takes the server for long.
    ///
    /// - Parameters:
    ///   - query: what.
    ///   - limit: how long all of it may take.
    /// - Returns: the rows; more than ``rowLimit`` are cut off.
    /// - Throws: what the store says, and ``WaybillMongo/MongoError/Code/timeLimitExceeded`` when the limit is met.
    package func series(_ query: StatisticsQuery, within limit: Duration = .seconds(12)) throws(MongoError)
        -> StatisticsSeries
    {
        let end = ContinuousClock.now + limit
        var rows: [RowKey: StatisticsRow] = [:]
        let minutes = try counted(query)
        var first = minutes.lowerBound
        var length = Self.piece
        while first < minutes.upperBound {
            var piece = query
            piece.since = first * StatisticsMinute.milliseconds
            piece.until = min(first + length, minutes.upperBound) * StatisticsMinute.milliseconds
            do throws(MongoError) {
                let time = min(Self.maximumTime, end - .now)
                for row in try exactly(piece, within: max(.milliseconds(1), time)) { Self.add(row, to: &rows) }
                first += length
            } catch {
                guard error.code == .timeLimitExceeded, length > Self.smallestPiece, .now < end else { throw error }
                length /= 2
            }
        }
        let sorted = rows.values.sorted { one, other in
            (one.start ?? 0, other.count, one.value ?? "") < (other.start ?? 0, one.count, other.value ?? "")
        }
        return StatisticsSeries(
            rows: Array(sorted.prefix(Self.rowLimit)),
            minutesInDoubt: try minutesInDoubt(documents.unresolved(of: query.documents))
        )
    }

    /// Minutes of outcomes that one question is about, at first and at least.
    private static let piece: Int64 = 2 * 1440
    private static let smallestPiece: Int64 = 15

    /// The minutes of a query in which anything can have been counted: somebody may ask for all time.
    private func counted(_ query: StatisticsQuery) throws(MongoError) -> Range<Int64> {
        let wanted = query.minutes
        guard let known = try documents.span(of: query.documents) else {
            return wanted.lowerBound..<wanted.lowerBound
        }
        let outcomes = StatisticsMinute.outcomes
        let first = max(wanted.lowerBound, known.lowerBound + outcomes.lowerBound)
        return first..<max(first, min(wanted.upperBound, known.upperBound + outcomes.upperBound + 1))
    }

    private static func add(_ row: StatisticsRow, to rows: inout [RowKey: StatisticsRow]) {
        let key = RowKey(start: row.start, value: row.value)
        guard var sum = rows[key] else { return rows[key] = row }
        for (outcome, count) in row.outcomes { sum.outcomes[outcome, default: 0] += count }
        for bucket in sum.latency.indices { sum.latency[bucket] += row.latency[bucket] }
        rows[key] = sum
    }

    /// The rows of a piece, as they are at one moment.
    private func exactly(_ query: StatisticsQuery, within time: Duration) throws(MongoError) -> [StatisticsRow] {
        var unresolved = try documents.unresolved(of: query.documents)
        // A minute that is recounted meanwhile could be seen twice, as it was and as it is: its head stays beside what it
        // stands for until any query has ended that began before it, so that the second look sees it.
        for _ in 1..<Self.tries {
            let rows = try read(query, unresolved, within: time)
            let later = try documents.unresolved(of: query.documents)
            guard Self.heads(later) != Self.heads(unresolved) else { return rows }
            unresolved = later
        }
        return try read(query, unresolved, within: time)
    }

    private static func heads(_ documents: [StatisticsDocument]) -> [StatisticsDocument] {
        documents.filter(\.isHead)
    }

    private func read(
        _ query: StatisticsQuery,
        _ unresolved: [StatisticsDocument],
        within time: Duration
    ) throws(MongoError) -> [StatisticsRow] {
        let hidden = unresolved.reduce(into: Set<String>()) { $0.formUnion($1.replaces) }
        let cursor = collection.aggregate(
            pipeline(query, hidden: hidden),
            maximumTime: time,
            readsMajority: true
        )
        var rows: [RowKey: StatisticsRow] = [:]
        while let group = try cursor.next() {
            guard let id = group["_id"]?.document, let outcome = id["\(Statistics.Cell.outcome)"]?.string else {
                continue
            }
            let key = RowKey(start: id["start"]?.int, value: id["value"]?.string)
            let empty = [Int](repeating: 0, count: LatencyBuckets.count)
            var row = rows[key] ?? StatisticsRow(start: key.start, value: key.value, outcomes: [:], latency: empty)
            row.outcomes[outcome, default: 0] += Int(group["\(Statistics.Cell.count)"]?.int ?? 0)
            for bucket in row.latency.indices { row.latency[bucket] += Int(group["b\(bucket)"]?.int ?? 0) }
            rows[key] = row
        }
        return Array(rows.values)
    }

    private struct RowKey: Hashable {
        let start: Int64?
        let value: String?
    }

    private func minutesInDoubt(_ unresolved: [StatisticsDocument]) throws(MongoError) -> Int {
        guard !unresolved.isEmpty else { return 0 }
        // How often a writer says that it is there is its own affair; the customary patience is enough to tell people.
        let live = try documents.liveWriters(patience: StatisticsPace().patience)
        return Dictionary(grouping: unresolved, by: \.minute).values.count { StatisticsDocuments.areInDoubt($0, live) }
    }

    // MARK: - The query

    /// The stages: documents of the time, one document for each cell, those that are asked for, and their sums.
    func pipeline(_ query: StatisticsQuery, hidden: Set<String>) -> [BSONDocument] {
        let milliseconds = StatisticsMinute.milliseconds
        let documents = BSONDocument { stage in
            stage.append("$match") { match in
                match.append(Statistics.Field.minute) { condition in
                    condition.append("$gte", date: query.documents.lowerBound * milliseconds)
                    condition.append("$lte", date: query.documents.upperBound * milliseconds)
                }
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
        let wanted = BSONDocument { $0.append("$match", document: filter(query)) }
        return [documents, cells, alone, wanted, group(query)]
    }

    /// The condition on cells, narrowed to the scope: their fields have the names of the records'.
    private func filter(_ query: StatisticsQuery) -> BSONDocument {
        scope.filter { filter in
            filter.append(Statistics.Cell.minute) { condition in
                condition.append("$gte", date: query.minutes.lowerBound * StatisticsMinute.milliseconds)
                condition.append("$lt", date: query.minutes.upperBound * StatisticsMinute.milliseconds)
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

    private func group(_ query: StatisticsQuery) -> BSONDocument {
        BSONDocument { stage in
            stage.append("$group") { group in
                group.append(Statistics.Field.id) { key in
                    if let step = query.step {
                        key.append("start") {
                            StatisticsExpression.floor(
                                "$\(Statistics.Cell.minute)",
                                to: step * StatisticsMinute.milliseconds,
                                in: $0
                            )
                        }
                    }
                    if let dimension = query.dimension { key.append("value", string: "$\(dimension.field)") }
                    key.append(Statistics.Cell.outcome, string: "$\(Statistics.Cell.outcome)")
                }
                group.append(Statistics.Cell.count) { $0.append("$sum", string: "$\(Statistics.Cell.count)") }
                for bucket in 0..<LatencyBuckets.count {
                    group.append(
                        name: "b\(bucket)",
                        document: {
                            $0.append("$sum", string: "$\(Statistics.Cell.latency).\(bucket)")
                        }
                    )
                }
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
