import Testing
import WaybillAMQP
import WaybillCore
import WaybillThreads

@testable import WaybillDispatcher

/// Which message probes a parked lane.
@Suite struct ProbeTests {
    private static let start = MonotonicTime(nanoseconds: 1_000_000_000)

    private static func time(_ seconds: Int) -> MonotonicTime { start.advanced(by: .seconds(seconds)) }

    private static func breaker(_ cause: CircuitBreaker.Cause) -> CircuitBreaker {
        var breaker = CircuitBreaker(now: start, date: 1)
        _ = breaker.trip(cause, reason: "x", begin: 1, now: start)
        return breaker
    }

    /// Seconds after which a message that was sent before may probe, and one that was not.
    @Test(
        arguments: [(.unreachable, 45, 15), (.refused, 30, 30), (.hold(.seconds(7)), 7, 7)]
            as [(CircuitBreaker.Cause, Int, Int)]
    )
    func aRepeatProbesWhereNothingElseComes(cause: CircuitBreaker.Cause, repeated: Int, fresh: Int) {
        for (isRepeat, due) in [(true, repeated), (false, fresh)] {
            var breaker = Self.breaker(cause)
            let early = breaker.admit(isRepeat: isRepeat, now: Self.time(due - 1))
            #expect(early == .wait(cause.wait))
            let probe = breaker.admit(isRepeat: isRepeat, now: Self.time(due))
            #expect(probe == .probe)
            let second = breaker.admit(now: Self.time(due))
            #expect(second == .wait(cause.wait))
        }
    }

    @Test func afterALongPauseARepeatWaitsAsLong() {
        var breaker = Self.breaker(.unreachable)
        for time in [15, 45] {
            _ = breaker.admit(now: Self.time(time))
            _ = breaker.trip(.unreachable, reason: "x", begin: 1, now: Self.time(time))
        }
        // The third pause is a minute.
        let early = breaker.admit(isRepeat: true, now: Self.time(164))
        #expect(early == .wait(.unreachable))
        let probe = breaker.admit(isRepeat: true, now: Self.time(165))
        #expect(probe == .probe)
    }

    /// The probe came back with nothing: the next repeat waits again, a fresh message does not.
    @Test func aReturnedProbeMakesRoomForAFreshOne() {
        var breaker = Self.breaker(.unreachable)
        _ = breaker.admit(isRepeat: true, now: Self.time(45))
        #expect(breaker.isProbing)
        breaker.returnProbe(now: Self.time(60))
        #expect(!breaker.isProbing)
        let repeated = breaker.admit(isRepeat: true, now: Self.time(89))
        #expect(repeated == .wait(.unreachable))
        let fresh = breaker.admit(now: Self.time(89))
        #expect(fresh == .probe)
    }

    @Test func aProbeThatIsNeverAnsweredIsFollowedByARepeatLater() {
        var breaker = Self.breaker(.unreachable)
        _ = breaker.admit(now: Self.time(15))
        let early = breaker.admit(isRepeat: true, now: Self.time(164))
        #expect(early == .wait(.unreachable))
        let late = breaker.admit(isRepeat: true, now: Self.time(165))
        #expect(late == .probe)
    }

    @Test func aSilenceIsKnownForAsLongAsItLasts() {
        var breaker = Self.breaker(.hold(.seconds(7)))
        #expect(breaker.silence(now: Self.time(2)) == .seconds(5))
        #expect(breaker.silence(now: Self.time(9)) == .zero)
        _ = breaker.admit(now: Self.time(9))
        #expect(breaker.silence(now: Self.time(10)) == .zero)
        _ = breaker.close(now: Self.time(10), date: 1)
        #expect(breaker.silence(now: Self.time(10)) == nil)
        #expect(Self.breaker(.refused).silence(now: Self.time(2)) == nil)
    }

    /// A repeat that times out again says nothing where others have been answered.
    @Test(
        arguments: [
            (false, false, [], .silence(reason: "timeout")), (true, false, [], .nothing),
            (true, true, [], .returnProbe),
            (true, true, [.sound], .close),
            (true, false, [.unreachable("no route")], .trip(.unreachable, reason: "no route")),
        ] as [(Bool, Bool, [LaneSign], LaneSigns.Verdict)]
    )
    func aRepeatThatIsLostAgainIsNoSign(isLost: Bool, isProbe: Bool, others: [LaneSign], verdict: LaneSigns.Verdict) {
        var signs = LaneSigns()
        signs.note(.unanswered("timeout"), isProbe: isProbe, isLostAgain: isLost)
        for sign in others { signs.note(sign, isProbe: false) }
        #expect(signs.verdict == verdict)
    }

    @Test func aLaneAnswersOthersWhereItHasAnsweredLately() {
        let breakers = CircuitBreakers(laneCount: 1, now: Self.start)
        #expect(!breakers.isAnswering(lane: 0, now: Self.start))
        _ = breakers.close(lane: 0, now: Self.start)
        #expect(breakers.isAnswering(lane: 0, now: Self.time(59)))
        #expect(!breakers.isAnswering(lane: 0, now: Self.time(60)))
    }

    // MARK: - Messages

    private static func admission(_ breakers: CircuitBreakers) -> Admission {
        Admission(
            laneCount: 2,
            queueCount: 3,
            maximumNotifications: 150,
            policy: RetryPolicy(),
            breakers: breakers,
            traffic: LaneTraffic(laneCount: 2),
            orders: OrdersInForce()
        )
    }

    /// A message for the first lane: a producer's own, or a retry of its second pass.
    private static func message(tag: UInt64, isRetry: Bool) throws -> InFlightMessage {
        var properties = AMQPProperties()
        if isRetry { properties.headers = Samples.retryHeaders("0") }
        let delivery = Samples.delivery(
            #"[{"device_token":"aa01","message":"\#(tag)"}]"#,
            tag: tag,
            properties: properties
        )
        return try #require(Samples.message(of: delivery, from: isRetry ? Samples.retry : Samples.dispatch))
    }

    @Test func theProbeIsTheMessageThatWasNotSentBefore() throws {
        let breakers = CircuitBreakers(laneCount: 2, now: Self.start)
        var admission = Self.admission(breakers)
        _ = breakers.trip(lane: 0, cause: .unreachable, reason: "no route", now: Self.start)
        let now = Self.time(15)
        let later = Admission.Decision.putOff(.unreachable, step: 2, isLaneNewlySlow: false)
        let (first, second) = (try Self.message(tag: 1, isRetry: true), try Self.message(tag: 2, isRetry: false))
        #expect(first.origin.pass == 2 && second.origin.pass == 1)
        let decisions = [admission.admit(first, now: now), admission.admit(second, now: now)]
        #expect(decisions == [later, .start(isProbe: true)])
    }

    /// A short silence is waited for in the shortest queue that covers it.
    @Test(arguments: [(2, 0), (8, 1), (20, 2), (600, 2)])
    func whatWaitsForASilenceWaitsNoLongerThanItLasts(seconds: Int, step: Int) throws {
        let breakers = CircuitBreakers(laneCount: 2, now: Self.start)
        var admission = Self.admission(breakers)
        _ = breakers.trip(lane: 0, cause: .hold(.seconds(seconds)), reason: "busy", now: Self.start)
        let decision = admission.admit(try Self.message(tag: 1, isRetry: false), now: Self.start)
        #expect(decision == .putOff(.retryAfter, step: step, isLaneNewlySlow: false))
    }
}
