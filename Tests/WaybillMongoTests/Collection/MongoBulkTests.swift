import Testing
import WaybillMongoTestSupport

@testable import WaybillMongo

@Suite(.enabled(if: TestDatabase.isAvailable)) struct MongoBulkTests {
    private func writer(_ id: Int, _ text: String = "") -> BSONWriter {
        let writer = BSONWriter()
        writer.append("_id", int: id)
        writer.append("text", string: text)
        return writer
    }

    private func filter(_ id: Int) -> BSONWriter {
        let writer = BSONWriter()
        writer.append("_id", int: id)
        return writer
    }

    @Test func oneRefusedWriteDoesNotStopTheOthers() throws {
        try TestStore.withCollection { collection in
            let first = collection.bulk()
            try first.insert(writer(1))
            #expect(first.execute().inserted == 1)

            let second = collection.bulk()
            for id in [0, 1, 2, 1, 3] { try second.insert(writer(id)) }
            let result = second.execute()
            #expect(result.inserted == 3)
            #expect(result.writeErrors.map(\.index) == [1, 3])
            #expect(result.writeErrors.allSatisfy { $0.isDuplicateKey })
            #expect(result.writeErrors.allSatisfy { !$0.message.contains("dup key:") })
            #expect(result.failure == nil)
            #expect(result.writeConcernErrors.isEmpty)
            #expect(try collection.countDocuments(.empty) == 4)
        }
    }

    @Test func replacementsAndUpdatesAreCounted() throws {
        try TestStore.withCollection { collection in
            let bulk = collection.bulk()
            try bulk.insert(writer(1))
            try bulk.replaceOne(filter: filter(1), with: writer(1, "new"), upsert: true)
            try bulk.replaceOne(filter: filter(2), with: writer(2), upsert: true)
            try bulk.updateOne(
                filter: filter(1).document,
                update: BSONDocument { $0.append("$set", document: { $0.append("seen", bool: true) }) },
                upsert: false
            )
            try bulk.updateOne(
                filter: filter(3).document,
                update: BSONDocument { $0.append("$set", document: { $0.append("seen", bool: true) }) },
                upsert: true
            )
            #expect(bulk.count == 5)
            let result = bulk.execute()
            #expect(result.inserted == 1)
            #expect(result.matched == 2)
            #expect(result.upserted == 2)
            #expect(result.writeErrors.isEmpty)
            let first = try collection.findOne(filter(1).document)
            #expect(first?["text"] == .string("new"))
            #expect(first?["seen"] == .bool(true))
        }
    }

    @Test func aStringWithNULIsStoredWhole() throws {
        try TestStore.withCollection { collection in
            let bulk = collection.bulk()
            try bulk.insert(writer(1, "a\u{0}b"))
            #expect(bulk.execute().inserted == 1)
            #expect(try collection.findOne(.empty)?["text"] == .string("a\u{0}b"))
        }
    }

    @Test func anEmptyBulkIsNothing() throws {
        try TestStore.withCollection { collection in
            let result = collection.bulk().execute()
            #expect(result.failure == nil)
            #expect(result.inserted == 0)
        }
    }

    @Test func aWriteWithoutItsMajorityIsToldApartFromARefusedOne() throws {
        try TestDatabase.withDatabase { client, database in
            let hello = try client.command(database: "admin", BSONDocument { $0.append("hello", int: 1) })
            try #require(hello["hosts"]?.elements?.count == 1, "asks a one-member replica set for two members")
            let two = MongoCollection.Durability(members: 2, milliseconds: 1)
            let bulk = MongoCollection(client: client, database: database, name: "things", durability: two).bulk()
            try bulk.insert(writer(1))
            let result = bulk.execute()
            #expect(result.inserted == 1)
            #expect(result.writeErrors.isEmpty)
            #expect(result.writeConcernErrors.count == 1)
        }
    }

    @Test func aLostDeploymentIsAFailureAndNotAnException() throws {
        let pool = try MongoPool(url: "mongodb://127.0.0.1:1/?serverSelectionTimeoutMS=200", applicationName: "test")
        try pool.withClient { client throws(MongoError) in
            let bulk = client.collection(database: "test", name: "things").bulk()
            try bulk.insert(writer(1))
            let result = bulk.execute()
            #expect(result.failure?.code == .unreachable)
            #expect(result.inserted == 0)
        }
    }
}
