import Testing
import WaybillCore
import WaybillDeliveryLog
import WaybillDeviceRegistry
import WaybillDeviceRegistryTestSupport
import WaybillMessages
import WaybillMongo
import WaybillMongoTestSupport
import WaybillThreads

@testable import WaybillPrune

/// Several storms, one after the other, against a real store: no token of any of them stays disabled.
@Suite(.enabled(if: TestDatabase.isAvailable, "WAYBILL_TEST_STORE is not set"))
struct StormsInTurnTests {
    /// The beginning of a minute that is settled: nothing more of it is counted.
    private let minute = (WallClock.milliseconds() / 60_000 - 20) * 60_000

    private func withBench(_ body: (FuseBench) throws -> Void) async throws {
        try await RegistryStore.withStore { try body(try FuseBench($0)) }
    }

    private func record(
        _ bench: FuseBench,
        _ tokens: [String],
        status: Int = 410,
        in number: Int64,
        second: Int64 = 30
    ) throws -> [InvalidTokenEvent] {
        try bench.log.record(
            tokens.map { AnswerLog.Answer(token: $0, status: status, date: minute + number * 60_000 + second * 1000) }
        )
    }

    /// Prune was away during both.
    @Test func allStormsOfABacklogAreHeld() async throws {
        try await withBench { bench in
            let phones = try bench.phones(90)
            let first = try record(bench, Array(phones.prefix(30)), in: 0)
            _ = try record(bench, Array(repeating: phones[0], count: 600), status: 200, in: 1)
            let second = try record(bench, Array(phones.suffix(60)), in: 2)
            let fuse = bench.process()
            #expect(try fuse.carryOut(first + second)?.held == 90)
            try fuse.turn()
            #expect(try bench.disabled().isEmpty)
            let cause = try #require(try bench.fuses().first).cause
            #expect(cause.since == minute)
            #expect((cause.answers, cause.invalid, cause.whole) == (90, 90, 1000))
        }
    }

    /// Whoever has called all of a storm right has not called the next one right.
    @Test func aFuseBlowsAgainAfterAStormOfEverythingWasReleased() async throws {
        try await withBench { bench in
            let phones = try bench.phones(120)
            let old = Set(phones.prefix(60))
            let fuse = bench.process()
            #expect(try fuse.carryOut(try record(bench, Array(phones.prefix(60)), in: 0))?.held == 60)
            try bench.decide(.released, at: minute + 40_000)
            try fuse.turn()
            #expect(try bench.disabled() == old)
            #expect(try fuse.carryOut(try record(bench, Array(phones.suffix(60)), in: 1))?.held == 60)
            #expect(try bench.disabled() == old)
        }
    }

    /// The decision about the first storm is still to be followed when the events of the second come.
    @Test(arguments: [false, true]) func aStormIsJudgedAfterADecisionWasFollowed(_ dies: Bool) async throws {
        try await withBench { bench in
            let phones = try bench.phones(120)
            #expect(try bench.process().carryOut(try record(bench, Array(phones.prefix(60)), in: 0))?.held == 60)
            try bench.decide(.discarded, at: minute + 40_000)
            let second = try record(bench, Array(phones.suffix(60)), in: 1)
            let fuse = bench.process()
            #expect(try fuse.carryOut(second)?.held == 0)
            let next = dies ? bench.process() : fuse
            for _ in 0..<10 {
                try next.turn()
                if try bench.fuses().first?.isBlown == true { break }
            }
            #expect(try bench.disabled().isEmpty)
            #expect(try bench.count(.discarded) == 60)
            #expect(try bench.count(.held) == 60)
            #expect(try bench.fuses().first?.isBlown == true)
        }
    }

    /// What was said in the rest of a decision's minute goes the way of what was decided, whatever comes after it.
    @Test(arguments: [Fuse.State.released, .discarded])
    func theRestOfADecisionsMinuteIsNoPartOfTheNextStorm(_ decided: Fuse.State) async throws {
        try await withBench { bench in
            let phones = try bench.phones(140)
            let fuse = bench.process()
            let first = try record(bench, Array(phones[..<60]), in: 0, second: 5)
            #expect(try fuse.carryOut(first)?.held == 60)
            try bench.decide(decided, at: minute + 9000)
            try fuse.turn()
            let rest = try record(bench, Array(phones[60..<90]), in: 0, second: 20)
            #expect(try fuse.carryOut(Array(rest.prefix(20)))?.held == 0)
            let next = try record(bench, Array(phones[90...]), in: 1)
            #expect(try fuse.carryOut(next)?.held == 50)
            let blown = try #require(try bench.fuses().first)
            #expect(blown.isBlown && blown.cause.since == minute + 60_000)
            // What comes late of that minute, too.
            #expect(try fuse.carryOut(Array(rest.suffix(10)))?.held == 0)
            try fuse.turn()
            let right = decided == .released ? Set(phones[..<90]) : []
            #expect(try bench.count(.held) == 50)
            #expect(try bench.disabled() == right)
            try bench.decide(.discarded, at: minute + 70_000)
            try fuse.turn()
            #expect(try bench.count(.held) == 0)
            #expect(try bench.disabled() == right)
        }
    }

    /// Who has blown the fuse died before it could take anything back, a person has discarded, and the next storm comes before
    /// the next prune.
    @Test func whatWasDiscardedIsTakenBackAlsoWhereTheFuseHasBlownAgain() async throws {
        try await withBench { bench in
            let phones = try bench.phones(120)
            let first = try record(bench, Array(phones.prefix(60)), in: 0)
            try bench.carriedOutByTheDead(first)
            let cause = Fuse.Cause(
                at: minute + 35_000,
                since: minute,
                answers: 60,
                invalid: 60,
                limit: 200,
                usual: nil,
                reason: nil,
                words: "a test"
            )
            let isBlown = try bench.store.pool.withClient { (client) throws(MongoError) in
                try FuseStore(client: client, database: bench.store.database)
                    .blow(FuseName(first[0]), cause, known: nil)
            }
            #expect(isBlown)
            try bench.decide(.discarded, at: WallClock.milliseconds() - 15 * 60_000)
            let second = try record(bench, Array(phones.suffix(60)), in: 10)
            let fuse = bench.process()
            #expect(try fuse.carryOut(second)?.held == 60)
            try fuse.turn()
            #expect(try bench.disabled().isEmpty)
            #expect(try bench.count(.discarded) == 60)
            #expect(try bench.count(.held) == 60)
        }
    }

    /// A producer has given each push another topic: there are more of them than one question to the statistics can tell.
    @Test func topicsByTheThousandHideNoStorm() async throws {
        try await withBench { bench in
            let phones = try bench.phones(40)
            for first in stride(from: 0, to: 51_000, by: 1000) {
                let flood = (first..<first + 1000).map { number in
                    AnswerLog.Answer(token: "ee\(number)", date: minute, topic: "com.example.t\(number)")
                }
                try bench.log.record(flood, countsLater: true)
            }
            try bench.log.count()
            let series = try bench.store.pool.withClient { (client) throws(MongoError) in
                try StatisticsReader(client: client, database: bench.store.database, scope: .all)
                    .series(StatisticsQuery(since: minute, until: minute + 120_000, step: 1, dimension: .topic))
            }
            #expect(series.isCut && series.rows.count == StatisticsReader.rowLimit)
            #expect(try bench.process().take(try record(bench, phones, in: 1))?.held == 40)
            #expect(try bench.disabled().isEmpty)
        }
    }
}
