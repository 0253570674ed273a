import Testing
import WaybillCore
import WaybillDeviceRegistry

@testable import WaybillPrune

/// What is known of a fuse, and what follows, in minutes that nobody waits for.
@Suite struct StormCaseTests {
    private static let name = FuseName(lane: "parcels", app: "com.example.parcels")
    private static let minute = FuseRule.Minute.milliseconds
    /// A whole hour.
    private static let hour: Int64 = 60 * 500_000

    private static func fuse(
        _ state: Fuse.State,
        since: Int64,
        decided: Int64? = nil,
        invalid: Int = 60,
        whole: Int? = nil
    ) -> Fuse {
        Fuse(
            name: name,
            state: state,
            cause: Fuse.Cause(
                at: since * minute,
                since: since * minute,
                answers: 100,
                invalid: invalid,
                limit: 200,
                usual: nil,
                reason: nil,
                words: "",
                whole: whole
            ),
            decision: decided.map { FuseDecision(name: "anna", date: $0) }
        )
    }

    /// Until when hours are known as a whole alone, and which minutes are looked back from.
    private static let oldAndNew: [(Int64?, Set<Int64>)] = [
        (nil, [hour + 7, hour + 61]),
        (hour, [hour + 7, hour + 61]),
        (hour + 60, [hour, hour + 61]),
        (hour + 120, [hour, hour + 60]),
    ]

    @Test("what is old is looked at by the hour", arguments: oldAndNew)
    func ends(wholeHoursUntil: Int64?, ends: Set<Int64>) {
        let storm = StormCase(
            nil,
            minutes: [Self.hour + 7, Self.hour + 61],
            wholeHoursUntil: wholeHoursUntil,
            now: 0
        )
        #expect(storm.ends == ends)
    }

    /// Hours with a tenth of invalid tokens, and one of a storm.
    private static let soundHours: [FuseRule.Minute] = (1...5).map { number in
        FuseRule.Minute(hour - 60 * number, answers: 100, invalid: 10)
    }
    private static let storm = FuseRule.Minute(hour - 360, answers: 10_000, invalid: 6000)

    private static let decisions: [(Fuse?, Double?)] = [
        (nil, 0.6),
        (fuse(.discarded, since: hour - 360, decided: (hour - 330) * minute), 0.1),
        (fuse(.released, since: hour - 360, decided: (hour - 330) * minute), 0.6),
        (fuse(.blown, since: hour - 700), nil),
    ]

    @Test("hours that are in doubt are no part of what is usual", arguments: decisions)
    func usual(fuse: Fuse?, share: Double?) {
        let storm = StormCase(fuse, minutes: [], wholeHoursUntil: nil, now: 0)
        #expect(storm.usualShare(Self.soundHours + [Self.storm]) == share)
    }

    struct Case: CustomTestStringConvertible, Sendable {
        let what: String
        var fuse: Fuse?
        var hours: [FuseRule.Minute] = []
        /// Of the minute, with a hundred answers.
        let invalid: Int
        let blows: Bool

        var testDescription: String { what }
    }

    /// A day after somebody has called six tenths right, it is forgotten.
    private static let tolerating = fuse(.released, since: hour - 30, decided: (hour - 20) * minute)
    private static let forgotten = fuse(.released, since: hour - 1500, decided: (hour - 1450) * minute)
    private static let toleratingAll = fuse(.released, since: hour - 30, decided: (hour - 20) * minute, invalid: 100)
    private static let toleratingLess = fuse(
        .released,
        since: hour - 30,
        decided: (hour - 20) * minute,
        invalid: 100,
        whole: 600
    )
    private static let rearmed = fuse(.discarded, since: hour - 3, decided: hour * minute)

    static let cases: [Case] = [
        Case(what: "without a history", invalid: 21, blows: true),
        Case(what: "a trickle", invalid: 20, blows: false),
        Case(what: "a tenth is usual", hours: soundHours, invalid: 50, blows: false),
        Case(what: "a tenth is usual, and it is far more", hours: soundHours, invalid: 51, blows: true),
        Case(what: "as much was called right", fuse: tolerating, invalid: 80, blows: false),
        Case(what: "as much was called right, and it is more", fuse: tolerating, invalid: 81, blows: true),
        Case(
            what: "as much was called right, and less is usual",
            fuse: tolerating,
            hours: soundHours,
            invalid: 80,
            blows: false
        ),
        Case(what: "everything was called right", fuse: toleratingAll, invalid: 95, blows: false),
        Case(
            what: "everything was called right, and it is everything again",
            fuse: toleratingAll,
            invalid: 100,
            blows: true
        ),
        Case(what: "with its ordinary minutes it was less", fuse: toleratingLess, invalid: 80, blows: false),
        Case(
            what: "with its ordinary minutes it was less, and it is more",
            fuse: toleratingLess,
            invalid: 81,
            blows: true
        ),
        Case(what: "as much was called right, long ago", fuse: forgotten, invalid: 21, blows: true),
        Case(what: "a person has decided in that minute", fuse: rearmed, invalid: 100, blows: false),
    ]

    @Test("it blows for what is far more than usual", arguments: cases)
    func finding(_ one: Case) {
        let storm = StormCase(one.fuse, minutes: [Self.hour], wholeHoursUntil: nil, now: (Self.hour + 1) * Self.minute)
        let minutes = [FuseRule.Minute(Self.hour, answers: 100, invalid: one.invalid)]
        #expect((storm.finding(minutes, in: Self.hour, after: one.hours, FusePolicy()) != nil) == one.blows)
    }

    /// Minutes that are looked at late: nothing was usual in the first hour, and half is in the second.
    @Test("each hour is judged by what was usual then, and a storm's count has what came after it")
    func hours() {
        let late = Self.hour + 65
        let storm = StormCase(nil, minutes: [Self.hour + 5, late], wholeHoursUntil: nil, now: Self.minute * late)
        #expect(storm.hours == [Self.hour, Self.hour + 60])
        func minutes(_ first: Int) -> [FuseRule.Minute] {
            [
                FuseRule.Minute(Self.hour + 5, answers: 100, invalid: first),
                FuseRule.Minute(late, answers: 100, invalid: 50),
            ]
        }
        let half = [FuseRule.Minute(Self.hour, answers: 100, invalid: 50)]
        #expect(storm.finding(minutes(10), in: Self.hour, after: [], FusePolicy()) == nil)
        #expect(storm.finding(minutes(10), in: Self.hour + 60, after: half, FusePolicy()) == nil)
        let finding = storm.finding(minutes(40), in: Self.hour, after: [], FusePolicy())
        #expect(finding?.minutes == Self.hour + 5...late)
        #expect(finding?.invalid == 90)
    }

    @Test("what was called right is so for a day, whenever it is looked at")
    func tolerance() {
        let now = (Self.hour + 1500) * Self.minute
        let storm = StormCase(Self.tolerating, minutes: [Self.hour], wholeHoursUntil: nil, now: now)
        let minutes = [FuseRule.Minute(Self.hour, answers: 100, invalid: 80)]
        #expect(storm.finding(minutes, in: Self.hour, after: [], FusePolicy()) == nil)
    }

    private static let exactness: [(Int64?, Bool, Int64)] = [
        (nil, false, hour - 1), (nil, true, hour - 9), (hour - 60, false, hour - 9),
    ]

    @Test("the minutes before a storm are left out where nothing is in doubt", arguments: exactness)
    func before(wholeHoursUntil: Int64?, isInDoubt: Bool, begins: Int64) {
        let storm = StormCase(
            nil,
            minutes: [Self.hour],
            wholeHoursUntil: wholeHoursUntil,
            isInDoubt: isInDoubt,
            now: (Self.hour + 1) * Self.minute
        )
        let quiet = (1...9).map { FuseRule.Minute(Self.hour - $0, answers: 100, invalid: $0 == 9 ? 1 : 0) }
        let minutes = quiet + [FuseRule.Minute(Self.hour, answers: 900, invalid: 900)]
        #expect(storm.finding(minutes, in: Self.hour, after: [], FusePolicy())?.minutes == begins...Self.hour)
    }

    private static let beginnings: [(Fuse?, Int64)] = [
        (nil, hour * minute),
        (fuse(.released, since: hour - 90, decided: (hour - 70) * minute), hour * minute),
        (fuse(.discarded, since: hour - 3, decided: hour * minute - 20_000), hour * minute),
        (fuse(.released, since: hour - 3, decided: hour * minute - 20_000), hour * minute),
    ]

    @Test("what is held begins with the storm, and nothing of a decision's minute is held", arguments: beginnings)
    func cause(fuse: Fuse?, since: Int64) {
        let storm = StormCase(fuse, minutes: [Self.hour], wholeHoursUntil: nil, now: 5)
        let finding = FuseRule.Finding(
            minutes: Self.hour...Self.hour + 2,
            answers: 100,
            invalid: 60,
            limit: 0.2,
            usual: 0.01,
            wholeShare: 0.3
        )
        let cause = storm.cause(finding, words: "wrong", reason: "BadDeviceToken")
        #expect(cause.since == since)
        #expect((cause.at, cause.answers, cause.invalid) == (5, 100, 60))
        #expect((cause.limit, cause.usual, cause.whole) == (200, 10, 300))
        #expect((cause.words, cause.reason) == ("wrong", "BadDeviceToken"))
    }

    /// Until when hours are known as a whole alone, and which minutes may show that the storm began earlier.
    private static let earlier: [(Fuse.State, Int64?, Set<Int64>)] = [
        (.blown, nil, [hour + 3, hour + 61]),
        (.blown, hour + 60, [hour + 61]),
        (.released, nil, [hour + 3, hour + 61, hour + 62, hour + 70]),
    ]

    @Test("of one that is blown, what came before its storm is looked at alone", arguments: earlier)
    func beforeItsStorm(state: Fuse.State, wholeHoursUntil: Int64?, ends: Set<Int64>) {
        let storm = StormCase(
            Self.fuse(state, since: Self.hour + 62, decided: state == .blown ? nil : Self.hour * Self.minute),
            minutes: [Self.hour + 3, Self.hour + 61, Self.hour + 62, Self.hour + 70],
            wholeHoursUntil: wholeHoursUntil,
            now: 0
        )
        #expect(storm.ends == ends)
    }

    @Test("what an earlier decision was about is no beginning of a storm that is blown", arguments: [hour - 1, hour])
    func afterAnEarlierDecision(decided: Int64) {
        var fuse = Self.fuse(.blown, since: Self.hour + 10)
        let decision = FuseDecision(name: "anna", date: decided * Self.minute)
        fuse.past = [Fuse.Past(cause: fuse.cause, state: .discarded, decision: decision)]
        let storm = StormCase(fuse, minutes: [Self.hour], wholeHoursUntil: nil, now: (Self.hour + 20) * Self.minute)
        let minutes = [FuseRule.Minute(Self.hour, answers: 100, invalid: 100)]
        let finding = storm.finding(minutes, in: Self.hour, after: [], FusePolicy())
        #expect(finding?.minutes == (decided < Self.hour ? Self.hour...Self.hour : nil))
    }
}
