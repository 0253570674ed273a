import WaybillCore
import WaybillMongo
import WaybillMongoTestSupport

@testable import WaybillDeliveryLog

/// Delivery logs in the store that the tests may use.
enum TestStore {
    /// Runs a test with a log in a database of its own.
    static func withLog(
        body: DeliveryLogOptions.Body = .full,
        tokens: DeliveryLogOptions.Tokens = .plain,
        retention: RetentionPolicy = .init(default: .days(30)),
        hasTokenIndex: Bool = true,
        _ test: (TestLog) throws -> Void
    ) throws {
        try TestDatabase.withDatabase { client, database in
            let options = DeliveryLogOptions(database: database, body: body, tokens: tokens, retention: retention)
            let log = TestLog(client: client, options: options)
            // Without it, no question by token is answered.
            if hasTokenIndex { _ = try log.collection.ensureIndexes([DeliveryLogIndexes.byToken]) }
            try test(log)
        }
    }
}

/// A delivery log in a database of its own.
struct TestLog {
    let client: MongoClient
    let options: DeliveryLogOptions
    let writer: DeliveryLogWriter
    let reader: DeliveryLogReader
    let collection: MongoCollection

    init(client: MongoClient, options: DeliveryLogOptions) {
        self.client = client
        self.options = options
        writer = DeliveryLogWriter(client: client, options: options)
        reader = DeliveryLogReader(client: client, options: options, scope: .all)
        collection = client.collection(database: options.database, name: Deliveries.collection)
    }

    func write(_ records: DeliveryRecord...) throws {
        try writer.write(records.map { LogEntry(record: $0) })
    }

    func stored(_ record: DeliveryRecord) throws -> BSONDocument? {
        try collection.findOne(BSONDocument { $0.append("_id", uuid: record.id.high, record.id.low) })
    }
}

extension DeliveryRecord {
    static func sample(
        _ number: Int = 1,
        outcome: Outcome = .accepted,
        token: String = "00aa11bb",
        reason: String? = nil,
        date: Int64 = 1_790_000_000_000,
        batch: String = "batch",
        client: String? = nil,
        lane: String = "parcels",
        attempts: Int = 1
    ) -> DeliveryRecord {
        DeliveryRecord(
            id: NotificationID(high: 7, low: UInt64(number)),
            deviceToken: Array(token.utf8)[...],
            outcome: outcome,
            statusCode: outcome == .accepted ? 200 : 400,
            reason: reason,
            message: Array("Hello".utf8)[...],
            date: date,
            batchID: batch,
            client: client,
            lane: lane,
            topic: "com.example.app",
            kind: "alert",
            attempts: attempts
        )
    }
}
