import Testing
import WaybillThreads

@testable import WaybillTelemetry

/// In virtual time.
struct ConditionTests {
    private let start = MonotonicTime(nanoseconds: 1_000_000_000_000)
    private let condition = Condition(name: "store", freshness: .seconds(20), cause: "nothing yet")

    @Test func itBeginsWithItsCause() {
        #expect(condition.check(now: start).cause == "nothing yet")
        #expect(condition.lastSound == nil)
    }

    @Test(arguments: [(0, true), (20, true), (21, false), (3600, false)])
    func aGoodWordHoldsForAWhile(seconds: Int, isSound: Bool) {
        condition.holds(now: start)
        let check = condition.check(now: start.advanced(by: .seconds(seconds)))
        #expect(check.isSound == isSound)
        if !isSound { #expect(check.cause == "nothing heard of it for \(seconds) s") }
    }

    @Test func whileNobodyCanAskItDoesNotAge() {
        condition.holds(now: .now())
        condition.unasked {
            #expect(condition.check(now: .now().advanced(by: .seconds(3600))).isSound)
        }
        #expect(condition.check(now: .now()).isSound)
        #expect(!condition.check(now: .now().advanced(by: .seconds(3600))).isSound)
    }

    @Test func whatIsKnownToBeGoneIsGoneAlsoWhileNobodyAsks() {
        condition.fails("gone")
        condition.unasked { #expect(condition.check(now: start).cause == "gone") }
        #expect(condition.lastSound == nil)
    }

    @Test func aCauseHoldsUntilAGoodWord() {
        condition.holds(now: start)
        condition.fails("gone")
        #expect(condition.check(now: start).cause == "gone")
        condition.fails("still gone")
        #expect(condition.check(now: start).cause == "still gone")
        condition.holds(now: start)
        #expect(condition.check(now: start).isSound)
    }

    @Test(
        arguments: [
            (0, "; the next attempt is in 3 s"), (1500, "; the next attempt is in 2 s"),
            (2999, "; the next attempt is in 1 s"),
            (3000, "; it is tried again at this moment"), (60_000, "; it is tried again at this moment"),
        ]
    )
    func theNextAttemptIsToldFromWhenItIsLookedAt(milliseconds: Int, words: String) {
        condition.fails("gone", retryAt: start.advanced(by: .seconds(3)))
        #expect(condition.check(now: start.advanced(by: .milliseconds(milliseconds))).cause == "gone" + words)
        condition.fails("waits for something else")
        #expect(condition.check(now: start).cause == "waits for something else")
    }

    private func since(after seconds: Int) -> Int64 {
        condition.check(now: start.advanced(by: .seconds(seconds))).since
    }

    /// The wall clock goes on meanwhile.
    private func waitAMoment() { NamedThread.sleep(for: .milliseconds(5)) { false } }

    @Test func aSilenceBeginsOnceAlsoWhereItsCauseIsToldLater() {
        condition.holds(now: start)
        let begin = since(after: 30)
        waitAMoment()
        #expect(since(after: 60) == begin)
        condition.fails("gone", now: start.advanced(by: .seconds(61)))
        #expect(since(after: 62) == begin)
    }

    @Test func whoIsAwayAgainAtOnceWasNeverBack() {
        condition.holds(now: start)
        waitAMoment()
        condition.fails("gone", now: start.advanced(by: .seconds(1)))
        let begin = since(after: 1)
        for seconds in [4, 8, 12] {
            waitAMoment()
            condition.holds(now: start.advanced(by: .seconds(seconds)))
            #expect(since(after: seconds) > begin)
            condition.fails("gone", now: start.advanced(by: .seconds(seconds + 1)))
            #expect(since(after: seconds + 1) == begin)
        }
        condition.holds(now: start.advanced(by: .seconds(20)))
        waitAMoment()
        condition.fails("gone", now: start.advanced(by: .seconds(35)))
        #expect(since(after: 35) > begin)
    }

    @Test func sinceChangesOnlyWithTheState() {
        let begin = condition.check(now: start).since
        condition.fails("another cause")
        #expect(condition.check(now: start).since == begin)
        condition.holds(now: start)
        let sound = condition.check(now: start).since
        #expect(sound >= begin)
        condition.holds(now: start.advanced(by: .seconds(5)))
        #expect(condition.check(now: start.advanced(by: .seconds(5))).since == sound)
    }
}
