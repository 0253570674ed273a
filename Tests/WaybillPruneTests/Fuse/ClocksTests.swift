import Glibc
import Testing
import WaybillCore
import WaybillDeliveryLog
import WaybillDeviceRegistry
import WaybillDeviceRegistryTestSupport
import WaybillMongoTestSupport
import WaybillThreads

@testable import WaybillPrune

/// Clocks that differ, and processes that are away for a while, against a real store: no token of a storm stays disabled.
@Suite(.enabled(if: TestDatabase.isAvailable, "WAYBILL_TEST_STORE is not set"))
struct ClocksTests {
    private func withBench(_ body: (FuseBench) throws -> Void) async throws {
        try await RegistryStore.withStore { try body(try FuseBench($0)) }
    }

    /// Every token is called dead, at once.
    private func storm(_ tokens: [String], status: Int = 410, at date: Int64) -> [AnswerLog.Answer] {
        tokens.map { AnswerLog.Answer(token: $0, status: status, date: date) }
    }

    /// The moment in which the next minute begins: a clock that is a moment ahead is in it already.
    private static var nextMinute: Int64 { (WallClock.milliseconds() / 60_000 + 1) * 60_000 }

    /// By how many seconds the dispatcher's clock is ahead; 0: just so far that another minute has begun.
    private static let clocks: [Int64] = [0, 170, -170, -400]

    private static func time(_ ahead: Int64) -> Int64 {
        ahead == 0 ? nextMinute + 400 : WallClock.milliseconds() + ahead * 1000
    }

    @Test(arguments: clocks) func aStormByAnotherClockIsTakenBack(_ ahead: Int64) async throws {
        try await withBench { bench in
            let fuse = bench.process()
            let phones = try bench.phones(40)
            let events = try bench.log.record(storm(phones, at: Self.time(ahead)), countsLater: true)
            #expect(try fuse.take(events)?.registry.disabled == 40)
            #expect(try bench.disabledAt().allSatisfy { $0 <= WallClock.milliseconds() })
            try bench.log.count()
            try fuse.turn()
            #expect(try bench.disabled().isEmpty)
            #expect(try bench.count(.held) == 40)
            #expect(try bench.fuses().first?.isBlown == true)
        }
    }

    @Test(arguments: clocks) func suspectsOfAStormByAnotherClockAreNoneAnyMore(_ ahead: Int64) async throws {
        try await withBench { bench in
            let fuse = bench.process()
            let phones = try bench.phones(40)
            let events = try bench.log.record(storm(phones, status: 400, at: Self.time(ahead)), countsLater: true)
            #expect(try fuse.take(events)?.registry.suspected == 40)
            try bench.log.count()
            try fuse.turn()
            #expect(try bench.suspected() == 0)
            #expect(try bench.count(.held) == 40)
        }
    }

    /// What the registry has of them is of the moment in which they came first.
    @Test func eventsOfAClockThatIsAheadAreTakenBackWhenTheyComeAgain() async throws {
        try await withBench { bench in
            let phones = try bench.phones(40)
            let events = try bench.log.record(storm(phones, at: Self.time(170)), countsLater: true)
            #expect(try bench.process().take(events)?.registry.disabled == 40)
            try bench.log.count()
            #expect(try bench.process().take(events)?.held == 40)
            #expect(try bench.disabled().isEmpty)
        }
    }

    /// A person decides by a clock of their own about what is held.
    @Test(arguments: [Fuse.State.released, .discarded])
    func aDecisionIsAboutWhatIsHeldWhateverTheClocksSay(_ decided: Fuse.State) async throws {
        try await withBench { bench in
            let fuse = bench.process()
            let phones = try bench.phones(60)
            let start = Self.nextMinute + 120_000
            let events = try bench.log.record(storm(phones, at: start + 10_000))
            #expect(try fuse.take(Array(events.prefix(50)))?.held == 50)
            try bench.decide(decided)
            try fuse.turn()
            // What was still on its way goes the way of what was decided, and blows no fuse.
            #expect(try fuse.take(Array(events.suffix(10)))?.held == 0)
            try fuse.turn()
            #expect(try bench.fuses().first?.state == decided)
            #expect(try bench.disabled() == (decided == .released ? Set(phones) : []))
            // In the next minute of its own clock answers count again.
            let more = try bench.phones(40, prefix: "bb")
            let next = try bench.log.record(storm(more, at: start + 70_000))
            #expect(try fuse.take(next)?.held == 40)
            #expect(try bench.disabled().isDisjoint(with: more))
        }
    }

    // MARK: - Absences

    /// All prune processes were away for longer than statistics take.
    @Test(arguments: [6, 30, 110] as [Int64])
    func whatWasCarriedOutBeforeAnAbsenceIsTakenBack(_ minutes: Int64) async throws {
        try await withBench { bench in
            let phones = try bench.phones(80)
            let date = WallClock.milliseconds() - minutes * 60_000
            let events = try bench.log.record(storm(Array(phones.prefix(40)), at: date))
            try bench.carriedOutByTheDead(events)
            #expect(try bench.disabled().count == 40)
            let fuse = bench.process()
            try fuse.turn()
            #expect(try bench.disabled().isEmpty)
            #expect(try bench.count(.held) == 40)
        }
    }

    /// A person has released them before, and another process has followed that.
    @Test func whatWasReleasedBeforeAnAbsenceStaysReleased() async throws {
        try await withBench { bench in
            let phones = try bench.phones(40)
            let date = WallClock.milliseconds() - 30 * 60_000
            let fuse = bench.process()
            #expect(try fuse.take(try bench.log.record(storm(phones, at: date)))?.held == 40)
            try bench.decide(.released, at: date + 120_000)
            try fuse.turn()
            #expect(try bench.disabled() == Set(phones))
            let other = bench.process()
            try other.turn()
            #expect(try bench.disabled() == Set(phones))
            #expect(try bench.fuses().first?.state == .released)
        }
    }

    /// The dispatcher was killed before it wrote what it had counted, and counts anew when nobody waits for it any more.
    @Test func whatIsCountedAfterLongDoubtIsSeen() async throws {
        try await RegistryStore.withStore { store in
            let bench = try FuseBench(store, pace: StatisticsPace(interval: .milliseconds(20)))
            let phones = try bench.phones(40)
            let date = WallClock.milliseconds() - 30 * 60_000
            try bench.carriedOutByTheDead(try bench.log.record(storm(phones, at: date), countsLater: true))
            // For less than two intervals the dispatcher would pass for one that is there, and has written what it counted.
            usleep(100_000)
            let fuse = bench.process()
            try fuse.turn()
            #expect(try bench.fuses().isEmpty)
            #expect(try bench.disabled().count == 40)
            try bench.log.count()
            for _ in 0..<5 {
                try fuse.turn()
                if try bench.count(.held) == 40 { break }
            }
            #expect(try bench.disabled().isEmpty)
            #expect(try bench.count(.held) == 40)
        }
    }

    /// The fuse has blown for what came later.
    @Test func whatIsCountedLateMovesTheBeginningOfAStorm() async throws {
        try await withBench { bench in
            let phones = try bench.phones(80)
            let date = WallClock.milliseconds() - 30 * 60_000
            let early = try bench.log.record(storm(Array(phones.prefix(40)), at: date), countsLater: true)
            try bench.carriedOutByTheDead(early)
            let dispatcher = try AnswerLog(bench.store)
            let late = try dispatcher.record(storm(Array(phones.suffix(40)), at: date + 20 * 60_000))
            let fuse = bench.process()
            #expect(try fuse.take(late)?.held == 40)
            #expect(try bench.disabled() == Set(phones.prefix(40)))
            try bench.log.count()
            try fuse.turn()
            #expect(try bench.disabled().isEmpty)
            #expect(try bench.count(.held) == 80)
            #expect(try bench.fuses().first?.cause.since == date / 60_000 * 60_000)
        }
    }
}
