import Testing
import WaybillCore
import WaybillMongo
import WaybillMongoTestSupport

@testable import WaybillDeliveryLog

/// What is put off of a cancelled batch ends in the log, each once, and is counted once.
@Suite(.enabled(if: TestDatabase.isAvailable)) struct DeferredDeliveriesTests {
    private static let given = StatisticsClock.now()

    private struct Canceller {
        let deliveries: DeferredDeliveries
        let ledger = StatisticsLedger()
        let statistics: StatisticsWriter

        init(_ bench: StatisticsBench) {
            let (client, options) = (bench.log.client, bench.log.options)
            deliveries = DeferredDeliveries(client: client, options: options, ledger: ledger)
            statistics = StatisticsWriter(client: client, database: options.database, ledger: ledger)
        }

        /// Walks to the end, and says how many have ended.
        @discardableResult
        func end(_ order: DeferredDeliveries.Order) throws -> Int {
            var position: DeferredDeliveries.Position? = .init(order)
            var count = 0
            while let next = position {
                let step = try deliveries.end(order, at: next, now: DeferredDeliveriesTests.given)
                #expect(!step.hasMetAnother)
                count += step.ended.values.reduce(0, +)
                position = step.next
            }
            return count
        }
    }

    private static func order(_ batch: String = "b", client: String? = nil, date: Int64 = given)
        -> DeferredDeliveries.Order
    {
        DeferredDeliveries.Order(batch: BatchName(batch), client: client, source: "anna@push-1", date: date)
    }

    private func with(retention: RetentionPolicy = .init(default: .keep), _ test: (StatisticsBench) throws -> Void)
        throws
    {
        try StatisticsBench.with(retention: retention) { bench in
            _ = try DeliveryLogIndexes.ensure(client: bench.log.client, database: bench.log.options.database)
            try test(bench)
        }
    }

    private func deferred(_ number: Int, batch: String = "b", client: String? = "acme") -> DeliveryRecord {
        var record = DeliveryRecord.timed(number, outcome: .deferred, client: client, reason: "ServiceUnavailable")
        record.batchID = batch
        record.statusCode = 503
        return record
    }

    @Test func itHasTheFormOfADispatchersRecord() throws {
        try with(retention: .init(default: .days(30))) { bench in
            var first = deferred(1)
            first.queuedMilliseconds = 7
            first.isRepeat = true
            try bench.log.write(first)
            #expect(try Canceller(bench).end(Self.order()) == 1)
            // What a dispatcher writes whose order is older than the message's turn.
            var wanted = first
            wanted.outcome = .cancelled
            wanted.statusCode = nil
            wanted.reason = "by anna@push-1"
            wanted.date = Self.given
            wanted.latencyMilliseconds = nil
            let sent = AttemptRecord(
                date: first.date,
                status: 503,
                reason: "ServiceUnavailable",
                latency: first.latencyMilliseconds
            )
            wanted.history = [sent]
            wanted.isCountedByDate = true
            let document = BSONWriter()
            RecordEncoder(options: bench.log.options).encode(wanted, into: document)
            #expect(try bench.log.stored(first) == document.document)
        }
    }

    @Test func aPushWithoutAnAnswerStaysUnknownAndWhatWasNeverSentHasNoHistory() throws {
        try with { bench in
            var silent = deferred(1)
            silent.statusCode = nil
            silent.reason = "timeout"
            var unsent = deferred(2)
            unsent.attempts = 0
            unsent.statusCode = nil
            unsent.latencyMilliseconds = nil
            try bench.log.write(silent, unsent)
            #expect(try Canceller(bench).end(Self.order()) == 2)
            let one = try #require(try bench.log.stored(silent))
            #expect(one["outcome"] == .string("unknown") && one["reason"] == .string("timeout"))
            let other = try #require(try bench.log.stored(unsent))
            #expect(other["outcome"] == .string("cancelled") && other["history"] == nil)
        }
    }

    /// Which records an order is about, by what they have.
    @Test func nothingElseEnds() throws {
        try with { bench in
            var given = deferred(7)
            given.id = NotificationID(high: 0x1234_5678_9abc_4def, low: 1 << 63 | 7)
            given.fingerprint = 9
            var later = deferred(8)
            later.id = NotificationID(high: UInt64(Self.given + 1000) << 16 | 0x8000, low: 1 << 63 | 8)
            later.date = Self.given + 2000
            var givenLater = given
            givenLater.id = NotificationID(high: 0x1234_5678_9abc_4def, low: 1 << 63 | 9)
            givenLater.date = Self.given + 2000
            var final = deferred(10)
            final.outcome = .accepted
            let ends = [deferred(1), deferred(2, batch: "b.1"), deferred(3, batch: "b.12"), given]
            let stays = [
                deferred(4, batch: "b.x"), deferred(5, batch: "bb"), deferred(6, client: "other"), later, givenLater,
                final,
            ]
            try bench.log.writer.write((ends + stays).map { LogEntry(record: $0) })
            #expect(try Canceller(bench).end(Self.order(client: "acme")) == ends.count)
            for record in ends { #expect(try bench.log.stored(record)?["outcome"] == .string("cancelled")) }
            for record in stays {
                #expect(try bench.log.stored(record)?["outcome"] == .string(record.outcome.rawValue), "\(record.id)")
            }
            #expect(try Canceller(bench).end(Self.order()) == 1, "the other client's")
        }
    }

    @Test func manyEndOverManySteps() throws {
        try with { bench in
            let records = (0..<1_300).map { number in
                var record = deferred(number, batch: number % 3 == 0 ? "b" : "b.\(number % 3)")
                if number % 4 == 0 { record.outcome = .accepted }
                return record
            }
            let writer = CountingWriter(bench.log)
            try writer.write(records)
            try writer.statistics.flush(isEnding: true)
            let canceller = Canceller(bench)
            #expect(try canceller.end(Self.order()) == records.count { $0.outcome == .deferred })
            #expect(try canceller.end(Self.order()) == 0)
            try canceller.statistics.flush(isEnding: true)
            #expect(try bench.counted() == bench.recorded())
            #expect(try Set(bench.states()) == ["closed"])
            #expect(try bench.counted()["lane parcels cancelled"] == 975)
        }
    }

    @Test func whoMeetsAnotherOneStepsBackAndTheMinuteIsCountedAnew() throws {
        try with { bench in
            try bench.log.writer.write((0..<10).map { LogEntry(record: deferred($0)) })
            let canceller = Canceller(bench)
            let position = DeferredDeliveries.Position(Self.order())
            let found = try canceller.deliveries.find(Self.order(), at: position, now: Self.given)
            #expect(found.endings.count == 10)
            // Meanwhile one has been pushed.
            let writer = CountingWriter(bench.log)
            let known = LogEntry.Predecessor(attempts: 1, isRepeat: false)
            try writer.write([LogEntry(record: .timed(3), predecessor: known, wasPushed: true)])
            #expect(try canceller.deliveries.write(found.endings) == false)
            #expect(try bench.log.stored(deferred(3))?["outcome"] == .string("accepted"))
            #expect(try canceller.end(Self.order()) == 0, "the others have ended")
            for one in [writer.statistics, canceller.statistics] { try one.flush(isEnding: true) }
            #expect(try bench.states() == ["closed", "doubtful"])
            #expect(try bench.recount.round().recounted == 1)
            #expect(try bench.counted() == bench.recorded())
        }
    }

    /// Somebody had the message in hand and did not know of the order.
    @Test(arguments: [Outcome.accepted, .deferred]) func whatBecameOfAPushTakesItsPlace(outcome: Outcome) throws {
        try with { bench in
            try bench.log.write(deferred(1), deferred(2))
            let canceller = Canceller(bench)
            #expect(try canceller.end(Self.order()) == 2)
            try canceller.statistics.flush(isEnding: true)
            var record = DeliveryRecord.timed(1, outcome: outcome)
            record.batchID = "b"
            record.attempts = 2
            let writer = CountingWriter(bench.log)
            let known = LogEntry.Predecessor(attempts: 1, isRepeat: false)
            let result = try writer.write([LogEntry(record: record, predecessor: known, wasPushed: true)])
            #expect(result.overruled == 1)
            let stored = try #require(try bench.log.stored(record))
            #expect(stored["outcome"] == .string(outcome.rawValue) && stored["attempts"] == .int(2))
            #expect(stored["repeat"] == nil, "nobody else has pushed it")
            try writer.statistics.flush(isEnding: true)
            // Both the minute that it leaves, and the one that it is counted in now.
            #expect(try bench.recount.round().recounted == (outcome == .accepted ? 2 : 1))
            #expect(try bench.counted() == bench.recorded())
            // It ends once more, if it was put off again.
            #expect(try canceller.end(Self.order()) == (outcome == .deferred ? 1 : 0))
        }
    }

    @Test func anotherPushThanThoseThatThePassKnewOfIsARepeat() throws {
        try with { bench in
            try bench.log.write(deferred(1))
            _ = try Canceller(bench).end(Self.order())
            let entry = LogEntry(record: .timed(1), predecessor: nil, wasPushed: true)
            #expect(try CountingWriter(bench.log).write([entry]).overruled == 1)
            #expect(try bench.log.stored(deferred(1))?["repeat"] == .bool(true))
        }
    }
}
