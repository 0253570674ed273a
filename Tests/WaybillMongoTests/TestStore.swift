import Testing
import WaybillMongo
import WaybillMongoTestSupport

#if canImport(Glibc)
import Glibc
#endif

/// The MongoDB deployment that the tests may use, named by the environment.
enum TestStore {
    static let url: String? = getenv("WAYBILL_TEST_STORE").map { String(cString: $0) }
    static var isAvailable: Bool { url != nil }

    /// Runs a test in a database of its own, and drops it.
    static func withDatabase(_ body: (MongoClient, String) throws -> Void) throws {
        let pool = try SharedPool.of(#require(url))
        let database = "test_\(UInt64.random(in: 0 ... .max))"
        let client = try pool.pop()
        defer {
            _ = try? client.command(database: database, BSONDocument { $0.append("dropDatabase", int: 1) })
            pool.push(client)
        }
        try body(client, database)
    }

    static func withCollection(_ body: (MongoCollection) throws -> Void) throws {
        try withDatabase { client, database in
            try body(client.collection(database: database, name: "things"))
        }
    }
}
