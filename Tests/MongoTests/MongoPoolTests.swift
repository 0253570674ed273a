import Mongo
import Testing

@Suite(.enabled(if: TestStore.isAvailable)) struct MongoPoolTests {
    @Test(arguments: [true, false]) func aPoolRepeatsWritesUnlessItsOwnerDoes(repeats: Bool) throws {
        #expect(try isRepeatable(option: nil, repeatsWrites: repeats) == repeats)
    }

    @Test func theURLHasTheLastWordOnRepeatedWrites() throws {
        #expect(try isRepeatable(option: "retryWrites=true", repeatsWrites: false))
    }

    /// Whether an insert through a pool of its own carries the number that lets a driver repeat it: the server's log of
    /// operations shows it.
    private func isRepeatable(option: String?, repeatsWrites: Bool) throws -> Bool {
        let base = try #require(TestStore.url)
        let url = option.map { base + (base.contains("?") ? "&" : "?") + $0 } ?? base
        let pool = try MongoPool(url: url, applicationName: "MongoTests", repeatsWrites: repeatsWrites)
        var isRepeatable = false
        try TestStore.withDatabase { reader, database in
            try insert(pool, database: database)
            let filter = BSONDocument { writer in
                writer.append("ns", string: "\(database).things")
                writer.append("op", string: "i")
            }
            let newestFirst = MongoFindOptions(sort: BSONDocument { $0.append("$natural", int: -1) })
            let log = reader.collection(database: "local", name: "oplog.rs")
            let entry = try #require(try log.findOne(filter, options: newestFirst))
            isRepeatable = entry["txnNumber"] != nil
        }
        return isRepeatable
    }

    private func insert(_ pool: MongoPool, database: String) throws {
        try pool.withClient { (client) throws(MongoError) in
            let bulk = client.collection(database: database, name: "things").bulk()
            let document = BSONWriter()
            document.append("_id", string: "one")
            try bulk.insert(document)
            #expect(bulk.execute().inserted == 1)
        }
    }
}
