import Testing
import WaybillCore
import WaybillDeviceRegistry
import WaybillDeviceRegistryTestSupport
import WaybillMongo
import WaybillMongoTestSupport
import WaybillThreads

@testable import WaybillPrune

/// The fuse against a real store, with the statistics as a dispatcher writes them.
@Suite(.enabled(if: TestDatabase.isAvailable, "WAYBILL_TEST_STORE is not set"))
struct TokenFuseTests {
    private func withBench(_ body: (FuseBench) throws -> Void) async throws {
        try await RegistryStore.withStore { try body(try FuseBench($0)) }
    }

    private func answers(_ tokens: [String], dead: Int, status: Int = 410, lane: String = "parcels") -> [AnswerLog
        .Answer]
    {
        tokens.enumerated().map { AnswerLog.Answer(token: $1, status: $0 < dead ? status : 200, lane: lane) }
    }

    // MARK: - Storms

    /// Every token of a lane is refused, as in the wrong environment.
    @Test func aLaneInTheWrongEnvironmentMakesNoSuspects() async throws {
        try await withBench { bench in
            let phones = try bench.phones(60)
            let events = try bench.log.record(answers(phones, dead: 60, status: 400))
            let changes = try #require(try bench.process().carryOut(events))
            #expect(changes.held == 60)
            #expect(try bench.suspected() == 0)
            let fuse = try #require(try bench.fuses().first)
            #expect(fuse.isBlown)
            #expect(fuse.cause.reason == "BadDeviceToken")
            #expect(fuse.cause.words.contains("wrong environment"))
            #expect(fuse.cause.invalid == 60)
        }
    }

    /// A push service calls live tokens dead, and the statistics come after the events.
    @Test func whatWasDisabledBeforeTheStormShowedIsTakenBack() async throws {
        try await withBench { bench in
            let phones = try bench.phones(100)
            let fuse = bench.process()
            let events = try bench.log.record(answers(phones, dead: 60), countsLater: true)
            let changes = try #require(try fuse.carryOut(events))
            #expect(changes.registry.disabled == 60)
            #expect(try bench.disabled().count == 60)
            try bench.log.count()
            try fuse.turn()
            #expect(try bench.disabled().isEmpty)
            #expect(fuse.control.counts.takenBack == 60)
            #expect(fuse.control.counts.blown == 1)
            #expect(try bench.count(.held) == 60)
            // Another process sees it blown, and holds what comes.
            let more = try bench.log.record(answers(Array(phones.suffix(10)), dead: 10))
            #expect(try bench.process().carryOut(more)?.held == 10)
            #expect(try bench.disabled().isEmpty)
        }
    }

    /// The process that has disabled them died before it could look.
    @Test func whatADeadProcessHasDisabledIsTakenBackByAnother() async throws {
        try await withBench { bench in
            let phones = try bench.phones(50)
            let events = try bench.log.record(answers(phones, dead: 50), countsLater: true)
            #expect(try bench.process().carryOut(events)?.registry.disabled == 50)
            try bench.log.count()
            let other = bench.process()
            try other.turn()
            #expect(try bench.disabled().isEmpty)
            #expect(try bench.count(.held) == 50)
        }
    }

    /// It died after it had carried them out, and before it acknowledged them: they come again.
    @Test func eventsThatComeAgainAreHeldOnce() async throws {
        try await withBench { bench in
            let phones = try bench.phones(50)
            let events = try bench.log.record(answers(phones, dead: 50), countsLater: true)
            #expect(try bench.process().carryOut(events)?.registry.disabled == 50)
            try bench.log.count()
            #expect(try bench.process().carryOut(events)?.held == 50)
            #expect(try bench.disabled().isEmpty)
            #expect(try bench.count(.held) == 50)
            #expect(try bench.count(.applied) == 0)
        }
    }

    /// It wrote to the registry after the fuse had blown and others had looked, and died before it could look itself.
    @Test func whatADeadProcessHasDisabledTooLateIsTakenBackWhenItComesAgain() async throws {
        try await withBench { bench in
            let phones = try bench.phones(50)
            let events = try bench.log.record(answers(phones, dead: 50), countsLater: true)
            let other = bench.process()
            #expect(try other.carryOut(events)?.registry.disabled == 50)
            try bench.log.count()
            try other.turn()
            #expect(try bench.disabled().isEmpty)
            let late = DeviceRegistryWriter(pool: bench.store.pool, database: bench.store.database)
            #expect(try late.apply(events).disabled == 50)
            #expect(try bench.process().carryOut(events)?.held == 50)
            #expect(try bench.disabled().isEmpty)
        }
    }

    /// The registry knows nothing of tokens that nobody has registered, as before, until somebody releases what was said.
    @Test(arguments: [Fuse.State.discarded, .released])
    func noTokenOfAStormHasATombstone(_ decided: Fuse.State) async throws {
        try await withBench { bench in
            let strangers = bench.strangers(30)
            let phones = try bench.phones(20)
            let events = try bench.log.record(answers(strangers + phones, dead: 50), countsLater: true)
            #expect(try bench.process().carryOut(events)?.registry.tombstoned == 30)
            // It died before it acknowledged them: they come again, and their tombstones are no devices.
            #expect(try bench.process().carryOut(events)?.registry.already == 50)
            #expect(try bench.known() == Set(strangers + phones))
            try bench.log.count()
            let fuse = bench.process()
            try fuse.turn()
            #expect(fuse.control.counts.takenBack == 50)
            #expect(try bench.known() == Set(phones))
            #expect(try bench.disabled().isEmpty)
            #expect(try bench.process().carryOut(events)?.held == 50)
            #expect(try bench.known() == Set(phones))
            try bench.decide(decided)
            try fuse.turn()
            let isTrue = decided == .released
            #expect(try bench.disabled() == (isTrue ? Set(strangers + phones) : []))
            #expect(try bench.known() == Set(isTrue ? strangers + phones : phones))
        }
    }

    /// When it comes again it looks like a tombstone: what it was when its event came first counts.
    @Test func aDeviceOfWhichOnlyTheTokenIsKnownIsEnabledAgain() async throws {
        try await withBench { bench in
            let phones = try bench.unsaidPhones(50)
            let events = try bench.log.record(answers(phones, dead: 50), countsLater: true)
            #expect(try bench.process().carryOut(events)?.registry.disabled == 50)
            try bench.log.count()
            #expect(try bench.process().carryOut(events)?.held == 50)
            #expect(try bench.known() == Set(phones))
            #expect(try bench.disabled().isEmpty)
        }
    }

    /// Whoever has made them died, and a person has decided before anybody could take them back.
    @Test func aTombstoneOfADeadProcessIsTakenBackAfterADiscard() async throws {
        try await withBench { bench in
            let events = try bench.log.record(answers(bench.strangers(50), dead: 50))
            #expect(try bench.process().carryOut(Array(events.prefix(25)))?.held == 25)
            try bench.carriedOutByTheDead(Array(events.suffix(25)), areKnown: false)
            #expect(try bench.disabled().count == 25)
            try bench.decide(.discarded)
            try bench.process().turn()
            #expect(try bench.known().isEmpty)
            #expect(try bench.count(.discarded) == 50)
        }
    }

    /// What died on the way to it is no part of it, and stays carried out.
    @Test func anOrdinaryDeadTokenBeforeAStormStaysDisabled() async throws {
        try await withBench { bench in
            let phones = try bench.phones(160)
            let minute = (WallClock.milliseconds() / 60_000 - 6) * 60_000
            func record(_ tokens: [String], dead: Int, in number: Int64) throws -> [InvalidTokenEvent] {
                var answers = answers(tokens, dead: dead)
                for index in answers.indices { answers[index].date = minute + number * 60_000 + 30_000 }
                return try bench.log.record(answers)
            }
            let fuse = bench.process()
            let ordinary = try record(Array(phones.prefix(60)), dead: 1, in: 0)
            #expect(try fuse.carryOut(ordinary)?.registry.disabled == 1)
            for number in Int64(1)...3 { _ = try record(Array(phones.prefix(60)), dead: 0, in: number) }
            let storm = try record(Array(phones.suffix(100)), dead: 100, in: 4)
            #expect(try fuse.carryOut(storm)?.held == 100)
            try fuse.turn()
            #expect(try bench.disabled() == [phones[0]])
            #expect(try bench.fuses().first?.cause.since == minute + 3 * 60_000)
        }
    }

    // MARK: - What is no storm

    @Test(arguments: [1, 5]) func aTrickleIsCarriedOutAtOnce(_ percent: Int) async throws {
        try await withBench { bench in
            let phones = try bench.phones(1000)
            let events = try bench.log.record(answers(phones, dead: percent * 10))
            let fuse = bench.process()
            let changes = try #require(try fuse.carryOut(events))
            #expect(changes.registry.disabled == percent * 10)
            #expect(changes.held == 0)
            try fuse.turn()
            #expect(try bench.fuses().isEmpty)
            #expect(try bench.disabled() == Set(phones.prefix(percent * 10)))
        }
    }

    @Test func threeOfFourOfASmallLaneAreCarriedOut() async throws {
        try await withBench { bench in
            let events = try bench.log.record(answers(try bench.phones(4), dead: 3))
            let fuse = bench.process()
            #expect(try fuse.carryOut(events)?.registry.disabled == 3)
            try fuse.turn()
            #expect(try bench.fuses().isEmpty)
            #expect(try bench.disabled().count == 3)
        }
    }

    /// One lane's storm is no other lane's.
    @Test func anotherLaneGoesOn() async throws {
        try await withBench { bench in
            let phones = try bench.phones(50)
            let others = try bench.phones(100, prefix: "bb")
            let storm = try bench.log.record(answers(phones, dead: 50))
            let trickle = try bench.log.record(answers(others, dead: 2, lane: "letters"))
            let changes = try #require(try bench.process().carryOut(storm + trickle))
            #expect(changes.held == 50)
            #expect(changes.registry.disabled == 2)
            #expect(try bench.disabled() == Set(others.prefix(2)))
        }
    }

    /// Where a lane's list has been this bad for a week, it is no news.
    @Test func whatIsUsualIsNoStorm() async throws {
        try await withBench { bench in
            let phones = try bench.phones(100)
            let now = WallClock.milliseconds()
            for hour in 2...4 {
                var past = answers(phones, dead: 25)
                for index in past.indices { past[index].date = now - Int64(hour) * 3_600_000 }
                try bench.log.record(past)
            }
            let events = try bench.log.record(answers(phones, dead: 40))
            #expect(try bench.process().carryOut(events)?.registry.disabled == 40)
            #expect(try bench.fuses().isEmpty)
        }
    }

    @Test func withoutAFuseEverythingIsCarriedOut() async throws {
        try await withBench { bench in
            let events = try bench.log.record(answers(try bench.phones(30), dead: 30))
            let fuse = bench.process(FusePolicy(isOn: false))
            #expect(try fuse.carryOut(events)?.registry.disabled == 30)
            try fuse.turn()
            #expect(try bench.fuses().isEmpty)
        }
    }

    // MARK: - Decisions

    /// Exactly the right devices are disabled: not those that have registered again meanwhile.
    @Test func whatIsReleasedIsCarriedOutByTheUsualChecks() async throws {
        try await withBench { bench in
            let phones = try bench.phones(1300)
            let fuse = bench.process()
            let events = try bench.log.record(answers(phones, dead: 1200))
            #expect(try fuse.carryOut(events)?.held == 1200)
            let returned = Set(phones.prefix(3))
            try bench.registerAgain(returned)
            try bench.decide(.released)
            try fuse.turn()
            #expect(try bench.disabled() == Set(phones.prefix(1200)).subtracting(returned))
            #expect(fuse.control.counts.released == 1200)
            #expect(fuse.control.counts.afterRelease.newerRegistration == 3)
            #expect(try bench.count(.held) == 0)
            // The fuse is armed again, and what was called right is usual for a day.
            let more = try bench.log.record(answers(Array(phones.suffix(100)), dead: 80))
            #expect(try fuse.carryOut(more)?.registry.disabled == 80)
            #expect(try bench.fuses().first?.state == .released)
            // What comes again is done.
            #expect(try bench.process().carryOut(events)?.registry.already == 1200)
        }
    }

    @Test func whatIsDiscardedDisablesNobody() async throws {
        try await withBench { bench in
            let phones = try bench.phones(60)
            let fuse = bench.process()
            let events = try bench.log.record(answers(phones, dead: 60))
            #expect(try fuse.carryOut(Array(events.prefix(50)))?.held == 50)
            try bench.decide(.discarded)
            try fuse.turn()
            #expect(fuse.control.counts.dropped == 50)
            #expect(try bench.count(.held) == 0)
            // What was still on its way was said at the same time.
            #expect(try fuse.carryOut(Array(events.suffix(10)))?.discarded == 10)
            #expect(try fuse.carryOut(events)?.registry.already == 0)
            #expect(try bench.disabled().isEmpty)
            #expect(try bench.count(.discarded) == 60)
        }
    }

    /// The cause is still there when somebody discards, and the decision's minute has the answers of before in its sums.
    @Test func aStormAfterADiscardDisablesNobodyInTheSameMinute() async throws {
        try await withBench { bench in
            let phones = try bench.phones(130)
            let minute = (WallClock.milliseconds() / 60_000 - 1) * 60_000
            func storm(_ tokens: [String], dead: Int, at second: Int64) throws -> [InvalidTokenEvent] {
                var answers = answers(tokens, dead: dead)
                for index in answers.indices { answers[index].date = minute + second * 1000 }
                return try bench.log.record(answers)
            }
            let fuse = bench.process()
            let before = try storm(Array(phones.prefix(60)), dead: 60, at: 10)
            #expect(try fuse.carryOut(before)?.held == 60)
            let blown = try #require(try bench.fuses().first)
            let isDecided = try bench.store.pool.withClient { (client) throws(MongoError) in
                try FuseStore(client: client, database: bench.store.database)
                    .decide(blown, .discarded, FuseDecision(name: "anna", date: minute + 40_000))
            }
            #expect(isDecided)
            try fuse.turn()
            let after = try storm(Array(phones.suffix(70)), dead: 60, at: 47)
            #expect(try fuse.carryOut(after)?.discarded == 60)
            #expect(try bench.disabled().isEmpty)
            // Of a process that died before it looked whether somebody had decided.
            let late = try storm(Array(phones.prefix(5)), dead: 5, at: 59)
            try bench.carriedOutByTheDead(late)
            #expect(try bench.disabled().count == 5)
            try bench.process().turn()
            #expect(try bench.disabled().isEmpty)
            // In the next minute answers count: it blows at once.
            let next = try storm(Array(phones.suffix(70)), dead: 60, at: 61)
            #expect(try fuse.carryOut(next)?.held == 60)
            #expect(try bench.fuses().first?.isBlown == true)
            #expect(try bench.disabled().isEmpty)
        }
    }

    /// Two processes at once, and a decision while they work.
    @Test func severalProcessesFollowOneDecision() async throws {
        try await withBench { bench in
            let phones = try bench.phones(40)
            let one = bench.process()
            let other = bench.process()
            let events = try bench.log.record(answers(phones, dead: 40))
            #expect(try one.carryOut(Array(events.prefix(20)))?.held == 20)
            #expect(try other.carryOut(Array(events.suffix(20)))?.held == 20)
            try bench.decide(.released)
            try one.turn()
            try other.turn()
            #expect(one.control.counts.released + other.control.counts.released == 40)
            #expect(try bench.disabled() == Set(phones))
            #expect(try bench.fuses().count == 1)
        }
    }

    /// Where there is no room for more, nothing is taken, and nothing lost.
    @Test func aFullStoreTakesNoMore() async throws {
        try await withBench { bench in
            let phones = try bench.phones(60)
            let fuse = bench.process(FusePolicy(mostHeld: 50))
            let events = try bench.log.record(answers(phones, dead: 60))
            #expect(try fuse.carryOut(Array(events.prefix(50)))?.held == 50)
            #expect(try fuse.carryOut(Array(events.suffix(10))) == nil)
            try bench.decide(.released)
            try fuse.turn()
            #expect(try fuse.carryOut(Array(events.suffix(10)))?.registry.disabled == 10)
            #expect(try bench.disabled() == Set(phones))
        }
    }
}
