import Glibc
package import WaybillMongo

/// Databases of a test's own on the real store that the tests may use.
///
/// Each is dropped when its test ends, however that ends.
package enum TestDatabase {
    /// The store's connection string.
    package static let url = getenv("WAYBILL_TEST_STORE").map { String(cString: $0) }
    package static var isAvailable: Bool { url != nil }

    /// The pool of the store, for a test that needs more than one client.
    package static var pool: MongoPool {
        get throws {
            guard let url else { throw NoStore() }
            return try SharedPool.of(url)
        }
    }

    /// Runs a test with a client and the name of a database.
    package static func withDatabase<R>(_ body: (MongoClient, String) throws -> R) throws -> R {
        let (pool, database) = (try Self.pool, makeName())
        let client = try pool.pop()
        defer {
            drop(database, client)
            pool.push(client)
        }
        return try body(client, database)
    }

    /// Runs a test with the pool and the name of a database.
    ///
    /// It may change its thread, so it takes its clients itself.
    package static func withPool<R>(_ body: (MongoPool, String) async throws -> R) async throws -> R {
        let (pool, database) = (try Self.pool, makeName())
        defer {
            if let client = try? pool.pop() {
                drop(database, client)
                pool.push(client)
            }
        }
        return try await body(pool, database)
    }

    /// Makes the server refuse every document of a collection that does not match, as one that is full would.
    package static func require(
        in collection: String,
        of database: String,
        _ client: MongoClient,
        _ condition: (BSONWriter) -> Void
    ) throws(MongoError) {
        let command = BSONDocument { writer in
            writer.append("collMod", string: collection)
            writer.append("validator", document: condition)
        }
        _ = try client.command(database: database, command)
    }

    /// Makes the server refuse every document of a collection that matches one of these.
    package static func refuse(
        in collection: String,
        of database: String,
        _ client: MongoClient,
        _ conditions: [(BSONWriter) -> Void]
    ) throws(MongoError) {
        try require(in: collection, of: database, client) { rule in
            rule.append(
                "$nor",
                array: { refused in for condition in conditions { refused.append(document: condition) } }
            )
        }
    }

    private static func makeName() -> String { "test_\(UInt64.random(in: 0 ... .max))" }

    private static func drop(_ database: String, _ client: MongoClient) {
        _ = try? client.command(database: database, BSONDocument { $0.append("dropDatabase", int: 1) })
    }

    private struct NoStore: Error, CustomStringConvertible {
        let description = "WAYBILL_TEST_STORE is not set"
    }
}
