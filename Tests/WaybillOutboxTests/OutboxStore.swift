import WaybillMongo
import WaybillMongoTestSupport

@testable import WaybillOutbox

/// A database of a test's own on a real mongod, with the outbox's indexes.
enum OutboxStore {
    static func withDatabase(_ body: (MongoClient, String) throws -> Void) throws {
        try TestDatabase.withDatabase { client, database in
            _ = try OutboxIndexes.ensure(client: client, database: database)
            try body(client, database)
        }
    }
}
