import Testing
import WaybillCore
import WaybillMongoTestSupport

@testable import WaybillDeliveryLog
@testable import WaybillMongo

@Suite(.enabled(if: TestDatabase.isAvailable)) struct DeliveryLogIndexesTests {
    private func ensure(_ log: TestLog) throws -> [IndexChange.Change] {
        try DeliveryLogIndexes.ensure(client: log.client, database: log.options.database).map { $0.change }
    }

    private func specifications(_ log: TestLog) throws -> [String: BSONDocument] {
        let answer = try log.client.command(
            database: log.options.database,
            BSONDocument { $0.append("listIndexes", string: "deliveries") }
        )
        let batch = answer["cursor"]?.document?["firstBatch"]?.elements ?? []
        return Dictionary(uniqueKeysWithValues: batch.compactMap(\.document).map { ($0["name"]?.string ?? "", $0) })
    }

    @Test func theyAreCreatedOnceAsTheDesignSays() throws {
        try TestStore.withLog(hasTokenIndex: false) { log in
            let database = log.options.database
            #expect(
                try DeliveryLogIndexes.missing(client: log.client, database: database).contains("deliveries.expires_at")
            )
            let first = try ensure(log)
            #expect(try DeliveryLogIndexes.missing(client: log.client, database: database).isEmpty)
            #expect(first == Array(repeating: .created, count: 7))
            #expect(try ensure(log) == Array(repeating: .exists, count: 7))
            let found = try specifications(log)
            #expect(
                Set(found.keys) == [
                    "_id_", "day_device_token", "batch_id_id", "batch_failures", "expires_at", "apns_id", "failures",
                    "by_date",
                ]
            )
            #expect(found["expires_at"]?["expireAfterSeconds"]?.int == 0)
            #expect(found["failures"]?["partialFilterExpression"]?.document?.fields.map(\.key) == ["outcome"])
            #expect(found["day_device_token"]?["key"]?.document?.fields.map(\.key) == ["day", "device_token"])
        }
    }

    @Test func anIndexWithOtherSettingsIsLeftAloneAndNamed() throws {
        try TestStore.withLog(hasTokenIndex: false) { log in
            let theirs = MongoIndex(name: "expires_at", keys: [.ascending("expires_at")], expireAfterSeconds: 3600)
            _ = try log.collection.ensureIndexes([theirs])
            let error = #expect(throws: MongoError.self) { try ensure(log) }
            #expect(error?.code == .indexConflict)
            #expect(error?.reason.contains("deliveries.dropIndex(\"expires_at\")") == true)
            #expect(try specifications(log)["expires_at"]?["expireAfterSeconds"]?.int == 3600)
        }
    }

    @Test func anIndexOfAnEarlierReleaseIsNamedAndLeftAlone() throws {
        try TestStore.withLog(hasTokenIndex: false) { log in
            let database = log.options.database
            let former = MongoIndex(name: "batch_id", keys: [.ascending("batch_id")])
            let theirs = MongoIndex(name: "mine", keys: [.ascending("batch_id"), .ascending("lane")])
            _ = try log.collection.ensureIndexes([former, theirs])
            #expect(try ensure(log) == Array(repeating: .created, count: 7))
            let found = try DeliveryLogIndexes.leftovers(client: log.client, database: database)
            #expect(found.map(\.name) == ["batch_id"])
            #expect(found.first?.command == "db.getSiblingDB(\"\(database)\").deliveries.dropIndex(\"batch_id\")")
            #expect(try specifications(log)["batch_id"] != nil)
        }
    }
}
