import Testing
import WaybillMongo
import WaybillMongoTestSupport

/// What other tests rely on: nothing of a test stays in the store, however it ends.
@Suite("A database of a test's own", .enabled(if: TestDatabase.isAvailable)) struct TestDatabaseTests {
    private struct Failure: Error {}

    private static func fill(_ client: MongoClient, _ database: String) throws {
        let bulk = client.collection(database: database, name: "things").bulk()
        let document = BSONWriter()
        document.append("_id", int: 1)
        try bulk.insert(document)
        try bulk.execute().requireDurable("fill")
    }

    private static func count(_ database: String) throws -> Int {
        let pool = try TestDatabase.pool
        return try pool.withClient { client throws(MongoError) in
            try client.collection(database: database, name: "things").find(.empty).all().count
        }
    }

    @Test("is gone afterwards", arguments: [false, true])
    func gone(isFailure: Bool) throws {
        var name: String?
        func run() throws {
            try TestDatabase.withDatabase { client, database in
                name = database
                try Self.fill(client, database)
                #expect(try Self.count(database) == 1)
                if isFailure { throw Failure() }
            }
        }
        if isFailure { #expect(throws: Failure.self) { try run() } } else { try run() }
        #expect(try Self.count(try #require(name)) == 0)
    }

    @Test("is gone afterwards where the test waits", arguments: [false, true])
    func goneLater(isFailure: Bool) async throws {
        var name: String?
        do {
            try await TestDatabase.withPool { pool, database in
                name = database
                let client = try pool.pop()
                defer { pool.push(client) }
                try Self.fill(client, database)
                await Task.yield()
                if isFailure { throw Failure() }
            }
            #expect(!isFailure)
        } catch is Failure {
            #expect(isFailure)
        }
        #expect(try Self.count(try #require(name)) == 0)
    }
}
