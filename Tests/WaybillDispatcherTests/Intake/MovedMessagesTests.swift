import Testing
import WaybillAMQP
import WaybillCore
import WaybillThreads

@testable import WaybillDispatcher

struct MovedMessagesTests {
    /// Ages in seconds, one after the other, and how many of each stand out.
    @Test(
        arguments: [
            (ages: [(0.1, 100), (59, 1)], conspicuous: 0),
            (ages: [(0.1, 100), (61, 1)], conspicuous: 1),
            (ages: [(-5, 10), (1, 10)], conspicuous: 0),
            // One from another century, and then the usual ones.
            (ages: [(0.1, 100), (4e9, 1), (30, 1)], conspicuous: 1),
            // A queue whose messages are always two minutes old: after a few of them that is usual.
            (ages: [(120, 1_000), (200, 1)], conspicuous: 11),
            (ages: [(120, 1_000), (300, 1)], conspicuous: 12),
        ] as [(ages: [(seconds: Double, count: Int)], conspicuous: Int)]
    )
    func whatIsOlderThanUsual(ages: [(seconds: Double, count: Int)], conspicuous: Int) {
        var delay = UsualDelay()
        var found = 0
        for (seconds, count) in ages {
            for _ in 0..<count where delay.isConspicuous(age: Int64(seconds * 1000)) { found += 1 }
        }
        #expect(found == conspicuous)
    }

    /// A backlog of hours is looked up at its beginning, and not as a whole.
    @Test(arguments: [600, 3600, 86_400] as [Int64])
    func aBacklogBecomesUsual(seconds: Int64) {
        var delay = UsualDelay()
        let found = (0..<1_000).count { _ in delay.isConspicuous(age: seconds * 1000) }
        #expect((1...80).contains(found))
    }

    @Test(
        arguments: [
            (headers: [], isKnown: false, wasDelivered: false),
            (headers: [("x-delivery-count", 0)], isKnown: false, wasDelivered: false),
            (headers: [("x-delivery-count", 1)], isKnown: true, wasDelivered: true),
            (headers: [("x-delivery-count", "1")], isKnown: false, wasDelivered: false),
            (headers: [("x-first-death-reason", "expired")], isKnown: true, wasDelivered: false),
            (headers: [("x-first-death-reason", "delivery_limit")], isKnown: true, wasDelivered: true),
            (headers: [("x-death", .array([]))], isKnown: true, wasDelivered: false),
            (headers: [("x-trace", 1)], isKnown: false, wasDelivered: false),
        ] as [(headers: [(name: String, value: AMQPValue)], isKnown: Bool, wasDelivered: Bool)]
    )
    func whatTheBrokerHasWrittenOnAMessage(
        headers: [(name: String, value: AMQPValue)],
        isKnown: Bool,
        wasDelivered: Bool
    ) throws {
        let properties = AMQPProperties(timestamp: 1_795_233_600, headers: headers)
        let moved = MovedMessages(recallsAfterStart: false)
        let signs = moved.signs(of: properties, Self.identity(1), queue: "q", age: 5, now: .now())
        #expect(signs == MovedMessages.Signs(mayBeKnown: isKnown, wasDelivered: wasDelivered))
    }

    @Test func theFirstMinuteAfterAStart() {
        let moved = MovedMessages(recallsAfterStart: true)
        let start = MonotonicTime.now()
        func isKnown(after seconds: Int, queue: String = "q", age: Int64? = 0) -> Bool {
            let now = start.advanced(by: .seconds(seconds))
            let identity = Self.identity(UInt64(seconds) + 1)
            return moved.signs(of: AMQPProperties(), identity, queue: queue, age: age, now: now).mayBeKnown
        }
        #expect(isKnown(after: 0))
        #expect(isKnown(after: 59))
        #expect(!isKnown(after: 60))
        #expect(!isKnown(after: 61, age: nil))
        // Each queue has a way of its own.
        #expect(isKnown(after: 62, queue: "other", age: 61_000))
    }

    private static func identity(_ number: UInt64) -> MessageIdentity {
        MessageIdentity(milliseconds: 1_795_233_600_000, digest: MessageDigest(high: number, low: 0))
    }

    /// A producer that has missed a confirm publishes the same again within seconds.
    @Test func whatCameLatelyIsLookedUpAndNotMarked() {
        let moved = MovedMessages(recallsAfterStart: false)
        func signs(_ number: UInt64) -> MovedMessages.Signs {
            moved.signs(of: AMQPProperties(), Self.identity(number), queue: "q", age: 0, now: .now())
        }
        #expect(signs(1) == MovedMessages.Signs(mayBeKnown: false, wasDelivered: false))
        #expect(signs(2) == MovedMessages.Signs(mayBeKnown: false, wasDelivered: false))
        #expect(signs(1) == MovedMessages.Signs(mayBeKnown: true, wasDelivered: false))
    }

    /// Fan-out publishes a doubtful page again as a retry, which overtakes the original.
    @Test func theOriginalOfARetryIsLookedUp() {
        let moved = MovedMessages(recallsAfterStart: false)
        func signs(_ number: UInt64, isRetry: Bool) -> MovedMessages.Signs {
            moved.signs(of: AMQPProperties(), Self.identity(number), queue: "q", isRetry: isRetry, age: 0, now: .now())
        }
        #expect(signs(1, isRetry: true) == MovedMessages.Signs())
        #expect(signs(1, isRetry: false) == MovedMessages.Signs(mayBeKnown: true, isBehindItsRetry: true))
        // What its producer publishes after that is its repeat.
        #expect(signs(1, isRetry: false) == MovedMessages.Signs(mayBeKnown: true))
        #expect(signs(2, isRetry: false) == MovedMessages.Signs())
        #expect(signs(2, isRetry: true) == MovedMessages.Signs())
        #expect(signs(2, isRetry: false) == MovedMessages.Signs(mayBeKnown: true))
    }

    @Test func theLatestMessagesAreRememberedAndNoMoreThanTwiceTheCapacity() {
        var recent = RecentMessages(capacity: 4)
        func seen(_ numbers: ClosedRange<UInt64>) -> [Bool] {
            numbers.map { recent.remember(Self.identity($0)) == .seen }
        }
        #expect(!seen(1...4).contains(true))
        #expect(!seen(1...4).contains(false))
        #expect(!seen(5...9).contains(true))
        #expect(seen(1...1) == [false])
        #expect(seen(8...8) == [true])
    }

    /// A moved message is looked up; only what was with a dispatcher is marked as a possible repeat.
    @Test func aMovedMessageIsRecalled() throws {
        for (count, isMoved) in [(0, false), (1, true)] as [(Int64, Bool)] {
            let properties = AMQPProperties(
                timestamp: UInt64(WallClock.milliseconds() / 1000),
                headers: [("x-delivery-count", .int64(count))]
            )
            let message = try #require(Samples.message(Samples.mixed, properties: properties))
            #expect(message.needsRecall == isMoved)
            #expect(message.origin.isRedelivered == isMoved)
        }
    }
}
