import WaybillAPNS
import WaybillCore
import WaybillDeliveryLog
import WaybillMongo

/// Durable bulks of 1,000 records, with the product's indexes, in a database that is dropped before and after.
enum StoreCase {
    static let insert = MicroCase(
        "insert",
        "encode 1,000 records and write them as one durable bulk; CPU and allocations are the client's",
        .live
    ) { options in
        let rig = try StoreRig(url: options.store ?? "")
        return MicroLoop(notifications: rig.count, warmUp: 3) { try rig.insert() }
    }
}

private final class StoreRig {
    private let pool: MongoPool
    private let client: MongoClient
    private let writer: DeliveryLogWriter
    private var entries: [LogEntry]
    private var round: UInt64 = 0

    init(url: String) throws {
        pool = try MongoPool(url: url, applicationName: "waybill-bench")
        client = try pool.pop()
        try Self.drop(client)
        _ = try DeliveryLogIndexes.ensure(client: client, database: RecordCases.options.database)
        writer = DeliveryLogWriter(client: client, options: RecordCases.options)
        entries = try SampleRecords.all().prefix(1000).map { LogEntry(record: $0) }
    }

    deinit {
        try? Self.drop(client)
    }

    var count: Int { entries.count }

    /// Writes the samples under ids that are new and rise with time, as derived ids do.
    func insert() throws -> Int {
        round += 1
        for number in entries.indices {
            entries[number].record.id = NotificationID(
                high: round << 16 | 0x8000,
                low: 1 << 63 | UInt64(number)
            )
        }
        return try writer.write(entries).written
    }

    private static func drop(_ client: MongoClient) throws(MongoError) {
        _ = try client.command(
            database: RecordCases.options.database,
            BSONDocument { $0.append("dropDatabase", int: 1) }
        )
    }
}
