import Testing
import WaybillMongo
import WaybillMongoTestSupport

@Suite(.enabled(if: TestDatabase.isAvailable)) struct MongoIndexTests {
    private static let failures = MongoIndex(
        name: "failures",
        keys: [.descending("date"), .ascending("outcome")],
        partialFilter: BSONDocument { $0.append("outcome", document: { $0.append("$gt", string: "accepted") }) }
    )
    private static let expiry = MongoIndex(name: "expiry", keys: [.ascending("expires_at")], expireAfterSeconds: 0)

    private func changes(_ collection: MongoCollection, _ wanted: [MongoIndex]) throws -> [IndexChange.Change] {
        try collection.ensureIndexes(wanted).map { $0.change }
    }

    @Test func indexesAreCreatedOnce() throws {
        try TestStore.withCollection { collection in
            let wanted = [Self.failures, Self.expiry]
            let first = try changes(collection, wanted)
            #expect(first == [.created, .created])
            #expect(try changes(collection, wanted) == [.exists, .exists])
            let more = wanted + [MongoIndex(name: "token", keys: [.ascending("device_token")], isUnique: true)]
            #expect(try changes(collection, more) == [.exists, .exists, .created])
        }
    }

    @Test(arguments: [
        MongoIndex(name: "expiry", keys: [.ascending("expires_at")], expireAfterSeconds: 60),
        MongoIndex(name: "expiry", keys: [.ascending("date")], expireAfterSeconds: 0),
        MongoIndex(name: "expiry", keys: [.ascending("expires_at")]),
        MongoIndex(name: "other", keys: [.ascending("expires_at")], expireAfterSeconds: 60),
    ])
    func anIndexWithOtherSettingsIsNamedWithTheCommandThatWouldMakeRoom(existing: MongoIndex) throws {
        try TestStore.withCollection { collection in
            _ = try collection.ensureIndexes([existing])
            let error = #expect(throws: MongoError.self) { try collection.ensureIndexes([Self.failures, Self.expiry]) }
            #expect(error?.code == .indexConflict)
            let command = "db.getSiblingDB(\"\(collection.database)\").things.dropIndex(\"\(existing.name)\")"
            #expect(error?.reason.contains(command) == true)
            // Nothing was dropped, and nothing was created either.
            #expect(try changes(collection, [existing]) == [.exists])
            #expect(try changes(collection, [Self.failures]) == [.created])
        }
    }

    @Test func anEqualIndexUnderAnotherNameWillDo() throws {
        try TestStore.withCollection { collection in
            _ = try collection.ensureIndexes([MongoIndex(name: "a", keys: [.ascending("x"), .descending("y")])])
            let same = MongoIndex(name: "b", keys: [.ascending("x"), .descending("y")])
            #expect(try changes(collection, [same]) == [.exists])
            let swapped = MongoIndex(name: "c", keys: [.descending("y"), .ascending("x")])
            #expect(try changes(collection, [swapped]) == [.created])
        }
    }

    @Test func anIndexThatSomebodyElseBuildsIsWaitedFor() async throws {
        try await TestDatabase.withPool { pool, database in
            let index = MongoIndex(name: "x", keys: [.ascending("x")])
            let build: @Sendable () throws -> Bool = {
                try pool.withClient { client throws(MongoError) in
                    let collection = client.collection(database: database, name: "things")
                    _ = try collection.ensureIndexes([index])
                    return try collection.hasIndex(index)
                }
            }
            try pool.withClient { client throws(MongoError) in
                let collection = client.collection(database: database, name: "things")
                let bulk = collection.bulk()
                let document = BSONWriter(capacity: 64)
                for number in 0..<60_000 {
                    document.removeAll()
                    document.append("x", int: number * 7919 % 60_000)
                    try bulk.insert(document)
                }
                try bulk.execute().requireDurable("load")
            }
            // One of them begins, and the other may come while it builds: for either it is there when it is told so.
            async let one = Task.detached { try build() }.value
            async let other = Task.detached { try build() }.value
            let answers = try await [one, other]
            #expect(answers == [true, true])
        }
    }

    @Test func aHashedFieldIsNotAnOrderedOne() throws {
        try TestStore.withCollection { collection in
            let hashed = MongoIndex(name: "hashed", keys: [.hashed("x"), .descending("y")])
            let created = try changes(collection, [hashed])
            #expect(created == [.created])
            #expect(try changes(collection, [hashed]) == [.exists])
            let ordered = MongoIndex(name: "ordered", keys: [.ascending("x"), .descending("y")])
            #expect(try changes(collection, [ordered]) == [.created])
        }
    }
}

/// An index by which the server deletes documents without leave.
@Suite(.enabled(if: TestDatabase.isAvailable)) struct ForeignExpiryTests {
    private static let ours = MongoIndex(name: "expires_at", keys: [.ascending("expires_at")], expireAfterSeconds: 0)

    @Test(arguments: [
        (MongoIndex(name: "expires_at", keys: [.ascending("expires_at")], expireAfterSeconds: 0), false),
        (MongoIndex(name: "date", keys: [.ascending("date")]), false),
        (MongoIndex(name: "expires_at", keys: [.ascending("expires_at")], expireAfterSeconds: 60), true),
        (MongoIndex(name: "date", keys: [.ascending("date")], expireAfterSeconds: 0), true),
        (MongoIndex(name: "cleaner", keys: [.ascending("date")], expireAfterSeconds: 2_592_000), true),
    ])
    func onlyOurOwnMayDelete(index: MongoIndex, isForeign: Bool) throws {
        try TestDatabase.withDatabase { client, database in
            let collection = client.collection(database: database, name: "things")
            _ = try collection.ensureIndexes([index])
            if isForeign {
                let failure = #expect(throws: MongoError.self) {
                    try collection.refuseForeignExpiry(except: [Self.ours])
                }
                #expect(failure?.code == .indexConflict)
                #expect(failure?.reason.contains("dropIndex(\"\(index.name)\")") == true)
            } else {
                try collection.refuseForeignExpiry(except: [Self.ours])
            }
        }
    }
}
