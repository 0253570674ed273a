import Testing
import WaybillMongo
import WaybillMongoTestSupport

@Suite("One document, changed and given back", .enabled(if: TestDatabase.isAvailable))
struct FindOneAndUpdateTests {
    @Test("the first by the order, as it is afterwards, and nothing where none matches")
    func firstOne() throws {
        try TestStore.withCollection { collection in
            let bulk = collection.bulk()
            for number in [3, 1, 2] {
                let document = BSONWriter()
                document.append("_id", int: number)
                document.append("free", bool: true)
                try bulk.insert(document)
            }
            #expect(bulk.execute().inserted == 3)
            func take() throws -> BSONDocument? {
                try collection.findOneAndUpdate(
                    BSONDocument { $0.append("free", bool: true) },
                    sort: BSONDocument { $0.append("_id", int: 1) },
                    update: BSONDocument { $0.append("$set") { $0.append("free", bool: false) } },
                    maximumTime: .seconds(5)
                )
            }
            #expect(try take().map { [$0["_id"]?.int == 1, $0["free"]?.bool == false] } == [true, true])
            #expect(try take()?["_id"]?.int == 2)
            #expect(try take()?["_id"]?.int == 3)
            #expect(try take() == nil)
        }
    }

    @Test("what the server refuses is an error")
    func refused() throws {
        try TestStore.withCollection { collection in
            let error = #expect(throws: MongoError.self) {
                try collection.findOneAndUpdate(
                    .empty,
                    update: BSONDocument { $0.append("$no") { $0.append("a", int: 1) } }
                )
            }
            #expect(error?.code == .commandFailed)
        }
    }
}
