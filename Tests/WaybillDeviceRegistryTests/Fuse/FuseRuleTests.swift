import Testing
import WaybillCore

@testable import WaybillDeviceRegistry

/// When a fuse blows, from tables, in minutes that nobody waits for.
struct FuseRuleTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        /// Answers and invalid ones, minute by minute, the last at minute 1000.
        let minutes: [(Int, Int)]
        var usual: Double?
        var armed: Int64 = 0
        /// What invalid answers it blows at; `nil`: it does not.
        let invalid: Int?

        var testDescription: String { name }

        init(_ name: String, _ minutes: [(Int, Int)], usual: Double? = nil, armed: Int64 = 0, blowsAt invalid: Int?) {
            self.name = name
            self.minutes = minutes
            self.usual = usual
            self.armed = armed
            self.invalid = invalid
        }
    }

    static let cases = [
        Case("nothing", [], blowsAt: nil),
        Case("all of a lane, a moment after its start", [(20, 20)], blowsAt: 20),
        Case("all of a lane, one less than the count", [(19, 19)], blowsAt: nil),
        Case("a small lane: three of four", [(4, 3)], blowsAt: nil),
        Case("a small lane: three of four, every minute for ten", Array(repeating: (1, 1), count: 7), blowsAt: nil),
        Case("a trickle of 5 %, without a history", Array(repeating: (10_000, 500), count: 10), blowsAt: nil),
        Case(
            "a trickle of 5 %, with one of 1 %",
            Array(repeating: (10_000, 500), count: 10),
            usual: 0.01,
            blowsAt: nil
        ),
        Case("a fifth is no more than a fifth", [(1000, 200)], blowsAt: nil),
        Case("a little more than a fifth", [(1000, 201)], blowsAt: 201),
        Case("where a tenth is usual, 45 % is less than five times", [(1000, 450)], usual: 0.1, blowsAt: nil),
        Case("where a tenth is usual, 60 % is more", [(1000, 600)], usual: 0.1, blowsAt: 600),
        // Five times would be more than all there is.
        Case("where 40 % is usual, 69 % is half of what was sound", [(1000, 690)], usual: 0.4, blowsAt: nil),
        Case("where 40 % is usual, 71 % is more than that", [(1000, 710)], usual: 0.4, blowsAt: 710),
        // The quiet minutes before would hide it; the last of them is held with it.
        Case("an outage of a minute after nine good ones", good(9) + [(10_000, 6000)], blowsAt: 6050),
        Case("an outage that begins within a minute", good(9) + [(10_000, 1500), (10_000, 6000)], blowsAt: 7550),
        Case("one that comes in slowly, over the whole window", Array(repeating: (8, 2), count: 10), blowsAt: 20),
        Case("the same, longer than the window", Array(repeating: (8, 2), count: 11), blowsAt: 20),
        Case("the same, too little within the window", Array(repeating: (7, 1), count: 19) + [(7, 7)], blowsAt: nil),
        Case(
            "what was before a decision does not count",
            [(100, 100), (100, 100), (10, 10)],
            armed: 1000,
            blowsAt: nil
        ),
        Case("what came after it does", [(100, 100), (30, 30)], armed: 1000, blowsAt: 30),
        Case("where everything was called right, everything again", [(400, 400)], usual: 1, blowsAt: 400),
        Case("where everything was called right, the fewest that count", [(20, 20)], usual: 1, blowsAt: 20),
        Case("where everything was called right, a little less", [(400, 380)], usual: 1, blowsAt: nil),
        // What is between two storms is none of the counts.
        Case("two storms with quiet between them", [(30, 30), (3000, 0), (60, 60)], blowsAt: 90),
    ]

    private static func good(_ count: Int) -> [(Int, Int)] { Array(repeating: (10_000, 50), count: count) }

    @Test(arguments: cases)
    func itBlows(_ given: Case) {
        let first = 1001 - Int64(given.minutes.count)
        let minutes = given.minutes.enumerated().map { position, counts in
            FuseRule.Minute(first + Int64(position), answers: counts.0, invalid: counts.1)
        }
        let finding = FuseRule.judge(minutes, ends: [1000], armed: given.armed, usual: given.usual, FusePolicy())
        #expect(finding?.invalid == given.invalid)
        if let finding { #expect(finding.minutes.upperBound == 1000) }
    }

    /// Prune was away for a day: what was said then is judged by what was said then.
    @Test func aStormOfThePastIsFoundFromItsOwnMinutes() {
        let storm = [FuseRule.Minute(500, answers: 100, invalid: 60)]
        let quiet = (501...1000).map { FuseRule.Minute($0, answers: 100, invalid: 1) }
        let policy = FusePolicy()
        #expect(FuseRule.judge(storm + quiet, ends: [1000], armed: 0, usual: nil, policy) == nil)
        let finding = FuseRule.judge(storm + quiet, ends: [500, 1000], armed: 0, usual: nil, policy)
        #expect(finding?.minutes == 500...500)
    }

    /// All of a storm is to be held: not its worst minute alone.
    @Test func theLongestRunOverTheLimitIsTaken() {
        let minutes = [(100, 0), (100, 30), (100, 90), (100, 60)].enumerated().map { position, counts in
            FuseRule.Minute(Int64(position), answers: counts.0, invalid: counts.1)
        }
        let finding = FuseRule.judge(minutes, ends: [3], armed: 0, usual: nil, FusePolicy())
        #expect(finding?.minutes == 1...3)
        #expect(finding?.answers == 300)
        #expect(finding?.invalid == 180)
    }

    /// Of several storms in one backlog nothing may stay carried out, whichever is the worst and whichever is looked back from.
    @Test(
        arguments: [
            ([(30, 30), (3000, 0), (60, 60)], [0, 2], 0...2),
            ([(60, 60), (3000, 0), (30, 30)], [0, 2], 0...2),
            ([(30, 30), (3000, 0), (60, 60)], [2], 0...2),
            ([(100, 1), (20, 0), (30, 30), (3000, 0), (60, 60)], [2, 4], 1...4),
            ([(30, 30)] + Array(repeating: (3000, 0), count: 20) + [(60, 60)], [0, 21], 0...21),
            ([(30, 30)] + Array(repeating: (3000, 0), count: 20) + [(60, 60)], [21], 21...21),
            ([(30, 3), (3000, 0), (60, 60)], [0, 2], 2...2),
        ] as [([(Int, Int)], Set<Int64>, ClosedRange<Int64>)]
    )
    func theFirstOfSeveralStormsIsTheBeginning(
        _ counts: [(Int, Int)],
        _ ends: Set<Int64>,
        _ expected: ClosedRange<Int64>
    ) {
        let minutes = counts.enumerated().map { position, counts in
            FuseRule.Minute(Int64(position), answers: counts.0, invalid: counts.1)
        }
        let finding = FuseRule.judge(minutes.shuffled(), ends: ends, armed: 0, usual: nil, FusePolicy())
        #expect(finding?.minutes == expected)
    }

    /// What somebody calls right is no more than the whole of what was over the limit.
    @Test func theWholeShareHasTheOrdinaryMinutesInIt() throws {
        let minutes = (0...3).map { FuseRule.Minute($0, answers: 100, invalid: 1) }
        let storm = FuseRule.Minute(4, answers: 100, invalid: 96)
        let finding = try #require(FuseRule.judge(minutes + [storm], ends: [4], armed: 0, usual: nil, FusePolicy()))
        #expect(finding.minutes == 3...4)
        #expect(finding.share == 0.485)
        #expect(finding.wholeShare == 0.2475)
    }

    @Test func thePolicysNumbersCount() {
        let minutes = [FuseRule.Minute(1, answers: 100, invalid: 10)]
        func blows(_ policy: FusePolicy, usual: Double? = nil) -> Bool {
            FuseRule.judge(minutes, ends: [1], armed: 0, usual: usual, policy) != nil
        }
        #expect(!blows(FusePolicy(count: 11, percent: 1)))
        #expect(blows(FusePolicy(count: 10, percent: 9)))
        #expect(!blows(FusePolicy(count: 10, percent: 10)))
        #expect(blows(FusePolicy(count: 10, percent: 9, multiple: 4), usual: 0.02))
        #expect(!blows(FusePolicy(count: 10, percent: 9, multiple: 6), usual: 0.02))
    }

    /// Each hour weighs as much as it has answers, and a few bad ones change nothing.
    @Test(
        arguments: [
            ([(50, 1)], nil),
            ([(100, 2)], 0.02),
            ([(1000, 10), (1000, 20), (1000, 1000)], 0.02),
            ([(10, 10), (10, 10), (980, 98)], 0.1),
            ([(0, 0), (100, 0)], 0),
        ] as [([(answers: Int, invalid: Int)], Double?)]
    )
    func theMedianOfTheHoursIsUsual(_ hours: [(answers: Int, invalid: Int)], _ expected: Double?) {
        #expect(FuseRule.usual(hours) == expected)
    }

    /// Whatever is usual, there is something left to blow at.
    @Test func aFuseCanAlwaysBlow() {
        for percent in 0...100 {
            let limit = FuseRule.limit(FusePolicy(multiple: 1000), usual: Double(percent) / 100)
            #expect(limit <= 0.95)
            #expect(limit >= 0.2)
        }
    }
}
