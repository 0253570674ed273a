import Testing
import WaybillCore
import WaybillDeliveryLog
import WaybillEncoding
import WaybillMongo
import WaybillMongoTestSupport
import WaybillReceipts

@testable import WaybillOperations

/// What devices have said, counted where the outcomes of their notifications are.
@Suite(.enabled(if: TestDatabase.isAvailable)) struct ReceiptStatisticsTests {
    /// A whole hour.
    private static let start: Int64 = 1_790_002_800_000
    private static let minute: Int64 = 60_000

    private struct Bench {
        let client: MongoClient
        let options: DeliveryLogOptions

        /// A record with an id of its message's time, or of none.
        func record(
            _ number: UInt64,
            at minutes: Int64,
            lane: String,
            outcome: Outcome = .accepted,
            client name: String = "acme",
            isByDate: Bool = false,
            givenID: NotificationID? = nil,
            content: UInt64? = nil
        ) throws -> NotificationID {
            let date = ReceiptStatisticsTests.start + minutes * ReceiptStatisticsTests.minute
            let time = UInt64(isByDate ? 0 : date - 5)
            let id = NotificationID(high: time << 16 | 0x8000, low: 1 << 63 | number)
            let record = DeliveryRecord(
                id: id,
                givenID: givenID,
                fingerprint: content,
                deviceToken: Array("aa00".utf8)[...],
                outcome: outcome,
                date: date,
                batchID: "b",
                client: name,
                lane: lane,
                attempts: 1,
                isCountedByDate: isByDate
            )
            try DeliveryLogWriter(client: client, options: options).write([LogEntry(record: record)])
            return id
        }

        func say(_ event: ReceiptEvent, of id: NotificationID, content: UInt64? = nil) throws {
            // Long after the outcome: it counts where that is.
            let time = ReceiptStatisticsTests.start + 86_400_000
            let receipt = DeliveryReceipt(id: id, content: content, event: event, receivedAt: time)
            _ = try ReceiptWriter(client: client, database: options.database, retention: .keep).store([receipt])
        }

        func rows(
            _ dimension: StatisticsQuery.Dimension? = nil,
            step: Int64? = nil,
            lane: TextFilter = .all,
            scope: DeliveryScope = .all
        ) throws -> [StatisticsRow] {
            let query = StatisticsQuery(
                since: ReceiptStatisticsTests.start,
                until: ReceiptStatisticsTests.start + 60 * ReceiptStatisticsTests.minute,
                step: step,
                dimension: dimension,
                lane: lane
            )
            // Nobody has counted anything: only what was said has rows.
            var series = try StatisticsReader(client: client, database: options.database, scope: scope).series(query)
            try ReceiptStatistics(client: client, options: options, scope: scope)
                .add(to: &series, query, within: .seconds(30))
            return series.rows
        }
    }

    private func withBench(_ body: (Bench) throws -> Void) throws {
        try TestDatabase.withDatabase { client, database in
            let options = DeliveryLogOptions(database: database, retention: RetentionPolicy(default: .keep))
            try body(Bench(client: client, options: options))
        }
    }

    /// Unicode calls the two names equivalent; they are two clients.
    @Test func clientsAreToldApartByTheirBytes() throws {
        try withBench { bench in
            let names = ["caf\u{e9}", "cafe\u{301}"]
            for (number, name) in names.enumerated() {
                try bench.say(.received, of: bench.record(UInt64(number + 1), at: 2, lane: "ios", client: name))
            }
            let rows = try bench.rows(.client)
            #expect(Set(rows.compactMap(\.value).map { ExactName($0) }) == Set(exactly: names))
            #expect(rows.map { $0.receipts?.arrived } == [1, 1])
        }
    }

    @Test func whatWasSaidCountsWhereTheOutcomeIs() throws {
        try withBench { bench in
            let first = try bench.record(1, at: 2, lane: "ios")
            let second = try bench.record(2, at: 31, lane: "ios")
            let given = try bench.record(3, at: 32, lane: "android", isByDate: true)
            let silent = try bench.record(4, at: 33, lane: "android")
            let early = try bench.record(5, at: -1, lane: "ios")
            let late = try bench.record(6, at: 60, lane: "ios", isByDate: true)
            let waits = try bench.record(7, at: 34, lane: "ios", outcome: .deferred)
            for id in [first, second, given, early, late, waits] { try bench.say(.received, of: id) }
            try bench.say(.opened, of: first)
            try bench.say(.acknowledged, of: given)
            // Of nothing that is recorded.
            try bench.say(.received, of: NotificationID(high: silent.high, low: silent.low + 1))
            let all = try #require(try bench.rows().first?.receipts)
            #expect(all.arrived == 3 && all[.received] == 3 && all[.opened] == 1 && all[.acknowledged] == 1)
            let lanes = try bench.rows(.lane)
            #expect(Set(lanes.map(\.value)) == ["ios", "android"])
            #expect(lanes.first { $0.value == "ios" }?.receipts?.arrived == 2)
            #expect(lanes.first { $0.value == "android" }?.receipts?[.acknowledged] == 1)
            let steps = try bench.rows(step: 30)
            #expect(steps.map(\.start) == [Self.start, Self.start + 30 * Self.minute])
            #expect(steps.map { $0.receipts?.arrived } == [1, 2])
            #expect(try bench.rows(lane: TextFilter(["android"])).first?.receipts?.arrived == 1)
        }
    }

    @Test func ofAGivenIDItsOwnDeviceCounts() throws {
        try withBench { bench in
            let id = try bench.record(3, at: 32, lane: "android", isByDate: true, content: 7)
            try bench.say(.opened, of: id, content: 7)
            try bench.say(.acknowledged, of: id, content: 8)
            let all = try #require(try bench.rows().first?.receipts)
            #expect((all.arrived, all[.opened], all[.acknowledged]) == (1, 1, 0))
            // The other one, recorded under an id of its own.
            _ = try bench.record(4, at: 33, lane: "ios", isByDate: true, givenID: id, content: 8)
            let both = try #require(try bench.rows().first?.receipts)
            #expect((both.arrived, both[.opened], both[.acknowledged]) == (2, 1, 1))
        }
    }

    @Test func nobodySeesWhatIsOthers() throws {
        try withBench { bench in
            try bench.say(.opened, of: try bench.record(1, at: 2, lane: "ios"))
            try bench.say(.opened, of: try bench.record(2, at: 3, lane: "ios", client: "globex"))
            let rows = try bench.rows(.client, scope: .clients(["globex"]))
            #expect(rows.map(\.value) == ["globex"] && rows.first?.receipts?[.opened] == 1)
        }
    }

    /// Rows that statistics have, whether anything was said or not, and what they do not know yet.
    @Test func eachRowHasItsTally() throws {
        try withBench { bench in
            try bench.say(.opened, of: try bench.record(1, at: 2, lane: "ios"))
            let query = StatisticsQuery(
                since: Self.start,
                until: Self.start + 60 * Self.minute,
                dimension: .lane
            )
            let known = StatisticsRow(start: nil, value: "android", outcomes: ["accepted": 4], latency: [])
            let reader = StatisticsReader(client: bench.client, database: bench.options.database, scope: .all)
            var series = try reader.series(query)
            series.rows.append(known)
            try ReceiptStatistics(client: bench.client, options: bench.options, scope: .all)
                .add(to: &series, query, within: .seconds(30))
            #expect(series.rows.map(\.value) == ["android", "ios"])
            #expect(series.rows.map { $0.receipts?.arrived } == [0, 1])
            #expect(series.rows.map(\.count) == [4, 0])
        }
    }

    @Test func moreThanOnePieceIsCounted() throws {
        try withBench { bench in
            let time = UInt64(Self.start)
            let ids = (0..<2300).map { NotificationID(high: time << 16 | 0x8000, low: 1 << 63 | UInt64($0)) }
            let records = ids.map { id in
                LogEntry(
                    record: DeliveryRecord(
                        id: id,
                        deviceToken: Array("aa00".utf8)[...],
                        outcome: .accepted,
                        date: Self.start + 1,
                        batchID: "b",
                        lane: "ios"
                    )
                )
            }
            try DeliveryLogWriter(client: bench.client, options: bench.options).write(records)
            let writer = ReceiptWriter(client: bench.client, database: bench.options.database, retention: .keep)
            for event in [ReceiptEvent.received, .opened] {
                for start in stride(from: 0, to: ids.count, by: ReceiptWriter.most) {
                    let some = ids[start..<min(start + ReceiptWriter.most, ids.count)]
                    _ = try writer.store(some.map { DeliveryReceipt(id: $0, event: event, receivedAt: Self.start) })
                }
            }
            let tally = try #require(try bench.rows().first?.receipts)
            #expect(tally.arrived == 2300 && tally[.received] == 2300 && tally[.opened] == 2300)
        }
    }
}
