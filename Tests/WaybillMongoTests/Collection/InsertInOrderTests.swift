import Testing
import WaybillMongo

@Suite("Inserts into several collections, waited for once", .enabled(if: TestStore.isAvailable))
struct InsertInOrderTests {
    private static func documents(_ numbers: Range<Int>) -> [BSONDocument] {
        numbers.map { number in BSONDocument { $0.append("_id", int: number) } }
    }

    private static func numbers(_ client: MongoClient, _ database: String, _ name: String) throws -> Set<Int64> {
        let found = client.collection(database: database, name: name)
            .find(.empty, options: MongoFindOptions(readsMajority: true))
        return Set(try found.all().compactMap { $0["_id"]?.int })
    }

    @Test("a majority has all of them, pages and all")
    func everything() throws {
        try TestStore.withDatabase { client, database in
            let steps =
                [MongoInsertion(into: "one", Self.documents(0..<1))]
                + MongoInsertion.pages(of: Self.documents(0..<1001), into: "many")
                + MongoInsertion.pages(of: [], into: "none")
            #expect(steps.count == 3)
            let isNew = try client.insertInOrder(database: database, steps)
            #expect(isNew)
            #expect(try Self.numbers(client, database, "one") == [0])
            #expect(try Self.numbers(client, database, "many").count == 1001)
        }
    }

    @Test("one that is there already ends it, where it comes first, and is passed over behind")
    func repeated() throws {
        try TestStore.withDatabase { client, database in
            let first = [MongoInsertion(into: "one", Self.documents(0..<1))]
            let isNew = try client.insertInOrder(database: database, first)
            #expect(isNew)
            let again = first + [MongoInsertion(into: "two", Self.documents(0..<1))]
            #expect(try !client.insertInOrder(database: database, again))
            #expect(try Self.numbers(client, database, "two").isEmpty)
            let new = [
                MongoInsertion(into: "two", Self.documents(1..<2)), MongoInsertion(into: "one", Self.documents(0..<2)),
            ]
            #expect(try client.insertInOrder(database: database, new))
            #expect(try Self.numbers(client, database, "one") == [0, 1])
            #expect(try Self.numbers(client, database, "two") == [1])
        }
    }

    @Test("what the server does not take is an error, and nothing is written behind it")
    func refused() throws {
        try TestStore.withDatabase { client, database in
            let strict = BSONDocument { writer in
                writer.append("create", string: "strict")
                writer.append("validator") { $0.append("name") { $0.append("$exists", bool: true) } }
            }
            _ = try client.command(database: database, strict)
            let steps = ["one", "strict", "two"].map { MongoInsertion(into: $0, Self.documents(0..<1)) }
            let error = #expect(throws: MongoError.self) { try client.insertInOrder(database: database, steps) }
            #expect(error?.code == .notDurable)
            #expect(try Self.numbers(client, database, "one") == [0])
            #expect(try Self.numbers(client, database, "two").isEmpty)
        }
    }
}
