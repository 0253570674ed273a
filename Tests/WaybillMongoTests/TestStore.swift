import WaybillMongo
import WaybillMongoTestSupport

/// A collection in a database of a test's own.
enum TestStore {
    static func withCollection(_ body: (MongoCollection) throws -> Void) throws {
        try TestDatabase.withDatabase { client, database in
            try body(client.collection(database: database, name: "things"))
        }
    }
}
