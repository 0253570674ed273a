import Testing
import WaybillCore
import WaybillMongo
import WaybillMongoTestSupport

@testable import WaybillDeliveryLog

/// From a log of 0.2.0, whose records have no `day`.
@Suite(.enabled(if: TestDatabase.isAvailable)) struct DeliveryDayUpgradeTests {
    private static let token = "00aa11bb"
    private static let query = DeliveryQuery(deviceToken: Array(token.utf8)[...])

    @Test(arguments: [(0, 0), (86_399_999, 0), (86_400_000, 1), (1_790_000_000_123, 20_717)] as [(Int64, Int)])
    func aDayEndsAtMidnightUTC(date: Int64, day: Int) {
        #expect(LogDay.of(date) == day)
        #expect(LogDay.end(before: day) < date && date <= LogDay.end(before: day + 1))
    }

    @Test func recordsGetTheirDayAndTheOldIndexGoes() throws {
        try withFormerLog(count: 25_000) { log in
            let database = log.options.database
            let refusal = #expect(throws: MongoError.self) { try log.reader.page(Self.query) }
            #expect(refusal?.code == .indexConflict && refusal?.reason.contains("waybill init") == true)
            // The server repeats the query.
            #expect(refusal?.description.contains(Self.token) == false)
            #expect(throws: MongoError.self) {
                try DeliveryLogIndexes.refuseFormerRelease(client: log.client, database: database)
            }
            let upgrade = DeliveryDayUpgrade(client: log.client, database: database)
            var steps: [Int] = []
            let hadRecords = try upgrade.fill { passed, _ in steps.append(passed) }
            #expect(hadRecords && steps == [10_000, 20_000])
            _ = try DeliveryLogIndexes.ensure(client: log.client, database: database)
            // A dispatcher of 0.2.0 has written one meanwhile.
            try insert(25_000..<25_001, into: log)
            #expect(try upgrade.finish() == ["device_token_date"])
            #expect(try upgrade.finish() == [])
            #expect(try upgrade.fill { _, _ in } == false)
            try DeliveryLogIndexes.refuseFormerRelease(client: log.client, database: database)
            for record in try log.collection.find(.empty).all() {
                let date = try #require(record["date"]?.date)
                #expect(record["day"]?.int == Int64(LogDay.of(date)))
            }
            #expect(try log.reader.query(Self.query).all().count == 25_001)
        }
    }

    @Test func anEmptyStoreNeedsNothing() throws {
        try TestStore.withLog(hasTokenIndex: false) { log in
            let upgrade = DeliveryDayUpgrade(client: log.client, database: log.options.database)
            #expect(try upgrade.fill { _, _ in } == false)
            _ = try DeliveryLogIndexes.ensure(client: log.client, database: log.options.database)
            #expect(try upgrade.finish() == [])
        }
    }

    private func withFormerLog(count: Int, _ test: (TestLog) throws -> Void) throws {
        try TestStore.withLog(hasTokenIndex: false) { log in
            _ = try log.collection.ensureIndexes([DeliveryLogIndexes.formerByToken])
            try insert(0..<count, into: log)
            try test(log)
        }
    }

    private func insert(_ numbers: Range<Int>, into log: TestLog) throws {
        let bulk = log.collection.bulk()
        for number in numbers {
            let document = BSONWriter()
            document.append("_id", uuid: 7, UInt64(number))
            document.append("device_token", string: Self.token)
            document.append("outcome", string: "accepted")
            document.append("date", date: 1_790_000_000_000 + Int64(number) * 60_000)
            try bulk.insert(document)
        }
        try bulk.execute().requireDurable("insert")
    }
}
