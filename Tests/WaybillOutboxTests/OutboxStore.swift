import Foundation
import Testing
import WaybillMongo
import WaybillMongoTestSupport

@testable import WaybillOutbox

/// A database of a test's own on a real mongod.
enum OutboxStore {
    static let isThere = ProcessInfo.processInfo.environment["WAYBILL_TEST_STORE"] != nil

    static func withDatabase(_ body: (MongoClient, String) throws -> Void) throws {
        let url = try #require(ProcessInfo.processInfo.environment["WAYBILL_TEST_STORE"])
        let database = "test_\(UInt64.random(in: 0 ... .max))"
        let pool = try SharedPool.of(url)
        let client = try pool.pop()
        defer {
            _ = try? client.command(database: database, BSONDocument { $0.append("dropDatabase", int: 1) })
            pool.push(client)
        }
        _ = try OutboxIndexes.ensure(client: client, database: database)
        try body(client, database)
    }
}
