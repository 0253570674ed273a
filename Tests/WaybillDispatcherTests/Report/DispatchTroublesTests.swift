import Testing
import WaybillCore
import WaybillTelemetry
import WaybillThreads

@testable import WaybillDispatcher
@testable import WaybillProviders

/// In virtual time.
struct DispatchTroublesTests {
    private func at(_ seconds: Int) -> MonotonicTime { MonotonicTime(nanoseconds: UInt64(seconds) * 1_000_000_000) }

    private func activity(
        open: Int = 0,
        streams: Int = 0,
        waiting: Int = 3,
        sent: Int = 0,
        obstacle: LaneObstacle? = nil
    ) -> LaneActivity {
        LaneActivity(
            connectionsOpen: open,
            connectionsPending: 1,
            connectionsDraining: 0,
            streams: streams,
            waiting: waiting,
            obstacle: obstacle,
            sent: sent,
            resent: 0,
            answers: 0,
            timeouts: 0,
            connected: 1,
            connectionFailures: 1,
            goAways: 0,
            streamStalls: 0,
            windowStalls: 0
        )
    }

    private func refused(since: Int = 8) -> LaneObstacle {
        LaneObstacle(.network, "Connection refused", since: at(since))
    }

    /// What is found of a lane at one moment, and six seconds later.
    private func found(
        _ first: LaneActivity,
        _ second: LaneActivity,
        provider: ProviderName = .apns,
        messages: Int = 0
    ) -> [Trouble] {
        let troubles = DispatchTroubles(laneCount: 1)
        let counters = DispatchCounters(lanes: [Samples.lanes[0]]).snapshot
        func found(_ activity: LaneActivity, _ seconds: Int) -> [Trouble] {
            let lane = DispatchTroubles.ObservedLane(name: "parcels", provider: provider, activity: activity)
            return troubles.found(lanes: [lane], counters: counters, messages: messages, now: at(seconds))
        }
        #expect(found(first, 10).isEmpty)
        return found(second, 16)
    }

    /// The begin is that of the first attempt, and not that of the waiting or of the naming.
    @Test func aLaneThatDoesNotReachItsPushServiceIsNamedWithTheReasonAndItsBegin() throws {
        let now = WallClock.milliseconds()
        let found = found(activity(obstacle: refused()), activity(waiting: 4, obstacle: refused()), messages: 1)
        #expect(
            found.map(\.text) == [
                "lane parcels: the push service is not reached: no connection for 8 s, and 4 pushes wait: Connection refused"
            ]
        )
        #expect(found.map(\.kind) == [.pushServiceUnreached])
        let since = try #require(found.first?.since)
        #expect((-9000 ... -7900).contains(since - now))
    }

    @Test func anAttemptThatHangsIsNamedBeforeItFails() {
        let hanging = LaneObstacle(.network, "127.0.0.1:443: no answer to the TLS handshake yet", since: at(10))
        let found = found(activity(obstacle: hanging), activity(obstacle: hanging))
        #expect(found.map(\.text).first?.hasSuffix("for 6 s, and 3 pushes wait: \(hanging.text)") == true)
        #expect(found.first?.advice?.contains("firewalls") == true)
    }

    @Test(
        arguments: [
            (LaneObstacle.Kind.certificate, TroubleKind.pushServiceUnreached, "no connection", "trust_file"),
            (.key, .noToken, "no access token", "Correct service_account_file"),
            (.clock, .noToken, "no access token", "Set this machine's clock"),
            (.token, .noToken, "no access token", "its token endpoint"),
        ]
    )
    func whatToDoGoesByWhatStandsInTheWay(
        kind: LaneObstacle.Kind,
        trouble: TroubleKind,
        words: String,
        advice: String
    ) {
        let obstacle = LaneObstacle(kind, "as it is said", since: at(10))
        // A connection may stand, and the service be asked for a token by another.
        let held = activity(open: 1, obstacle: obstacle)
        let found = found(held, held, provider: .fcm, messages: 5)
        #expect(found.map(\.kind) == [trouble])
        #expect(found.first?.text.contains("\(words) for 6 s, and 3 pushes wait: as it is said") == true)
        #expect(found.first?.advice?.contains(advice) == true)
    }

    /// A restart of the dispatcher helps against nothing of that.
    @Test func thatNothingIsFinishedFollowsFromWhatHoldsALaneUp() {
        let troubles = DispatchTroubles(laneCount: 1)
        let counters = DispatchCounters(lanes: [Samples.lanes[0]]).snapshot
        func found(_ activity: LaneActivity, _ seconds: Int) -> [Trouble] {
            let lane = DispatchTroubles.ObservedLane(name: "parcels", provider: .apns, activity: activity)
            return troubles.found(lanes: [lane], counters: counters, messages: 3, now: at(seconds))
        }
        for second in [10, 13] { #expect(found(activity(open: 1, waiting: 0), second).isEmpty) }
        // The lane is held up since now only, and nothing is finished for longer.
        #expect(found(activity(obstacle: refused(since: 14)), 15).isEmpty)
        #expect(found(activity(obstacle: refused(since: 14)), 19).map(\.kind) == [.pushServiceUnreached])
    }

    @Test func aPushServiceThatPutsEverythingOffIsOfItsKindUntilItTakesPushesAgain() throws {
        let troubles = DispatchTroubles(laneCount: 1)
        let counters = DispatchCounters(lanes: [Samples.lanes[0]])
        let message = try #require(Samples.message(Samples.mixed))
        func found(_ outcome: Outcome, _ status: Int, _ reason: String?, _ seconds: Int) -> [Trouble] {
            counters.update { counters in
                for _ in 0..<30 {
                    counters.count(
                        ItemOutcome(
                            message: message,
                            position: 0,
                            outcome: outcome,
                            statusCode: status,
                            reason: reason,
                            date: 9
                        )
                    )
                }
            }
            let lane = DispatchTroubles.ObservedLane(
                name: "parcels",
                provider: .apns,
                activity: activity(open: 1, waiting: 0)
            )
            return troubles.found(lanes: [lane], counters: counters.snapshot, messages: 0, now: at(seconds))
        }
        #expect(found(.accepted, 200, nil, 10).isEmpty)
        let told = found(.deferred, 503, "ServiceUnavailable", 14)
        #expect(told.map(\.kind) == [.pushServicePutsOff])
        #expect(told.map(\.lane) == ["parcels"])
        #expect(found(.accepted, 200, nil, 18).isEmpty)
    }

    @Test func aSilentPushServiceIsOfItsKindAndNamesItsLane() {
        let troubles = DispatchTroubles(laneCount: 1)
        let counters = DispatchCounters(lanes: [Samples.lanes[0]]).snapshot
        func found(_ seconds: Int) -> [Trouble] {
            let lane = DispatchTroubles.ObservedLane(
                name: "parcels",
                provider: .apns,
                activity: activity(open: 1, streams: 3, waiting: 0)
            )
            return troubles.found(lanes: [lane], counters: counters, messages: 3, now: at(seconds))
        }
        #expect(found(10).isEmpty)
        // That nothing is finished follows from it, and a restart does not help.
        #expect(found(16).map(\.kind) == [.pushServiceSilent])
        #expect(found(16).map(\.lane) == ["parcels"])
    }

    @Test func aStandstillThatNothingExplainsIsTold() {
        let troubles = DispatchTroubles(laneCount: 1)
        let counters = DispatchCounters(lanes: [Samples.lanes[0]]).snapshot
        func found(_ seconds: Int) -> [Trouble] {
            let lane = DispatchTroubles.ObservedLane(
                name: "parcels",
                provider: .apns,
                activity: activity(open: 1, streams: 0, waiting: 0)
            )
            return troubles.found(lanes: [lane], counters: counters, messages: 3, now: at(seconds))
        }
        #expect(found(10).isEmpty)
        #expect(found(16).map(\.kind) == [.standstill])
        #expect(found(16).first?.advice?.contains("for two minutes, restart") == true)
    }

    @Test func aLaneThatSendsOrHasNothingToSendIsNotHeldUp() {
        let held = activity(obstacle: refused())
        #expect(found(held, activity(sent: 1, obstacle: refused())).isEmpty)
        #expect(found(held, activity()).isEmpty)
        #expect(found(activity(waiting: 0, obstacle: refused()), activity(waiting: 0, obstacle: refused())).isEmpty)
    }

    /// How long it is so is told only when somebody has waited for a while.
    @Test func attemptsThatFailedBeforeAreNothingToTellAtOnce() {
        let troubles = DispatchTroubles(laneCount: 1)
        let counters = DispatchCounters(lanes: [Samples.lanes[0]]).snapshot
        func found(waiting: Int, _ seconds: Int) -> [String] {
            let lane = DispatchTroubles.ObservedLane(
                name: "parcels",
                provider: .apns,
                activity: activity(waiting: waiting, obstacle: refused(since: 0))
            )
            return troubles.found(lanes: [lane], counters: counters, messages: 0, now: at(seconds)).map(\.text)
        }
        #expect(found(waiting: 0, 40).isEmpty)
        #expect(found(waiting: 1, 41).isEmpty)
        #expect(found(waiting: 1, 45).first?.contains("no connection for 45 s, and 1 push waits") == true)
    }
}
