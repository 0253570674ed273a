import Testing
import WaybillCore
import WaybillEncoding
import WaybillMongo
import WaybillMongoTestSupport

@testable import WaybillDeliveryLog

/// What one writer counts, while nothing goes wrong.
@Suite(.enabled(if: TestDatabase.isAvailable)) struct StatisticsCountTests {
    @Test func everyFinalRecordIsCountedOnce() throws {
        try StatisticsBench.with { bench in
            let writer = CountingWriter(bench.log)
            // The last two look the same, and are two.
            let clients = ["client-0", "caf\u{E9}", "cafe\u{301}"]
            let reasons = [nil, "Unregistered", "BadTopic"]
            try writer.write(
                (0..<3_000).map { number in
                    .timed(
                        number,
                        minute: Int64(number % 3),
                        outcome: Outcome.allCases[number % 7],
                        after: Int64(number % 2) * 7_000,
                        client: number % 5 == 0 ? nil : clients[number % 4 % 3],
                        reason: reasons[number % 3]
                    )
                }
            )
            // The second time they meet themselves, as final as they are.
            for _ in 1...2 { try writer.write((3_000..<3_100).map { .timed($0, minute: Int64($0 % 3)) }) }
            try writer.statistics.flush()
            #expect(try bench.counted() == bench.recorded())
            try writer.statistics.flush(isEnding: true)
            #expect(try bench.counted() == bench.recorded())
            #expect(try Set(bench.states()) == ["closed"])
        }
    }

    /// The reason of a superseded record names one notification, which must not make a cell of its own.
    @Test func countsSupersededRecordsInOneCell() throws {
        try StatisticsBench.with { bench in
            _ = try DeliveryLogIndexes.ensure(client: bench.log.client, database: bench.log.options.database)
            let writer = CountingWriter(bench.log)
            try writer.write((0..<20).map { .timed($0, outcome: .superseded, reason: "by \($0)") })
            try writer.statistics.flush(isEnding: true)
            #expect(try bench.counted()["reason - superseded"] == 20)
            // A recount groups the records in the store.
            let now = DeliveryRecord.minute * 60_000
            let marked = try StatisticsRecount.mark(
                since: now,
                until: now + 60_000,
                client: bench.log.client,
                database: bench.log.options.database
            )
            #expect(try bench.recount.round().recounted == marked.minutes)
            #expect(try bench.counted()["reason - superseded"] == 20)
        }
    }

    /// More than one question is needed, and steps and sums are those of one.
    @Test func daysAreCountedPieceByPiece() throws {
        try StatisticsBench.with { bench in
            let writer = CountingWriter(bench.log)
            let days: [Int64] = [0, -1, -2, -3, -5, -9]
            try writer.write(
                (0..<600).map { .timed($0, minute: days[$0 % 6] * 1440, client: "client-\($0 % 4)") }
            )
            try writer.statistics.flush(isEnding: true)
            #expect(try bench.counted() == bench.recorded())
            let until = (DeliveryRecord.minute + 10) * 60_000
            for step in [nil, 1440, 7 * 1440] as [Int64?] {
                let query = StatisticsQuery(
                    since: until - 20 * 86_400_000,
                    until: until,
                    step: step,
                    dimension: .client
                )
                let rows = try bench.reader().series(query).rows
                #expect(rows.reduce(0) { $0 + $1.count } == 600)
                #expect(
                    Set(rows.map { [$0.start ?? 0, Int64($0.value?.last?.wholeNumberValue ?? 0)] }).count == rows.count
                )
                if step == nil { #expect(rows.map(\.count) == [150, 150, 150, 150]) }
                if step == 1440 {
                    #expect(rows.count >= 12 && rows == rows.sorted { ($0.start ?? 0) < ($1.start ?? 0) })
                }
            }
        }
    }

    @Test func aDeferredRecordCountsWhenItsSuccessorIsFinal() throws {
        try StatisticsBench.with { bench in
            let writer = CountingWriter(bench.log)
            try writer.write([.timed(1, outcome: .deferred), .timed(2, outcome: .deferred)])
            try writer.statistics.flush()
            #expect(try bench.counted().isEmpty)
            let known = LogEntry.Predecessor(attempts: 1, isRepeat: false)
            try writer.write([
                LogEntry(record: .timed(1), predecessor: known), LogEntry(record: .timed(3), predecessor: known),
            ])
            // Both give way, though nobody knew of them.
            try writer.write([.timed(2)])
            try writer.statistics.flush(isEnding: true)
            #expect(try bench.counted() == bench.recorded())
            #expect(try bench.counted()["lane parcels accepted"] == 3)
            #expect(try Set(bench.states()) == ["closed"])
        }
    }

    @Test func whereSomeOfThoseThatWereMetGaveWayTheMinuteIsInDoubt() throws {
        try StatisticsBench.with { bench in
            let writer = CountingWriter(bench.log)
            try writer.write([.timed(1), .timed(2, outcome: .deferred)])
            try writer.write([.timed(1), .timed(2)])
            try writer.statistics.flush(isEnding: true)
            #expect(try bench.states() == ["doubtful"])
            #expect(try bench.recount.round().recounted == 1)
            #expect(try bench.counted() == bench.recorded())
        }
    }

    @Test func whatIsFullIsClosedAndAnotherDocumentFollows() throws {
        try StatisticsBench.with { bench in
            let writer = CountingWriter(bench.log)
            let count = StatisticsLedger.cellLimit + 10
            try writer.write((0..<count).map { .timed($0, client: "client-\($0)") })
            try writer.write((count..<count + 10).map { .timed($0) })
            try writer.statistics.flush(isEnding: true)
            #expect(try bench.states() == ["closed", "closed"])
            #expect(try bench.counted() == bench.recorded())
        }
    }

    @Test func aScopeSeesItsOwnClientsAlone() throws {
        try StatisticsBench.with { bench in
            let writer = CountingWriter(bench.log)
            try writer.write((0..<90).map { .timed($0, client: ["acme", "other", nil][$0 % 3]) })
            try writer.statistics.flush()
            #expect(try bench.counted(.clients(["acme"])) == bench.recorded(client: "acme"))
            #expect(try bench.counted(.clients([])).isEmpty)
            let widened = StatisticsQuery(since: 0, until: 4_000_000_000_000, client: "other")
            #expect(try bench.reader(.clients(["acme"])).series(widened).rows.isEmpty)
            let others = TextFilter(excluding: ["acme"])
            let negated = StatisticsQuery(since: 0, until: 4_000_000_000_000, client: others)
            #expect(try bench.reader(.clients(["acme"])).series(negated).rows.isEmpty)
            #expect(try bench.reader(.all).series(negated).rows.map(\.count) == [60])
        }
    }

    @Test func aSeriesHasStepsFiltersAndTheMinutesThatWereAskedFor() throws {
        try StatisticsBench.with { bench in
            let writer = CountingWriter(bench.log)
            let base = DeliveryRecord.minute / 10 * 10 - DeliveryRecord.minute
            try writer.write(
                (0..<20).map { .timed($0, minute: base + Int64($0), outcome: $0 % 4 == 0 ? .rejected : .accepted) }
            )
            try writer.statistics.flush()
            let start = (DeliveryRecord.minute + base) * 60_000
            func rows(
                _ minutes: Range<Int64>,
                step: Int64? = nil,
                outcomes: [Outcome] = [],
                but excluded: [Outcome] = []
            ) throws -> [Int] {
                let query = StatisticsQuery(
                    since: start + minutes.lowerBound * 60_000,
                    until: start + minutes.upperBound * 60_000,
                    step: step,
                    outcomes: outcomes,
                    excludedOutcomes: excluded
                )
                return try bench.reader().series(query).rows.map(\.count)
            }
            #expect(try rows(0..<20) == [20])
            #expect(try rows(3..<7) == [4])
            #expect(try rows(0..<20, step: 10) == [10, 10])
            #expect(try rows(5..<20, step: 10) == [5, 10])
            #expect(try rows(0..<20, outcomes: [.rejected]) == [5])
            #expect(try rows(0..<20, but: [.rejected]) == [15])
            #expect(try rows(0..<20, but: [.rejected, .accepted]).isEmpty)
            #expect(try rows(30..<40).isEmpty)
        }
    }

    /// A bound of a class belongs to the class above it, here and in the server.
    @Test func theServerPutsLatenciesIntoTheSameClasses() throws {
        try StatisticsBench.with { bench in
            let near = LatencyBuckets.bounds.flatMap { [$0 - 0.001, $0, $0 + 0.001] }
            let latencies: [Double] = near + [0, 60_000]
            let writer = CountingWriter(bench.log)
            try writer.write(
                latencies.enumerated().map { .timed($0.offset, latency: $0.element) } + [.timed(999, latency: nil)]
            )
            let minute = StatisticsMinute(.id, number: DeliveryRecord.minute)
            let counted = try StatisticsLogCount(client: bench.log.client, database: bench.log.options.database)
                .cells(of: minute) {}
            var expected = [Int](repeating: 0, count: LatencyBuckets.count)
            for latency in latencies { expected[LatencyBuckets.index(of: latency)] += 1 }
            #expect(counted?.values.map(\.latency) == [expected])
            #expect(counted?.values.map(\.count) == [latencies.count + 1])
            try writer.statistics.flush()
            let row = try bench.reader().series(StatisticsQuery(since: 0, until: 4_000_000_000_000)).rows
            #expect(row.map(\.latency) == [expected])
        }
    }
}
