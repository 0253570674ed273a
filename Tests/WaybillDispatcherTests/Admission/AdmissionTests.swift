import Testing
import WaybillAMQP
import WaybillCore
import WaybillFleet
import WaybillThreads

@testable import WaybillDispatcher

struct AdmissionTests {
    private let start = MonotonicTime(nanoseconds: 1_000_000_000)
    private let breakers = CircuitBreakers(laneCount: 2)
    private let traffic = LaneTraffic(laneCount: 2)
    private let orders = OrdersInForce()

    /// One that has left its probation, so that more than one message is handed out.
    private func admission(laneCount: Int = 2, maximumNotifications: Int = 150) -> Admission {
        var admission = Admission(
            laneCount: laneCount,
            queueCount: 3,
            maximumNotifications: maximumNotifications,
            policy: RetryPolicy(),
            breakers: breakers,
            traffic: traffic,
            orders: orders
        )
        for isBulk in [false, true] {
            for _ in 0..<500 {
                _ = admission.prefetch.delivered(items: 1, bytes: 300, isRedelivered: false, isBulk: isBulk)
            }
        }
        return admission
    }

    /// A message with some good items for the lane of a name.
    private func sample(
        _ count: Int = 1,
        lane: String = "parcels",
        expiration: String = "",
        tag: UInt64 = 1
    ) throws -> InFlightMessage {
        let items = (0..<count).map { #"{"device_token":"aa\#($0 + 10)","message":"\#(tag)"\#(expiration)}"# }
        let body = #"{"batch_id":"b","lane":"\#(lane)","notifications":[\#(items.joined(separator: ","))]}"#
        let delivery = Samples.delivery(body, tag: tag, isRedelivered: true)
        return try #require(Samples.message(of: delivery))
    }

    @Test func whatNothingStandsAgainstStarts() throws {
        var admission = admission()
        let message = try sample(3)
        let decision = admission.admit(message, now: start)
        #expect(decision == .start(isProbe: false))
        #expect(admission.inFlight.messages == 1)
        #expect(admission.inFlight.notifications == 3)
        #expect(traffic.count(lane: 0).underWay == 3)
        admission.settled(message.finalizer)
        let copy = admission.takeReleased()
        #expect(copy == nil)
        #expect(admission.inFlight == MessageCount())
    }

    @Test(arguments: [(1, true), (149, true), (150, false), (4000, false)])
    func nothingMoreStartsWhenTheProcessIsFull(notifications: Int, hasRoom: Bool) {
        var admission = admission()
        #expect(admission.hasRoom)
        admission.admitRejected(
            Finalizer(epoch: 1, deliveryTag: 1, itemCount: notifications, byteCount: 9, lane: nil, part: nil)
        )
        #expect(admission.hasRoom == hasRoom)
    }

    @Test(arguments: [(Admission.maximumBytes - 1, true), (Admission.maximumBytes, false)])
    func norWhenItsBytesAreThere(bytes: Int, hasRoom: Bool) {
        var admission = admission()
        admission.admitRejected(
            Finalizer(epoch: 1, deliveryTag: 1, itemCount: 1, byteCount: bytes, lane: nil, part: nil)
        )
        #expect(admission.hasRoom == hasRoom)
    }

    @Test func aCopyOfWhatIsInFlightWaitsForIt() throws {
        var admission = admission()
        let first = try sample()
        let copy = try sample()
        _ = admission.admit(first, now: start)
        let decision = admission.admit(copy, now: start)
        #expect(decision == .waitAsCopy)
        #expect(admission.inFlight.messages == 1)
        admission.settled(first.finalizer)
        let released = admission.takeReleased()
        #expect(released === copy)
    }

    /// A third of what the retry queue hands out ahead is each lane's of two, and a third is left.
    @Test func aLaneWithTooManyCopiesPutsTheNextOnesOff() throws {
        var admission = admission()
        _ = admission.admit(try sample(), now: start)
        let most = admission.prefetch.share(of: 2) / 3
        let decisions = try (0...most).map { _ in admission.admit(try sample(), now: start) }
        #expect(most > 1)
        #expect(decisions.dropLast().allSatisfy { $0 == .waitAsCopy })
        #expect(decisions.last == .putOff(nil, step: 0, isLaneNewlySlow: false))
        let other = admission.admit(try sample(lane: "chat"), now: start)
        #expect(other == .start(isProbe: false))
    }

    /// Each of them is a notification of its own, and gets an identity before it is sent.
    @Test func messagesWithoutTimeAndNameAreNoCopies() throws {
        var admission = admission()
        for tag in 1...3 {
            let delivery = Samples.delivery(#"[{"device_token":"aa01","message":"x"}]"#, tag: UInt64(tag))
            let message = try #require(Samples.message(of: delivery))
            let decision = admission.admit(message, now: start)
            #expect(decision == .start(isProbe: false))
        }
    }

    /// 50 of 150 are each lane's own of two, and 50 nobody's.
    @Test func aLaneWithItsShareWaitsWhileItMovesAndIsPutOffWhenItDoesNot() throws {
        var admission = admission()
        let first = try sample(50)
        _ = admission.admit(first, now: start)
        let second = try sample(tag: 2)
        let decision = admission.admit(second, now: start)
        #expect(decision == .wait)
        let nobody = admission.takeWaiting(now: start)
        #expect(nobody.isEmpty)
        let other = try sample(lane: "chat", tag: 3)
        let decisionOnOther = admission.admit(other, now: start)
        #expect(decisionOnOther == .start(isProbe: false))
        let late = admission.takeWaiting(now: start.advanced(by: FairShare.window))
        #expect(late.map(\.decision) == [.putOff(.slow, step: 2, isLaneNewlySlow: true)])
        #expect(late.first?.message === second)
        let third = try sample(tag: 4)
        let decisionOnThird = admission.admit(third, now: start.advanced(by: FairShare.window))
        #expect(decisionOnThird == .putOff(.slow, step: 2, isLaneNewlySlow: false))
        #expect(admission.inFlight.messages == 4)
    }

    @Test func whatWaitsStartsInItsOrderWhenThereIsRoom() throws {
        var admission = admission()
        let first = try sample(50)
        _ = admission.admit(first, now: start)
        let waiting = try (2...4).map { try sample(30, tag: UInt64($0)) }
        for message in waiting {
            let decision = admission.admit(message, now: start)
            #expect(decision == .wait)
        }
        traffic.ended(50, answered: 50, lane: 0)
        let taken = admission.takeWaiting(now: start)
        #expect(taken.map(\.message.finalizer.deliveryTag) == [2, 3])
        admission.dropWaiting()
        #expect(admission.inFlight.messages == 3)
        let rest = admission.takeWaiting(now: start.advanced(by: .seconds(9)))
        #expect(rest.isEmpty)
    }

    @Test func aLaneWhoseBreakerIsOpenIsPutOffAndThenProbedByOneMessage() throws {
        var admission = admission()
        let pause = try #require(breakers.trip(lane: 0, cause: .refused, reason: "Forbidden", now: start))
        let due = start.advanced(by: pause)
        let later = Admission.Decision.putOff(.refused, step: 2, isLaneNewlySlow: false)
        let expected: [(MonotonicTime, Admission.Decision)] = [
            (start, later), (due, .start(isProbe: true)), (due, later),
        ]
        for (tag, (time, decision)) in zip(UInt64(1)..., expected) {
            let message = try sample(tag: tag)
            let made = admission.admit(message, now: time)
            #expect(made == decision)
        }
        _ = breakers.close(lane: 0, now: due)
        let message = try sample(tag: 9)
        let decision = admission.admit(message, now: due)
        #expect(decision == .start(isProbe: false))
    }

    /// It needs a record and no lane, so it is no probe either.
    @Test func whatIsTooLateStartsWhateverItsLaneDoes() throws {
        var admission = admission()
        _ = breakers.trip(lane: 0, cause: .refused, reason: "Forbidden", now: start)
        let message = try sample(expiration: #","expiration":1000"#)
        let decision = admission.admit(message, now: start.advanced(by: .seconds(3600)))
        #expect(decision == .start(isProbe: false))
    }

    /// It never started: it waits in a delay queue, and is no load of its lane.
    @Test func whatWasPutOffIsSettledWithoutHavingStarted() throws {
        var admission = admission()
        _ = breakers.trip(lane: 0, cause: .refused, reason: "Forbidden", now: start)
        let message = try sample()
        _ = admission.admit(message, now: start)
        #expect(!message.finalizer.hasStarted)
        #expect(traffic.count(lane: 0).underWay == 0)
        admission.settled(message.finalizer)
        #expect(admission.inFlight == MessageCount())
    }

    /// In flight together, of 100 that may be; whether one more of each kind may be looked at.
    @Test(arguments: [
        (others: 0, bulk: 49, hasRoom: true, hasBulkRoom: true), (0, 50, true, false), (0, 400, true, false),
        (49, 400, true, false), (50, 400, false, false), (51, 49, false, false), (50, 49, true, true),
        (99, 1, false, true), (100, 0, false, true), (500, 9, false, true), (500, 10, false, false),
    ])
    func bulkHasHalfAtTheMostAndATenthInAnyCase(others: Int, bulk: Int, hasRoom: Bool, hasBulkRoom: Bool) {
        var admission = admission(maximumNotifications: 100)
        for (count, isBulk) in [(others, false), (bulk, true)] where count > 0 {
            admission.admitRejected(
                Finalizer(
                    epoch: 1,
                    deliveryTag: 1,
                    itemCount: count,
                    byteCount: 10,
                    isBulk: isBulk,
                    lane: nil,
                    part: nil
                )
            )
        }
        #expect(admission.hasRoom == hasRoom)
        #expect(admission.hasBulkRoom == hasBulkRoom)
    }

    /// Of 150 and two lanes, a lane's share is 50, and 25 of bulk's half.
    @Test func whatIsBulkTakesNothingOfALaneFromOthers() throws {
        var admission = admission()
        let decisions = try (0..<5).map { number in
            let body = #"{"batch_id":"b\#(number)","lane":"parcels","payload":{"aps":{}},"device_tokens":["#
            let tokens = (0..<10).map { "\"aa\($0 + 10)\"" }.joined(separator: ",")
            let delivery = Samples.delivery(body + tokens + "]}", tag: UInt64(number), isRedelivered: true)
            let message = try #require(
                Samples.message(of: delivery, from: number < 4 ? Samples.bulk : Samples.dispatch)
            )
            return admission.admit(message, now: start)
        }
        let starts = Admission.Decision.start(isProbe: false)
        #expect(decisions == [starts, starts, starts, .wait, starts])
        #expect(admission.bulkInFlight.notifications == 40)
        #expect(traffic.count(lane: 0, isBulk: true).underWay == 30)
        #expect(traffic.count(lane: 0).underWay == 10)
    }

    @Test func aSingleLaneMayHoldEverything() throws {
        var admission = admission(laneCount: 1)
        for tag in 1...3 {
            let message = try sample(50, tag: UInt64(tag))
            let decision = admission.admit(message, now: start.advanced(by: .seconds(60 * tag)))
            #expect(decision == .start(isProbe: false))
        }
        #expect(!admission.hasRoom)
    }

    @Test func whatIsHandedOutInLargerBodiesThanBeforeIsGivenBackOnce() {
        var admission = admission(maximumNotifications: 20_000)
        let few = admission.mustGiveBack(messages: 12, bytes: Admission.maximumBytesAhead)
        let many = admission.mustGiveBack(messages: 49, bytes: Admission.maximumBytesAhead + 1)
        #expect(!few)
        #expect(many)
    }

    @Test func aPausedLaneIsPutOffUnlessItsBatchIsCancelled() throws {
        var admission = admission()
        breakers.hold(lane: 0, by: LaneOrder(lane: "parcels", state: .paused, source: OrderSource(name: "a", date: 1)))
        let first = try sample(tag: 1)
        guard case .putOff(.paused, step: _, isLaneNewlySlow: false) = admission.admit(first, now: start)
        else {
            Issue.record("it was not put off")
            return
        }
        var cancelled = StandingOrders()
        let source = OrderSource(name: "a", date: .max)
        cancelled.add(Cancellation(batch: BatchName("b"), client: nil, source: source))
        orders.replace(cancelled)
        let second = try sample(tag: 2)
        let decision = admission.admit(second, now: start)
        #expect(decision == .start(isProbe: false), "it only needs its records")
    }
}

struct MessageCountTests {
    private func count(_ messages: Int) -> MessageCount {
        var count = MessageCount()
        for tag in 0..<messages {
            count += Finalizer(
                epoch: 1,
                deliveryTag: UInt64(tag),
                itemCount: 2,
                byteCount: 100,
                lane: 0,
                part: nil
            )
        }
        return count
    }

    @Test(arguments: [(3, 30, 0.3), (3, 4, 0.75), (2, 4, 0.5), (0, 4, 0), (1, 0, 1)])
    func theShareIsTheLargerOfMessagesAndBytes(messages: Int, handedOut: Int, share: Double) {
        #expect(count(messages).share(handedOut: handedOut, maximumBytes: 1000) == share)
        #expect(count(messages).notifications == 2 * messages)
    }
}
