import Foundation
import Testing
import WaybillMongo
import WaybillMongoTestSupport

/// A real mongod, with a database of its own for each test.
enum FleetStore {
    static let isAvailable = ProcessInfo.processInfo.environment["WAYBILL_TEST_STORE"] != nil

    static func withDatabase(_ body: (MongoClient, String) throws -> Void) throws {
        let url = try #require(ProcessInfo.processInfo.environment["WAYBILL_TEST_STORE"])
        let database = "test_\(UInt64.random(in: 0 ... .max))"
        let pool = try SharedPool.of(url)
        let client = try pool.pop()
        defer {
            _ = try? client.command(database: database, BSONDocument { $0.append("dropDatabase", int: 1) })
            pool.push(client)
        }
        try body(client, database)
    }
}
