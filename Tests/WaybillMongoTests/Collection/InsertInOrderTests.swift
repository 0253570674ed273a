import Testing
import WaybillMongo
import WaybillMongoTestSupport

@Suite("Inserts into several collections, waited for once", .enabled(if: TestDatabase.isAvailable))
struct InsertInOrderTests {
    private static func documents(_ numbers: Range<Int>) -> [BSONDocument] {
        numbers.map { number in BSONDocument { $0.append("_id", int: number) } }
    }

    private static func numbers(
        _ client: MongoClient,
        _ database: String,
        _ name: String,
        readsMajority: Bool = true
    ) throws -> Set<Int64> {
        let found = client.collection(database: database, name: name)
            .find(.empty, options: MongoFindOptions(readsMajority: readsMajority))
        return Set(try found.all().compactMap { $0["_id"]?.int })
    }

    @Test("a majority has all of them, pages and all")
    func everything() throws {
        try TestDatabase.withDatabase { client, database in
            let steps =
                MongoInsertion.pages(of: Self.documents(0..<1001), into: "many")
                + MongoInsertion.pages(of: [], into: "none")
            #expect(steps.count == 2)
            let first = MongoInsertion(into: "one", Self.documents(0..<1))
            let known = try client.insertInOrder(database: database, first) { _ in steps }
            #expect(known.isEmpty)
            #expect(try Self.numbers(client, database, "one") == [0])
            #expect(try Self.numbers(client, database, "many").count == 1001)
        }
    }

    @Test("what is there already is told, and left as it is; where all of it is, nothing comes behind it")
    func repeated() throws {
        try TestDatabase.withDatabase { client, database in
            func insert(_ numbers: Range<Int>, then: @escaping (Set<Int>) -> [MongoInsertion]) throws -> Set<Int> {
                let first = MongoInsertion(into: "one", Self.documents(numbers))
                return try client.insertInOrder(database: database, first, then: then)
            }
            func behind(_ numbers: Range<Int>) -> [MongoInsertion] {
                [MongoInsertion(into: "two", Self.documents(numbers))]
            }
            #expect(try insert(3..<4) { _ in [] }.isEmpty)
            #expect(try Self.numbers(client, database, "one") == [3])
            #expect(try insert(3..<4) { _ in behind(0..<1) } == [0])
            #expect(try Self.numbers(client, database, "two").isEmpty)
            // The second is there, and the other two are not.
            let known = try insert(2..<5) { known in known == [1] ? behind(7..<8) : [] }
            #expect(known == [1])
            #expect(try Self.numbers(client, database, "one") == [2, 3, 4])
            #expect(try Self.numbers(client, database, "two") == [7])
            #expect(try insert(9..<10) { _ in behind(7..<9) }.isEmpty)
            #expect(try Self.numbers(client, database, "two") == [7, 8])
        }
    }

    @Test("what the server does not take is an error, and nothing is written behind it")
    func refused() throws {
        try TestDatabase.withDatabase { client, database in
            let strict = BSONDocument { writer in
                writer.append("create", string: "strict")
                writer.append("validator") { $0.append("name") { $0.append("$exists", bool: true) } }
            }
            _ = try client.command(database: database, strict)
            let steps = ["one", "strict", "two"].map { MongoInsertion(into: $0, Self.documents(0..<1)) }
            let error = #expect(throws: MongoError.self) {
                try client.insertInOrder(database: database, steps[0]) { _ in Array(steps[1...]) }
            }
            #expect(error?.nativeCode == 121 && error?.isAboutTheQuery == true)
            // Nobody has waited for a majority.
            #expect(try Self.numbers(client, database, "one", readsMajority: false) == [0])
            #expect(try Self.numbers(client, database, "two").isEmpty)
        }
    }
}
