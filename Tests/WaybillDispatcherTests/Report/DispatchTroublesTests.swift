import Testing
import WaybillCore
import WaybillTelemetry
import WaybillThreads

@testable import WaybillDispatcher
@testable import WaybillProviders

/// In virtual time.
struct DispatchTroublesTests {
    private func at(_ seconds: Int) -> MonotonicTime { MonotonicTime(nanoseconds: UInt64(seconds) * 1_000_000_000) }

    private func activity(open: Int = 0, streams: Int = 0, waiting: Int = 3, connected: Int = 1) -> LaneActivity {
        LaneActivity(
            connectionsOpen: open,
            connectionsPending: 1,
            connectionsDraining: 0,
            streams: streams,
            waiting: waiting,
            sent: 0,
            resent: 0,
            answers: 0,
            timeouts: 0,
            connected: connected,
            connectionFailures: 1,
            goAways: 0,
            streamStalls: 0,
            windowStalls: 0
        )
    }

    /// What is found after six seconds of the first, and then the second.
    private func texts(_ first: LaneActivity, _ second: LaneActivity, failure: String?) -> [String] {
        let troubles = DispatchTroubles(laneCount: 1)
        let counters = DispatchCounters(lanes: [Samples.lanes[0]]).snapshot
        func found(_ activity: LaneActivity, _ seconds: Int) -> [String] {
            let lane = DispatchTroubles.ObservedLane(
                name: "parcels",
                provider: .apns,
                activity: activity,
                connectionFailure: failure
            )
            return troubles.found(lanes: [lane], counters: counters, messages: 0, now: at(seconds)).map(\.text)
        }
        #expect(found(first, 10).isEmpty)
        return found(second, 16)
    }

    @Test func aLaneThatDoesNotReachItsPushServiceIsNamedWithTheReason() {
        #expect(
            texts(activity(), activity(waiting: 4), failure: "Connection refused") == [
                "lane parcels: the push service is not reached: no connection for 6 s, and 4 pushes wait: Connection refused"
            ]
        )
    }

    @Test func aRefusedCertificateIsNoFaultOfTheNetwork() {
        let troubles = DispatchTroubles(laneCount: 1)
        let counters = DispatchCounters(lanes: [Samples.lanes[0]]).snapshot
        let lane = DispatchTroubles.ObservedLane(
            name: "parcels",
            provider: .apns,
            activity: activity(),
            connectionFailure: "TLS: the server's certificate is refused: unable to get local issuer certificate"
        )
        _ = troubles.found(lanes: [lane], counters: counters, messages: 0, now: at(10))
        let found = troubles.found(lanes: [lane], counters: counters, messages: 0, now: at(16))
        #expect(found.map(\.kind) == [.pushServiceUnreached])
        #expect(found.first?.advice?.contains("trust_file") == true)
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
                activity: activity(open: 1, waiting: 0),
                connectionFailure: nil
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
                activity: activity(open: 1, streams: 3, waiting: 0),
                connectionFailure: nil
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
                activity: activity(open: 1, streams: 0, waiting: 0),
                connectionFailure: nil
            )
            return troubles.found(lanes: [lane], counters: counters, messages: 3, now: at(seconds))
        }
        #expect(found(10).isEmpty)
        #expect(found(16).map(\.kind) == [.standstill])
        #expect(found(16).first?.advice?.contains("for two minutes, restart") == true)
    }

    @Test func aLaneThatConnectsOrHasNothingToSendIsNot() {
        // A connection was made in between.
        #expect(texts(activity(), activity(connected: 2), failure: "Connection refused").isEmpty)
        #expect(texts(activity(open: 1), activity(open: 1), failure: "Connection refused").isEmpty)
        #expect(texts(activity(waiting: 0), activity(waiting: 0), failure: "Connection refused").isEmpty)
        // The first attempt may take its time.
        #expect(texts(activity(), activity(), failure: nil).isEmpty)
    }
}
