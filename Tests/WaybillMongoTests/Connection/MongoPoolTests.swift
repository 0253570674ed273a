import Testing
import WaybillMongo
import WaybillMongoTestSupport

@Suite(.enabled(if: TestDatabase.isAvailable)) struct MongoPoolTests {
    @Test(arguments: [true, false]) func aPoolRepeatsWritesUnlessItsOwnerDoes(repeats: Bool) throws {
        #expect(try isRepeatable(option: nil, repeatsWrites: repeats) == repeats)
    }

    @Test func theURLHasTheLastWordOnRepeatedWrites() throws {
        #expect(try isRepeatable(option: "retryWrites=true", repeatsWrites: false))
    }

    @Test func theServerSaysWhatItIsPartOf() throws {
        try TestDatabase.withDatabase { client, _ in
            guard case .replicaSet(let name, let members, let hasPrimary) = try client.deployment() else {
                Issue.record("the tests' store is a replica set")
                return
            }
            #expect(!name.isEmpty)
            #expect(members >= 1)
            #expect(hasPrimary)
        }
    }

    /// Whether an insert through a pool of its own carries the number that lets a driver repeat it: the server's log of
    /// operations shows it.
    private func isRepeatable(option: String?, repeatsWrites: Bool) throws -> Bool {
        let base = try #require(TestDatabase.url)
        let url = option.map { base + (base.contains("?") ? "&" : "?") + $0 } ?? base
        let pool = try MongoPool(url: url, applicationName: "MongoTests", repeatsWrites: repeatsWrites)
        var isRepeatable = false
        try TestDatabase.withDatabase { reader, database in
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

/// A URL as libmongoc reads it: what it takes for true switches the check of certificates off, however it is spelled.
@Suite struct UncheckedCertificateTests {
    @Test(arguments: [
        "tlsInsecure=true", "tlsInsecure=1", "tlsInsecure=yes", "tlsInsecure=y", "tlsInsecure=t", "tlsInsecure=%31",
        "tlsInsecure=%74rue", "TLSINSECURE=1", "tlsAllowInvalidCertificates=yes", "tlsAllowInvalidHostnames=1",
        "sslAllowInvalidCertificates=t", "sslAllowInvalidHostnames=y",
    ])
    func noPoolIsOpenedWithoutTheCheck(option: String) {
        #expect(throws: MongoError.self) {
            _ = try MongoPool(url: "mongodb://127.0.0.1:1/?tls=true&\(option)", applicationName: "MongoTests")
        }
    }

    @Test func aPoolWithTheCheckIsOpened() throws {
        _ = try MongoPool(url: "mongodb://127.0.0.1:1/?tls=true&tlsInsecure=false", applicationName: "MongoTests")
    }
}

/// A pool has as many clients as whoever opens it asks for.
@Suite struct PoolSizeTests {
    @Test(arguments: ["", "&maxPoolSize=1", "&minPoolSize=1&maxPoolSize=1", "&maxPoolSize=100"])
    func theURLDoesNotSizeThePool(options: String) throws {
        let pool = try MongoPool(
            url: "mongodb://127.0.0.1:1/?waitQueueTimeoutMS=50\(options)",
            applicationName: "MongoTests",
            maximumClients: 3
        )
        // A client needs no server to be handed out.
        let clients = try (0..<3).map { _ in try pool.pop() }
        #expect(throws: MongoError.self) { try pool.pop() }
        for client in clients { pool.push(client) }
    }
}
