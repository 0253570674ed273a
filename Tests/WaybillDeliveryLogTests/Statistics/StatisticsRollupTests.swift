import Testing
import WaybillCore
import WaybillMongo
import WaybillMongoTestSupport

@testable import WaybillDeliveryLog

/// Hours and days say what their minutes say, and what the log says, whatever happens to those.
@Suite(.enabled(if: TestDatabase.isAvailable)) struct StatisticsRollupTests {
    private static let hour: Int64 = 3_600_000
    /// Long after everything has become quiet, and long before anything is let go.
    private static let soon = StatisticsClock.now() + 6 * hour

    private func rollup(_ bench: StatisticsBench) -> StatisticsRollup {
        StatisticsRollup(
            client: bench.log.client,
            database: bench.log.options.database,
            ledger: bench.recounter,
            keeping: StatisticsKeeping()
        )
    }

    /// Records of three days, with retries that end in the hour and the day after their message.
    private func filled(_ bench: StatisticsBench) throws -> CountingWriter {
        let writer = CountingWriter(bench.log)
        let reasons = [nil, "Unregistered", "BadTopic"]
        try writer.write(
            (0..<2_000).map { number in
                .timed(
                    number,
                    minute: -Int64(number * 2),
                    outcome: number % 4 == 0 ? .rejected : .accepted,
                    after: Int64(number % 3) * 1_700,
                    client: number % 5 == 0 ? nil : ["client-0", "caf\u{E9}", "cafe\u{301}"][number % 3],
                    reason: reasons[number % 3],
                    latency: Double(number % 700)
                )
            }
        )
        try writer.statistics.flush(isEnding: true)
        return writer
    }

    /// What the last step of a query is made of does not matter: minutes alone say the same.
    private func rows(_ bench: StatisticsBench, step: Int64?, since: Int64 = 6 * 1440, until: Int64 = 180) throws
        -> StatisticsSeries
    {
        let now = DeliveryRecord.minute
        let first = step.map { (now - since) / $0 * $0 } ?? now - since
        return try bench.reader().series(
            StatisticsQuery(since: first * 60_000, until: (now + until) * 60_000, step: step, dimension: .reason)
        )
    }

    private func count(_ bench: StatisticsBench, _ filter: (BSONWriter) -> Void) throws -> Int {
        try bench.collection.countDocuments(BSONDocument(filter))
    }

    private func expire(_ bench: StatisticsBench) throws {
        let gone = BSONDocument { command in
            command.append("delete", string: Statistics.collection)
            command.append(
                "deletes",
                array: { array in
                    array.append(document: { delete in
                        delete.append("q") { $0.append("expires_at") { $0.append("$exists", bool: true) } }
                        delete.append("limit", int: 0)
                    })
                }
            )
        }
        _ = try bench.log.client.command(database: bench.log.options.database, gone)
    }

    @Test func everyStepIsTheSameByMinutesHoursAndDays() throws {
        try StatisticsBench.with { bench in
            _ = try filled(bench)
            let steps: [Int64?] = [nil, 1, 5, 60, 180, 1440, 7 * 1440]
            let before = try steps.map { try rows(bench, step: $0) }
            let odd = try rows(bench, step: nil, since: 2_345, until: -777)
            let result = try rollup(bench).round(now: Self.soon)
            #expect(result.hours >= 66 && result.days >= 3 && result.sealed == 0)
            #expect(try steps.map { try rows(bench, step: $0) } == before)
            #expect(try rows(bench, step: nil, since: 2_345, until: -777) == odd)
            #expect(try bench.counted() == bench.recorded())
            #expect(try rollup(bench).round(now: Self.soon) == StatisticsRollup.Result())
        }
    }

    @Test func whatIsLetGoIsToldByHoursAndThenByDays() throws {
        try StatisticsBench.with { bench in
            _ = try filled(bench)
            let rollup = rollup(bench)
            _ = try rollup.round(now: Self.soon)
            let (whole, daily) = (try rows(bench, step: nil), try rows(bench, step: 1440))
            let hourly = try rows(bench, step: 60)
            let recorded = try bench.recorded()

            #expect(try rollup.round(now: Self.soon + 20 * 24 * Self.hour).sealed >= 66)
            try expire(bench)
            #expect(try count(bench) { $0.append("minute") { $0.append("$exists", bool: true) } } == 0)
            #expect(try rows(bench, step: nil) == whole)
            #expect(try rows(bench, step: 60) == hourly)
            #expect(try rows(bench, step: 1440) == daily)
            // Steps of minutes get whole hours, and say so.
            let fine = try rows(bench, step: 5)
            #expect(fine.rows.map(\.count) == hourly.rows.map(\.count))
            #expect(fine.rows.allSatisfy { ($0.start ?? 1) % Self.hour == 0 })
            #expect(fine.wholeHoursUntil != nil && fine.wholeDaysUntil == nil)
            // An edge within an hour widens it, once, wherever the time is divided.
            let edge = try rows(bench, step: nil, since: 3_001, until: -700)
            #expect(edge.wholeHoursUntil != nil)
            let first = (DeliveryRecord.minute - 3_001) / 60 * 60
            let inner = hourly.rows.filter {
                $0.start ?? 0 >= first * 60_000 && $0.start ?? 0 < (DeliveryRecord.minute - 700) * 60_000
            }
            #expect(edge.rows.reduce(0) { $0 + $1.count } == inner.reduce(0) { $0 + $1.count })

            #expect(try rollup.round(now: Self.soon + 120 * 24 * Self.hour).sealed >= 3)
            try expire(bench)
            #expect(try count(bench) { $0.append("level", string: "hour") } == 0)
            // What is asked for ends within a day, of which the note tells.
            #expect(try rows(bench, step: 1440).rows == daily.rows)
            #expect(try rows(bench, step: nil).rows == whole.rows)
            let coarse = try rows(bench, step: 60)
            #expect(coarse.rows.map(\.count) == daily.rows.map(\.count))
            #expect(coarse.wholeDaysUntil != nil)
            #expect(try bench.counted() == recorded)
        }
    }

    /// The sum is not believed while a minute of it is in doubt, and made anew afterwards; its day likewise.
    @Test func aRecountReachesHourAndDay() throws {
        try StatisticsBench.with { bench in
            let writer = try filled(bench)
            let rollup = rollup(bench)
            _ = try rollup.round(now: Self.soon)
            let minute = StatisticsMinute(.id, number: DeliveryRecord.minute - 1_000)
            // Nobody has counted these.
            try bench.log.writer.write((5_000..<5_040).map { LogEntry(record: .timed($0, minute: -1_000)) })
            try writer.statistics.doubt([minute])
            #expect(try rollup.round(now: Self.soon) == StatisticsRollup.Result())
            #expect(try bench.recount.round().recounted == 1)
            #expect(try bench.counted() == bench.recorded())
            // The head hides others still.
            #expect(try rollup.round(now: Self.soon) == StatisticsRollup.Result())
            try bench.age(minute)
            _ = try bench.recount.round()
            #expect(try rollup.round(now: Self.soon) == StatisticsRollup.Result(hours: 1, days: 1))
            #expect(try count(bench) { $0.append("unsummed", bool: true) } == 0)
            #expect(try bench.counted() == bench.recorded())
            let last = try rows(bench, step: 1440).rows.reduce(0) { $0 + $1.count }
            #expect(last == 2_040)
        }
    }

    @Test func aLateMinuteIsReadBesideItsHourUntilItIsSummedUp() throws {
        try StatisticsBench.with { bench in
            _ = try filled(bench)
            let rollup = rollup(bench)
            _ = try rollup.round(now: Self.soon)
            let late = CountingWriter(bench.log)
            try late.write((6_000..<6_010).map { .timed($0, minute: -2_000) })
            #expect(try rollup.round(now: Self.soon) == StatisticsRollup.Result())
            try late.statistics.flush(isEnding: true)
            #expect(try bench.counted() == bench.recorded())
            #expect(try rollup.round(now: Self.soon) == StatisticsRollup.Result(hours: 1, days: 1))
            #expect(try bench.counted() == bench.recorded())
        }
    }

    /// Long after its sum is made no more: it stays for good, and is no part of any.
    @Test func aMinuteThatComesAfterItsHourIsSealedCountsBesideIt() throws {
        try StatisticsBench.with { bench in
            _ = try filled(bench)
            let rollup = rollup(bench)
            for days in [0, 20, 120] as [Int64] {
                _ = try rollup.round(now: Self.soon + days * 24 * Self.hour)
                try expire(bench)
                let late = CountingWriter(bench.log)
                try late.write((0..<7).map { .timed(7_000 + Int(days) * 10 + $0, minute: -2_000) })
                try late.statistics.flush(isEnding: true)
                #expect(try bench.counted() == bench.recorded())
                _ = try rollup.round(now: Self.soon + days * 24 * Self.hour)
                #expect(try bench.counted() == bench.recorded())
            }
            #expect(try rows(bench, step: 1440).rows.reduce(0) { $0 + $1.count } == 2_021)
        }
    }

    /// The log may have everything still, but what the minute was in the sum nobody knows.
    @Test func aMinuteOfASealedHourIsNotRecounted() throws {
        try StatisticsBench.with { bench in
            let writer = try filled(bench)
            let rollup = rollup(bench)
            for days in [0, 20] as [Int64] { _ = try rollup.round(now: Self.soon + days * 24 * Self.hour) }
            try expire(bench)
            let counted = try bench.counted()
            try writer.statistics.doubt([StatisticsMinute(.id, number: DeliveryRecord.minute - 500)])
            #expect(try bench.recount.round() == StatisticsRecount.Result(recounted: 0, frozen: 1))
            #expect(try bench.counted() == counted)
            let since = (DeliveryRecord.minute - 1_000) * 60_000
            let marked = try StatisticsRecount.mark(
                since: since,
                until: since + Self.hour,
                client: bench.log.client,
                database: bench.log.options.database
            )
            #expect(marked.minutes == 0 && marked.summedUp > 100)
        }
    }

    /// Each step of two who do the same at once, and of one who is stopped in the middle, leaves it right.
    @Test func oneWhoWasStoppedSpoilsNothing() throws {
        try StatisticsBench.with { bench in
            let writer = try filled(bench)
            let minute = DeliveryRecord.minute - 200
            let start = StatisticsLevel.hour.floor(minute)
            let rollup = rollup(bench)
            #expect(try rollup.make(.hour, start))
            // The sum was written, and nothing was marked: the minutes count, and not the sum.
            func unmark() throws {
                let bulk = bench.collection.bulk()
                for part in try rollup.parts(of: .hour, start) ?? [] {
                    try bulk.updateOne(
                        filter: BSONDocument { $0.append("_id", string: part.id) },
                        update: BSONDocument { $0.append("$set") { $0.append("unsummed", bool: true) } },
                        upsert: false
                    )
                }
                #expect(bulk.execute().matched > 10)
            }
            try unmark()
            #expect(try bench.counted() == bench.recorded())
            #expect(try rollup.round(now: Self.soon).hours > 0)
            #expect(try bench.counted() == bench.recorded())
            // In doubt between the look at a sum and its seal: who recounts holds it.
            try writer.statistics.doubt([StatisticsMinute(.id, number: minute)])
            #expect(try bench.recount.round().recounted == 1)
            #expect(try rollup.round(now: Self.soon + 20 * 24 * Self.hour).hours == 0)
            let open = try count(bench) { filter in
                filter.append("_id", string: "hour/\(start)")
                filter.append("sealed", bool: false)
            }
            #expect(open == 1)
            try expire(bench)
            #expect(try bench.counted() == bench.recorded())
        }
    }

    @Test func nothingThatIsOpenIsSummedUp() throws {
        try StatisticsBench.with { bench in
            let writer = CountingWriter(bench.log)
            try writer.write((0..<10).map { .timed($0) })
            try writer.statistics.flush()
            #expect(try rollup(bench).round(now: Self.soon) == StatisticsRollup.Result())
            try writer.statistics.flush(isEnding: true)
            #expect(try rollup(bench).round(now: StatisticsClock.now() - 2 * Self.hour) == StatisticsRollup.Result())
            #expect(try rollup(bench).round(now: Self.soon) == StatisticsRollup.Result(hours: 1, days: 1))
            #expect(try bench.counted() == bench.recorded())
        }
    }

    /// By the server's own profiler.
    @Test func aLongTimeReadsSumsAndTheMinutesThatHaveNone() throws {
        try StatisticsBench.with { bench in
            _ = try filled(bench)
            _ = try rollup(bench).round(now: Self.soon)
            let (client, database) = (bench.log.client, bench.log.options.database)
            func profile(_ level: Int) throws {
                _ = try client.command(database: database, BSONDocument { $0.append("profile", int: level) })
            }
            try profile(2)
            _ = try rows(bench, step: 1440)
            _ = try rollup(bench).round(now: Self.soon)
            try profile(0)
            let steps = try client.collection(database: database, name: "system.profile").find(.empty).all()
                .filter { $0["ns"]?.string == "\(database).\(Statistics.collection)" }
            #expect(steps.count > 5)
            for step in steps {
                let plan = step["planSummary"]?.string ?? ""
                #expect(!plan.contains("COLLSCAN"))
                // Seven days, the hours of the last one, minutes of the last two hours: of 2,000.
                #expect(Int(step["docsExamined"]?.int ?? 0) <= 60, "\(plan)")
            }
        }
    }
}
