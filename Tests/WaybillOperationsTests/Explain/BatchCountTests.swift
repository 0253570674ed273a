import Testing
import WaybillCore
import WaybillDeliveryLog
import WaybillMongo
import WaybillMongoTestSupport

@testable import WaybillOperations

@Suite(.enabled(if: TestDatabase.isAvailable)) struct BatchCountTests {
    private static let count = 900

    /// Runs a test with a batch of 900, a third of them in twenty parts, every tenth rejected.
    private func withBatch(_ test: (MongoPool, DeliveryLogOptions) throws -> Void) throws {
        try TestDatabase.withDatabase { client, database in
            let options = DeliveryLogOptions(
                database: database,
                tokens: .plain,
                retention: RetentionPolicy(default: .keep)
            )
            _ = try DeliveryLogIndexes.ensure(client: client, database: options.database)
            let records = (0..<Self.count).map { number in
                DeliveryRecord(
                    id: NotificationID(high: 7, low: UInt64(number)),
                    deviceToken: Array("aa00".utf8)[...],
                    outcome: number.isMultiple(of: 10) ? .rejected : .accepted,
                    statusCode: number.isMultiple(of: 10) ? 400 : 200,
                    reason: number.isMultiple(of: 10) ? "BadTopic" : nil,
                    date: 1_790_000_000_000 + Int64(number),
                    batchID: number.isMultiple(of: 3) ? "campaign.\(number % 20)" : "campaign",
                    client: "acme",
                    lane: "parcels",
                    topic: "com.example.app",
                    attempts: 1
                )
            }
            try DeliveryLogWriter(client: client, options: options).write(records.map { LogEntry(record: $0) })
            try test(TestDatabase.pool, options)
        }
    }

    @Test(arguments: [true, false])
    func helpersCountWhatOneWould(withParts: Bool) throws {
        try withBatch { pool, options in
            let helpers = BatchHelpers(pool: pool)
            for helpers in [helpers, helpers, nil] {
                for size in [7, 100, 5_000] {
                    let fold = try pool.withClient { client throws(MongoError) in
                        let batch = BatchName("campaign")
                        return try BatchCount(batch, options: options, scope: .all, withParts: withParts, size: size)
                            .run(client: client, helpers: helpers)
                    }
                    #expect(fold.sortedGroups.map(\.count) == [810, 90])
                    #expect(fold.parts.partCount == (withParts ? 21 : 1))
                }
            }
        }
    }

    /// As before `waybill init` of this release.
    @Test(arguments: ["batch_id_id", "batch_failures"])
    func aBatchIsToldWithoutItsIndex(name: String) throws {
        try withBatch { pool, options in
            let story = try pool.withClient { client throws(MongoError) in
                let drop = BSONDocument { command in
                    command.append("dropIndexes", string: "deliveries")
                    command.append("index", string: name)
                }
                _ = try client.command(database: options.database, drop)
                return try DeliveryInvestigation(client: client, options: options, scope: .all)
                    .batch("campaign", withParts: true)
            }
            #expect(story.groups.map(\.count) == [810, 90])
            #expect(story.parts?.partCount == 21)
        }
    }

    @Test func aBatchThatTakesTooLongIsSaidToDoSo() throws {
        try withBatch { pool, options in
            #expect {
                try pool.withClient { client throws(MongoError) in
                    let batch = BatchName("campaign")
                    return try BatchCount(batch, options: options, scope: .all, withParts: true, time: .zero)
                        .run(client: client, helpers: BatchHelpers(pool: pool))
                }
            } throws: {
                ($0 as? MongoError)?.code == .timeLimitExceeded
            }
        }
    }
}
