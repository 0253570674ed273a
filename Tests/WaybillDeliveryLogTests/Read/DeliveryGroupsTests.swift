import Testing
import WaybillCore
import WaybillMongo

@testable import WaybillDeliveryLog

@Suite(.enabled(if: TestStore.isAvailable)) struct DeliveryGroupsTests {
    private static let begin: Int64 = 1_790_000_000_000

    /// A hundred records, a second apart: the first fifty have failed for one reason, of the others every second for another.
    private func load(_ log: TestLog) throws {
        let encoder = RecordEncoder(options: log.options)
        let document = BSONWriter()
        let bulk = log.collection.bulk()
        for number in 0..<100 {
            let isEarly = number < 50
            let hasFailed = isEarly || number.isMultiple(of: 2)
            let record = DeliveryRecord.sample(
                number,
                outcome: hasFailed ? .rejected : .accepted,
                reason: hasFailed ? (isEarly ? "BadTopic" : "PayloadTooLarge") : nil,
                date: Self.begin + Int64(number) * 1000,
                client: number.isMultiple(of: 10) ? "minor" : "major"
            )
            encoder.encode(record, into: document)
            try bulk.insert(document)
        }
        try bulk.execute().requireDurable("load")
        _ = try DeliveryLogIndexes.ensure(client: log.client, database: log.options.database)
    }

    private func counts(_ groups: [DeliveryGroup]) -> [String: Int] {
        groups.reduce(into: [:]) { $0[$1.reason ?? "", default: 0] += $1.count }
    }

    @Test func ofManyFailuresTheNewestAreLookedAt() throws {
        try TestStore.withLog { log in
            try load(log)
            let failures = DeliveryQuery(excludedOutcomes: [.accepted])
            let all = try log.reader.groups(failures, ofNewest: 75)
            #expect(all.sample == nil)
            #expect(counts(all.groups) == ["BadTopic": 50, "PayloadTooLarge": 25])
            let newest = try log.reader.groups(failures, ofNewest: 30)
            #expect(newest.sample == 30)
            #expect(counts(newest.groups) == ["BadTopic": 5, "PayloadTooLarge": 25])
            // What else is asked is asked of those.
            let minor = try log.reader.groups(
                DeliveryQuery(client: "minor", excludedOutcomes: [.accepted]),
                ofNewest: 30
            )
            #expect(minor.sample == 30)
            #expect(counts(minor.groups) == ["PayloadTooLarge": 5])
            let early = DeliveryQuery(excludedOutcomes: [.accepted], until: Self.begin + 50_000)
            #expect(try counts(log.reader.groups(early, ofNewest: 10).groups) == ["BadTopic": 10])
        }
    }

    @Test func whatIsNoQuestionOfFailuresIsCountedWhole() throws {
        try TestStore.withLog { log in
            try load(log)
            let batch = try log.reader.groups(DeliveryQuery(batch: BatchName("batch")), ofNewest: 10)
            #expect(batch.sample == nil)
            #expect(batch.groups.reduce(0) { $0 + $1.count } == 100)
        }
    }
}
