import Testing
import WaybillMongo
import WaybillMongoTestSupport

@Suite(.enabled(if: TestDatabase.isAvailable)) struct MongoCollectionTests {
    private func fill(_ collection: MongoCollection, _ numbers: Range<Int>) throws {
        let bulk = collection.bulk()
        let writer = BSONWriter()
        for number in numbers {
            writer.removeAll()
            writer.append("_id", int: number)
            writer.append("even", bool: number % 2 == 0)
            try bulk.insert(writer)
        }
        let result = bulk.execute()
        #expect(result.inserted == numbers.count)
        #expect(result.failure == nil)
    }

    @Test func findSortsLimitsAndProjects() throws {
        try TestStore.withCollection { collection in
            try fill(collection, 0..<250)
            let options = MongoFindOptions(
                sort: BSONDocument { $0.append("_id", int: -1) },
                limit: 120,
                projection: BSONDocument { $0.append("_id", int: 1) },
                batchSize: 7,
                maximumTime: .seconds(5)
            )
            let found = try collection.find(BSONDocument { $0.append("even", bool: true) }, options: options).all()
            #expect(found.map { $0["_id"]?.int } == (5..<125).reversed().map { Int64($0 * 2) })
            #expect(found.allSatisfy { $0.fields.count == 1 })
            #expect(try collection.countDocuments(.empty) == 250)
            #expect(try collection.findOne(BSONDocument { $0.append("_id", int: 9) })?["even"] == .bool(false))
            #expect(try collection.findOne(BSONDocument { $0.append("_id", int: 900) }) == nil)
        }
    }

    /// The tests' replica set has no secondary: a read that did as the URL says would find no server.
    @Test(arguments: ["readPreference=secondary", "readPreference=secondary&readPreferenceTags=dc:elsewhere"])
    func readsGoToThePrimaryWhateverTheURLSays(option: String) throws {
        let base = try #require(TestDatabase.url)
        let url = base + (base.contains("?") ? "&" : "?") + option + "&serverSelectionTimeoutMS=2000"
        let pool = try MongoPool(url: url, applicationName: "MongoTests")
        try TestDatabase.withDatabase { _, database in
            let things = try pool.pop().collection(database: database, name: "things")
            try fill(things, 0..<3)
            #expect(try things.findOne(BSONDocument { $0.append("_id", int: 2) })?["even"] == .bool(true))
            let options = MongoFindOptions(readsMajority: true)
            #expect(try things.find(BSONDocument.empty, options: options).all().count == 3)
            #expect(try things.countDocuments(.empty) == 3)
        }
    }

    @Test func aggregateGroups() throws {
        try TestStore.withCollection { collection in
            try fill(collection, 0..<5)
            let group = BSONDocument { writer in
                writer.append(
                    "$group",
                    document: { group in
                        group.append("_id", string: "$even")
                        group.append("count", document: { $0.append("$sum", int: 1) })
                    }
                )
            }
            let groups = try collection.aggregate([group], maximumTime: .seconds(5)).all()
            let counts = Dictionary(uniqueKeysWithValues: groups.map { ($0["_id"]?.bool, $0["count"]?.int) })
            #expect(counts == [true: 3, false: 2])
        }
    }

    @Test func aQueryThatTheServerRefusesThrowsFromTheCursor() throws {
        try TestStore.withCollection { collection in
            let wrong = BSONDocument { $0.append("a", document: { $0.append("$nonsense", int: 1) }) }
            let error = #expect(throws: MongoError.self) { try collection.find(wrong).all() }
            #expect(error?.code == .commandFailed)
            #expect(error?.isRetriable == false)
            #expect(error?.nativeCode == 2)
        }
    }

    @Test func aCommandAnswersOrThrows() throws {
        try TestDatabase.withDatabase { client, database in
            try client.ping()
            let answer = try client.command(database: database, BSONDocument { $0.append("ping", int: 1) })
            #expect(answer["ok"]?.double == 1)
            let error = #expect(throws: MongoError.self) {
                try client.command(database: database, BSONDocument { $0.append("noSuchThing", int: 1) })
            }
            #expect(error?.nativeCode == 59)
            #expect(error.map { "\($0)".hasPrefix("noSuchThing on \(database): ") } == true)
        }
    }
}
