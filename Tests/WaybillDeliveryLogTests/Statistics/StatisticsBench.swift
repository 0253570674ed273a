import Testing
import WaybillCore
import WaybillMongo

@testable import WaybillDeliveryLog

/// One writer of records and statistics, as a log thread of a dispatcher is.
final class CountingWriter {
    let ledger: StatisticsLedger
    let statistics: StatisticsWriter
    private let log: TestLog
    private var tally = StatisticsTally()

    init(_ log: TestLog, pace: StatisticsPace = .init()) {
        self.log = log
        ledger = StatisticsLedger(pace: pace)
        statistics = StatisticsWriter(client: log.client, database: log.options.database, ledger: ledger)
    }

    func reserve(_ entries: [LogEntry]) throws -> StatisticsLedger.Reservation {
        let minutes = Set(entries.filter(\.record.outcome.isFinal).map { StatisticsMinute($0.record) })
        let reservation = ledger.reserve(minutes)
        try statistics.open(reservation)
        return reservation
    }

    @discardableResult
    func write(_ entries: [LogEntry], mayBeOwn: Bool = false) throws -> LogWriteResult {
        let reservation = try reserve(entries)
        tally.begin(count: entries.count)
        var overruled: [StatisticsLedger.Reservation] = []
        let result = try log.writer.write(
            count: entries.count,
            willOverrule: { minutes throws(MongoError) in
                overruled.append(ledger.reserve(minutes))
                for reservation in overruled { try statistics.open(reservation) }
            }
        ) {
            tally.note(entries[$0].record, at: $0)
            return entries[$0]
        }
        for reservation in overruled { ledger.abandon(reservation) }
        let doubtful = tally.count(result) { _ in mayBeOwn }
        ledger.settle(reservation, tally, doubtful: doubtful)
        return result
    }

    func write(_ records: [DeliveryRecord]) throws {
        try write(records.map { LogEntry(record: $0) })
    }
}

/// The statistics of a log in a database of its own, held against the log.
struct StatisticsBench {
    let log: TestLog
    let collection: MongoCollection
    let recounter: StatisticsLedger

    static func with(retention: RetentionPolicy = .init(default: .keep), _ test: (StatisticsBench) throws -> Void)
        throws
    {
        try TestStore.withLog(retention: retention) { log in
            let collection = log.client.collection(database: log.options.database, name: Statistics.collection)
            _ = try StatisticsIndexes.ensure(client: log.client, database: log.options.database)
            try test(StatisticsBench(log: log, collection: collection, recounter: StatisticsLedger()))
        }
    }

    var recount: StatisticsRecount { StatisticsRecount(client: log.client, options: log.options, ledger: recounter) }

    func reader(_ scope: DeliveryScope = .all) -> StatisticsReader {
        StatisticsReader(client: log.client, database: log.options.database, scope: scope)
    }

    /// The store has not seen a writer for long.
    func forget(_ writer: CountingWriter) throws { try seen(writer, at: 0) }

    /// The store has seen a writer that long ago.
    func see(_ writer: CountingWriter, secondsAgo seconds: Int64) throws {
        try seen(writer, at: StatisticsClock.now() - seconds * 1000)
    }

    private func seen(_ writer: CountingWriter, at time: Int64) throws {
        let bulk = collection.bulk()
        try bulk.updateOne(
            filter: BSONDocument { $0.append("_id", string: Statistics.presence(of: writer.ledger.writer)) },
            update: BSONDocument { $0.append("$set") { $0.append(Statistics.Field.seen, date: time) } },
            upsert: false
        )
        #expect(bulk.execute().matched == 1)
    }

    /// What a head stands for can be marked.
    func age(_ minute: StatisticsMinute) throws {
        let bulk = collection.bulk()
        try bulk.updateOne(
            filter: BSONDocument { $0.append("_id", string: Statistics.head(of: minute)) },
            update: BSONDocument { $0.append("$set") { $0.append(Statistics.Field.seen, date: 0) } },
            upsert: false
        )
        _ = bulk.execute()
    }

    /// What the statistics say, by outcome, reason and client.
    func counted(_ scope: DeliveryScope = .all) throws -> [String: Int] {
        var counts: [String: Int] = [:]
        for dimension in [StatisticsQuery.Dimension.reason, .client, .lane, .topic, .pushType] {
            let query = StatisticsQuery(since: 0, until: 4_000_000_000_000, dimension: dimension)
            for row in try reader(scope).series(query).rows {
                for (outcome, count) in row.outcomes {
                    counts["\(dimension.rawValue) \(Self.exact(row.value)) \(outcome)"] = count
                }
            }
        }
        return counts
    }

    /// What the log says.
    func recorded(client: String? = nil) throws -> [String: Int] {
        var counts: [String: Int] = [:]
        for document in try log.collection.find(.empty).all() {
            let record = LoggedDelivery(document: document)
            guard record.outcome != "deferred", client == nil || record.client == client else { continue }
            let pushType = document["push_type"]?.string
            for (name, value) in [
                ("reason", record.reason), ("client", record.client), ("lane", record.lane), ("topic", record.topic),
                ("push_type", pushType),
            ] { counts["\(name) \(Self.exact(value)) \(record.outcome)", default: 0] += 1 }
        }
        return counts
    }

    /// Texts that Swift takes for equal, and the store does not, are two here.
    private static func exact(_ text: String?) -> String {
        (text ?? "-").unicodeScalars.map { $0.escaped(asASCII: true) }.joined()
    }

    func states() throws -> [String] {
        try collection.find(BSONDocument { $0.append("minute") { $0.append("$exists", bool: true) } }).all()
            .compactMap { $0["state"]?.string }.sorted()
    }
}

extension DeliveryRecord {
    /// The beginning of a minute, in the past and far from any retention's end.
    static let minute: Int64 = StatisticsClock.now() / 60_000 - 100

    /// A record whose key begins with a time in a minute, so many minutes from ``minute``.
    static func timed(
        _ number: Int,
        minute: Int64 = 0,
        outcome: Outcome = .accepted,
        after seconds: Int64 = 1,
        client: String? = "acme",
        reason: String? = nil,
        latency: Double? = 42
    ) -> DeliveryRecord {
        let time = (Self.minute + minute) * 60_000 + Int64(number % 60_000)
        var record = DeliveryRecord.sample(
            outcome: outcome,
            token: "00aa11bb",
            reason: reason,
            date: time + seconds * 1000,
            client: client,
            attempts: 1
        )
        record.id = NotificationID(high: UInt64(time) << 16 | 0x8000, low: 1 << 63 | UInt64(number))
        record.latencyMilliseconds = latency
        record.isCountedByDate =
            outcome.isFinal && StatisticsMinute.isByDate(messageTime: UInt64(time), date: record.date)
        return record
    }
}
