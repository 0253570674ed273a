import Testing
import WaybillCore
import WaybillEncoding
import WaybillMongo
import WaybillMongoTestSupport

@testable import WaybillDeliveryLog

/// Whatever stops, and wherever: in the end the statistics say what the log says, and nothing is counted twice on the way.
@Suite(.enabled(if: TestDatabase.isAvailable)) struct StatisticsRecountTests {
    private static let minute = StatisticsMinute(.id, number: DeliveryRecord.minute)

    /// A writer that has written 30 records of which the statistics know 10, and is gone.
    private func dead(_ bench: StatisticsBench) throws -> CountingWriter {
        let writer = CountingWriter(bench.log)
        try writer.write((0..<10).map { .timed($0) })
        try writer.statistics.flush()
        try writer.write((10..<30).map { .timed($0, outcome: $0 % 2 == 0 ? .rejected : .accepted, reason: "BadTopic") })
        try bench.forget(writer)
        return writer
    }

    /// One of the same minute that is closed in order.
    private func closed(_ bench: StatisticsBench) throws {
        let writer = CountingWriter(bench.log)
        try writer.write((100..<120).map { .timed($0, client: "other") })
        try writer.statistics.flush(isEnding: true)
    }

    private func total(_ bench: StatisticsBench) throws -> Int {
        try bench.reader().series(StatisticsQuery(since: 0, until: 4_000_000_000_000)).rows.reduce(0) { $0 + $1.count }
    }

    @Test func whatADeadWriterHadOpenIsRecounted() throws {
        try StatisticsBench.with { bench in
            _ = try dead(bench)
            try closed(bench)
            let query = StatisticsQuery(since: 0, until: 4_000_000_000_000)
            #expect(try bench.reader().series(query).minutesInDoubt == 1)
            #expect(try total(bench) == 30)
            #expect(try bench.recount.round() == StatisticsRecount.Result(recounted: 1))
            #expect(try bench.counted() == bench.recorded())
            #expect(try bench.reader().series(query).minutesInDoubt == 0)
            // Nothing is left to do but to mark what was replaced, when no query can be under way any more.
            #expect(try bench.recount.round().recounted == 0)
            #expect(try bench.states() == ["closed", "closed", "taken"])
            try bench.age(Self.minute)
            #expect(try bench.recount.round().recounted == 0)
            #expect(try bench.states() == ["closed", "replaced", "replaced"])
            #expect(try bench.counted() == bench.recorded())
        }
    }

    /// From a kill until somebody takes its place, nobody recounts; what is told says so all the same.
    @Test(arguments: [(5, 0, 0), (5, 5, 0), (5, 15, 1), (5, 45, 1), (20, 30, 0), (20, 50, 1)])
    func aSilentWriterIsInDoubtBeforeItIsTakenForGone(interval: Int64, seconds: Int64, doubted: Int) throws {
        try StatisticsBench.with { bench in
            let writer = CountingWriter(bench.log, pace: StatisticsPace(interval: .seconds(interval)))
            try writer.write((0..<10).map { .timed($0) })
            try writer.statistics.flush()
            try writer.write((10..<30).map { .timed($0) })
            try bench.see(writer, secondsAgo: seconds)
            let query = StatisticsQuery(since: 0, until: 4_000_000_000_000)
            #expect(try bench.reader().series(query).minutesInDoubt == doubted)
            #expect(try bench.recount.round().recounted == 0)
            // It was there after all.
            try writer.statistics.flush()
            #expect(try bench.reader().series(query).minutesInDoubt == 0)
            #expect(try total(bench) == 30)
        }
    }

    @Test func aMinuteThatSomebodyHasOpenWaits() throws {
        try StatisticsBench.with { bench in
            _ = try dead(bench)
            let live = CountingWriter(bench.log)
            try live.write((200..<205).map { .timed($0) })
            #expect(try bench.recount.round().recounted == 0)
            #expect(try total(bench) == 10)
            try live.statistics.flush(isEnding: true)
            #expect(try bench.recount.round().recounted == 1)
            #expect(try bench.counted() == bench.recorded())
        }
    }

    /// The one who recounts ends after so many of its steps, and another one goes on.
    @Test(arguments: 0...3) func anEndAtAnyStepLeavesNothingTwice(steps: Int) throws {
        try StatisticsBench.with { bench in
            _ = try dead(bench)
            try closed(bench)
            let first = bench.recount
            let count = StatisticsLogCount(client: bench.log.client, database: bench.log.options.database)
            if steps > 0 {
                let taken = try #require(try first.take(Self.minute))
                #expect(try total(bench) == 30)
                if steps > 1 {
                    let cells = try #require(try count.cells(of: Self.minute) {})
                    #expect(try first.commit(Self.minute, cells, insteadOf: taken))
                    #expect(try bench.counted() == bench.recorded())
                    if steps > 2 {
                        // One of the two documents is marked, and no more.
                        let bulk = bench.collection.bulk()
                        try bulk.updateOne(
                            filter: BSONDocument { $0.append("_id", string: taken[0].id) },
                            update: BSONDocument { $0.append("$set") { $0.append("state", string: "replaced") } },
                            upsert: false
                        )
                        #expect(bulk.execute().matched == 1)
                        #expect(try bench.counted() == bench.recorded())
                    }
                }
            }
            _ = try bench.recount.round()
            #expect(try bench.counted() == bench.recorded())
            try bench.age(Self.minute)
            _ = try bench.recount.round()
            #expect(try bench.counted() == bench.recorded())
            #expect(try bench.states() == ["closed", "replaced", "replaced"])
        }
    }

    @Test func ofTwoThatRecountOneSucceeds() throws {
        try StatisticsBench.with { bench in
            _ = try dead(bench)
            let taken = try #require(try bench.recount.take(Self.minute))
            let cells = try #require(
                try StatisticsLogCount(client: bench.log.client, database: bench.log.options.database)
                    .cells(of: Self.minute) {}
            )
            let isFirst = try bench.recount.commit(Self.minute, cells, insteadOf: taken)
            let isSecond = try bench.recount.commit(Self.minute, cells, insteadOf: taken)
            #expect((isFirst, isSecond) == (true, false))
            #expect(try bench.counted() == bench.recorded())
            // The same over a head that is there.
            let known = try bench.recount.documents.of(Self.minute)
            let again = try bench.recount.commit(Self.minute, cells, insteadOf: known)
            let late = try bench.recount.commit(Self.minute, cells, insteadOf: known)
            #expect((again, late) == (true, false))
            #expect(try bench.counted() == bench.recorded())
        }
    }

    @Test func whatBeginsDuringACountEndsIt() throws {
        try StatisticsBench.with { bench in
            _ = try dead(bench)
            let newcomer = CountingWriter(bench.log)
            var hasCome = false
            let step = try bench.recount.recount(Self.minute) {
                guard !hasCome else { return }
                hasCome = true
                try? newcomer.write((300..<310).map { .timed($0) })
            }
            #expect(step == .later)
            try newcomer.statistics.flush(isEnding: true)
            #expect(try bench.recount.round().recounted == 1)
            #expect(try bench.counted() == bench.recorded())
        }
    }

    @Test func whoeverWasStoppedAndTakenOverSaysSo() throws {
        try StatisticsBench.with { bench in
            let stopped = try dead(bench)
            #expect(try bench.recount.round().recounted == 1)
            // It goes on: with a bulk that it had begun, and with others of the same minute.
            try stopped.write((400..<410).map { .timed($0) })
            #expect(try total(bench) == 30)
            try stopped.statistics.flush()
            try stopped.statistics.flush()
            try stopped.write((410..<420).map { .timed($0) })
            try stopped.statistics.flush(isEnding: true)
            #expect(try bench.recount.round().recounted == 1)
            #expect(try bench.counted() == bench.recorded())
            #expect(try total(bench) == 50)
        }
    }

    @Test func whoeverWasNotSeenForLongGivesUpWhatItHasOpen() throws {
        try StatisticsBench.with { bench in
            let pace = StatisticsPace(interval: .milliseconds(1))
            let writer = CountingWriter(bench.log, pace: pace)
            try writer.write((0..<5).map { .timed($0) })
            while !writer.ledger.isStale {}
            try writer.statistics.flush()
            #expect(try bench.states() == ["doubtful"])
        }
    }

    /// Another thread tells the store that the writer is there before the bulk looks: the gap is not forgotten.
    @Test func aBulkThatWasUnderWayDuringAGapIsInDoubt() {
        let ledger = StatisticsLedger()
        ledger.renewed(at: .now - .seconds(100))
        let before = ledger.reserve([Self.minute])
        #expect(ledger.mayBeTakenOver(since: before))
        ledger.renewed(at: .now)
        #expect(!ledger.isStale)
        #expect(ledger.mayBeTakenOver(since: before))
        let after = ledger.reserve([Self.minute])
        #expect(!ledger.mayBeTakenOver(since: after))
        // What was not known to be in the store may be there, and taken over: nothing more goes into it.
        #expect(before.documents[Self.minute] != after.documents[Self.minute])
    }

    /// Nothing can be said of a minute that is found by dates, without their index; the one behind it is counted.
    @Test func aMinuteThatCannotBeCountedHoldsUpNoOther() throws {
        try StatisticsBench.with { bench in
            let writer = CountingWriter(bench.log)
            try writer.write((0..<10).map { .timed($0, minute: -300, after: 60) })
            try writer.write((10..<20).map { .timed($0, minute: -300, after: 300 * 60) })
            try writer.write((20..<30).map { .timed($0, minute: 1) })
            try bench.forget(writer)
            #expect(throws: MongoError.self) { try bench.recount.round() }
            #expect(try bench.states() == ["closed", "closed", "taken", "taken", "taken"])
        }
    }

    @Test func whatMayHaveBeenWrittenByALostTryIsRecounted() throws {
        try StatisticsBench.with { bench in
            let writer = CountingWriter(bench.log)
            let entries = (0..<20).map { LogEntry(record: .timed($0)) }
            // The first half was written, and the answer was lost.
            try bench.log.writer.write(Array(entries.prefix(10)))
            try writer.write(
                entries.map { LogEntry(record: $0.record, predecessor: $0.predecessor, mayBeWritten: true) },
                mayBeOwn: true
            )
            try writer.statistics.flush(isEnding: true)
            #expect(try total(bench) == 10)
            #expect(try bench.recount.round().recounted == 1)
            #expect(try bench.counted() == bench.recorded())
        }
    }

    @Test func anAbandonedBulkLeavesItsMinuteInDoubt() throws {
        try StatisticsBench.with { bench in
            let writer = CountingWriter(bench.log)
            let entries = (0..<20).map { LogEntry(record: .timed($0)) }
            let abandoned = try writer.reserve(entries)
            try bench.log.writer.write(entries)
            writer.ledger.abandon(abandoned)
            let released = try writer.reserve([LogEntry(record: .timed(1, minute: 5))])
            writer.ledger.release(released)
            try writer.statistics.flush(isEnding: true)
            #expect(try bench.states() == ["closed", "doubtful"])
            #expect(try bench.recount.round().recounted == 1)
            #expect(try bench.counted() == bench.recorded())
        }
    }

    @Test func whatIsWrittenWhileABulkIsUnderWayIsNotClosed() throws {
        try StatisticsBench.with { bench in
            let writer = CountingWriter(bench.log)
            let reservation = try writer.reserve([LogEntry(record: .timed(1))])
            try writer.statistics.flush(isEnding: true)
            #expect(try bench.states() == ["open"])
            writer.ledger.release(reservation)
            try writer.statistics.flush(isEnding: true)
            #expect(try bench.states() == ["closed"])
        }
    }

    @Test func recordsWithoutATimeInTheirKeysAreRecountedByTheirDates() throws {
        try StatisticsBench.with { bench in
            _ = try DeliveryLogIndexes.ensure(client: bench.log.client, database: bench.log.options.database)
            let writer = CountingWriter(bench.log)
            // Hours after their time, with a producer's own ids, and in time, all in one minute of outcomes.
            let late = (0..<10).map { DeliveryRecord.timed($0, minute: -300, after: 300 * 60) }
            var given = (10..<20).map { DeliveryRecord.timed($0) }
            for position in given.indices {
                given[position].fingerprint = 7
                given[position].isCountedByDate = true
            }
            let areLate = late.filter { $0.isCountedByDate }.count
            #expect(areLate == late.count)
            try writer.write(late + given + (20..<30).map { .timed($0) })
            try bench.forget(writer)
            #expect(try bench.recount.round().recounted == 2)
            #expect(try bench.counted() == bench.recorded())
            #expect(try total(bench) == 30)
        }
    }

    @Test func aMinuteOfWhichRecordsMayBeGoneStaysAsItWasCounted() throws {
        try StatisticsBench.with(retention: .init(default: .keep, clients: ["acme": .days(1)])) { bench in
            let writer = CountingWriter(bench.log)
            let dayAgo: Int64 = -24 * 60
            try writer.write((0..<10).map { .timed($0, minute: dayAgo) })
            try writer.statistics.flush()
            try bench.forget(writer)
            #expect(try bench.recount.round() == StatisticsRecount.Result(recounted: 0, frozen: 1))
            #expect(try bench.states() == ["frozen"])
            #expect(try bench.counted() == bench.recorded())
            #expect(try bench.recount.round() == StatisticsRecount.Result())
        }
    }

    /// Retention was shorter when they were written, or somebody has erased them: what was counted is not lowered.
    @Test func aMinuteOfWhichRecordsAreGoneStaysAsItWasCounted() throws {
        try StatisticsBench.with { bench in
            let writer = CountingWriter(bench.log)
            try writer.write((0..<10).map { .timed($0) } + (10..<30).map { .timed($0, client: "other") })
            try writer.statistics.flush(isEnding: true)
            let counted = try bench.counted()
            // More of one client than before, and fewer of the other.
            try bench.log.writer.write((100..<120).map { LogEntry(record: .timed($0)) })
            let gone = BSONDocument { command in
                command.append("delete", string: Deliveries.collection)
                command.append(
                    "deletes",
                    array: { array in
                        array.append(document: { delete in
                            delete.append("q") { $0.append("client", string: "other") }
                            delete.append("limit", int: 1)
                        })
                    }
                )
            }
            _ = try bench.log.client.command(database: bench.log.options.database, gone)
            try writer.statistics.doubt([Self.minute])
            #expect(try bench.recount.round() == StatisticsRecount.Result(recounted: 0, frozen: 1))
            #expect(try bench.counted() == counted)
            #expect(try bench.recount.round() == StatisticsRecount.Result())
        }
    }

    /// What a head stands for is there still, and counts once.
    @Test func aMinuteIsRecountedTwiceInARow() throws {
        try StatisticsBench.with { bench in
            let writer = try dead(bench)
            for _ in 1...3 {
                #expect(try bench.recount.round().recounted == 1)
                #expect(try bench.counted() == bench.recorded())
                try writer.statistics.doubt([Self.minute])
            }
        }
    }

    @Test func oneAtATimeRecounts() throws {
        try StatisticsBench.with { bench in
            _ = try dead(bench)
            #expect(try bench.recount.round().recounted == 1)
            let other = StatisticsRecount(
                client: bench.log.client,
                options: bench.log.options,
                ledger: StatisticsLedger()
            )
            try other.documents.unresolved().forEach { #expect($0.isHead || $0.state == .taken) }
            let writer = CountingWriter(bench.log)
            try writer.statistics.doubt([Self.minute])
            #expect(try other.round().recounted == 0)
            #expect(try bench.recount.round().recounted == 1)
        }
    }

    @Test func withoutItsIndexAMinuteStaysInDoubtAndTheLogUnread() throws {
        try StatisticsBench.with { bench in
            let writer = CountingWriter(bench.log)
            try writer.write((0..<10).map { .timed($0, minute: -300, after: 300 * 60) })
            try bench.forget(writer)
            #expect(throws: MongoError.self) { try bench.recount.round() }
            _ = try DeliveryLogIndexes.ensure(client: bench.log.client, database: bench.log.options.database)
            #expect(try bench.recount.round().recounted == 1)
            #expect(try bench.counted() == bench.recorded())
        }
    }

    @Test func markedMinutesAreCountedAnewWhateverTheStatisticsSay() throws {
        try StatisticsBench.with { bench in
            _ = try DeliveryLogIndexes.ensure(client: bench.log.client, database: bench.log.options.database)
            // Of an earlier release, which did not count.
            try bench.log.writer.write((0..<10).map { LogEntry(record: .timed($0)) })
            let now = DeliveryRecord.minute * 60_000
            let marked = try StatisticsRecount.mark(
                since: now,
                until: now + 60_000,
                client: bench.log.client,
                database: bench.log.options.database
            )
            #expect(try bench.recount.round().recounted == marked.minutes)
            #expect(try bench.counted() == bench.recorded())
            #expect(try total(bench) == 10)
        }
    }
}
