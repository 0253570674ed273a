import WaybillCore
import WaybillMongo

/// Counts the final records of a minute, from the records themselves.
struct StatisticsLogCount {
    private let collection: MongoCollection

    /// When the server should give up on one question: below the silence that a socket may keep.
    static let maximumTime = Duration.seconds(12)
    /// A minute is asked for in parts: so many records come in one that the whole could take longer.
    private static let part: Int64 = 10_000
    /// What takes too long is asked for in halves, down to so many milliseconds.
    private static let smallestPart: Int64 = 100
    /// What fits into one document with room to spare.
    static let cellLimit = 20_000

    init(client: MongoClient, database: String) {
        collection = client.collection(database: database, name: Deliveries.collection)
    }

    /// The counts of a minute.
    ///
    /// - Parameters:
    ///   - minute: which.
    ///   - pause: called between questions.
    /// - Returns: `nil` for more cells than one document holds.
    /// - Throws: what the store says.
    func cells(
        of minute: StatisticsMinute,
        pause: () -> Void
    ) throws(MongoError) -> [StatisticsKey: StatisticsCounts]? {
        var cells: [StatisticsKey: StatisticsCounts] = [:]
        let end = minute.start + StatisticsMinute.milliseconds
        var start = minute.start
        var part = Self.part
        while start < end {
            do throws(MongoError) {
                for (key, counts) in try count(minute, start..<min(start + part, end)) {
                    cells[key, default: StatisticsCounts()].add(counts)
                }
                start += part
            } catch {
                guard error.code == .timeLimitExceeded, part > Self.smallestPart else { throw error }
                part /= 2
            }
            guard cells.count <= Self.cellLimit else { return nil }
            pause()
        }
        return cells
    }

    /// The counts of a part of a minute, or of more cells than a document holds.
    private func count(
        _ minute: StatisticsMinute,
        _ times: Range<Int64>
    ) throws(MongoError) -> [StatisticsKey: StatisticsCounts] {
        var cells: [StatisticsKey: StatisticsCounts] = [:]
        let match = BSONDocument { stage in
            stage.append("$match") { self.match(minute, times, in: $0) }
        }
        let cursor = collection.aggregate(
            [match, Self.group],
            maximumTime: Self.maximumTime,
            readsMajority: true,
            // Better no count than one that reads the whole log, where the index is not made yet.
            index: minute.basis == .id ? "_id_" : DeliveryLogIndexes.byDate.name
        )
        while let row = try cursor.next() {
            guard let group = row["_id"]?.document, let key = StatisticsKey(group: group) else { continue }
            let bucket = group["\(Statistics.Cell.latency)"]?.int.map { Int($0) }
            let number = row["\(Statistics.Cell.count)"]?.amount ?? 0
            cells[key, default: StatisticsCounts()].add(number, bucket: bucket)
            guard cells.count <= Self.cellLimit else { break }
        }
        return cells
    }

    private func match(_ minute: StatisticsMinute, _ times: Range<Int64>, in writer: BSONWriter) {
        switch minute.basis {
        case .id:
            writer.append(Field.id) { condition in
                condition.append("$gte", uuid: UInt64(clamping: times.lowerBound) << 16, 0)
                condition.append("$lt", uuid: UInt64(clamping: times.upperBound) << 16, 0)
            }
            writer.append(Field.byDate) { $0.append("$exists", bool: false) }
            // Records from before there were statistics do not say that they are found by their dates.
            writer.append(Field.date) { condition in
                let outcomes = StatisticsMinute.outcomes
                condition.append("$gte", date: minute.start + outcomes.lowerBound * StatisticsMinute.milliseconds)
                condition.append("$lt", date: minute.start + (outcomes.upperBound + 1) * StatisticsMinute.milliseconds)
            }
        case .date:
            writer.append(Field.byDate, bool: true)
            writer.append(Field.date) { condition in
                condition.append("$gte", date: times.lowerBound)
                condition.append("$lt", date: times.upperBound)
            }
        }
        writer.append(Field.outcome) { $0.append("$ne", string: Outcome.deferred.rawValue) }
    }

    private static let group = BSONDocument { stage in
        stage.append("$group") { group in
            group.append(Field.id) { key in
                key.append(Statistics.Cell.minute) { StatisticsExpression.floor("$\(Field.date)", to: 60_000, in: $0) }
                key.append(Statistics.Cell.outcome, string: "$\(Field.outcome)")
                key.append(Statistics.Cell.client, string: "$\(Field.client)")
                key.append(Statistics.Cell.lane, string: "$\(Field.lane)")
                key.append(Statistics.Cell.topic, string: "$\(Field.topic)")
                key.append(Statistics.Cell.pushType, string: "$\(Field.pushType)")
                GroupedReason.append(to: key)
                key.append(Statistics.Cell.latency) {
                    StatisticsExpression.bucket(of: "$\(Field.latency)", in: $0)
                }
            }
            group.append(Statistics.Cell.count) { $0.append("$sum", int: 1) }
        }
    }
}

extension StatisticsKey {
    /// Reads what the server has grouped by; `nil` where an outcome or a lane is missing.
    init?(group: BSONDocument) {
        guard let date = group["\(Statistics.Cell.minute)"]?.int, let lane = group["\(Statistics.Cell.lane)"]?.string,
            let outcome = group["\(Statistics.Cell.outcome)"]?.string
        else { return nil }
        self.init(
            minute: date / StatisticsMinute.milliseconds,
            outcome: outcome,
            client: group["\(Statistics.Cell.client)"]?.string,
            lane: lane,
            topic: group["\(Statistics.Cell.topic)"]?.string,
            pushType: group["\(Statistics.Cell.pushType)"]?.string,
            reason: group["\(Statistics.Cell.reason)"]?.string
        )
    }
}
