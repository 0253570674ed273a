import Testing
import WaybillCore
import WaybillPushTransport
import WaybillTelemetry
import WaybillThreads

@testable import WaybillDispatcher
@testable import WaybillProviders

/// In virtual time.
struct DispatchTroublesTests {
    private func refused(since: Int = 8) -> PushObstacle {
        PushObstacle(.network, "Connection refused", since: .at(since))
    }

    /// Pushes wait, and there is no connection.
    private var held: LaneActivity { .sample(waiting: 3, obstacle: refused()) }

    /// What is found of a lane at one moment, and six seconds later.
    private func found(
        _ first: LaneActivity,
        _ second: LaneActivity,
        provider: ProviderName = .apns,
        messages: Int = 0
    ) -> [Trouble] {
        let watch = LaneWatch(provider: provider)
        #expect(watch.found(first, 10, messages: messages).isEmpty)
        return watch.found(second, 16, messages: messages)
    }

    /// The begin is that of the first attempt, and not that of the waiting or of the naming.
    @Test func aLaneThatDoesNotReachItsPushServiceIsNamedWithTheReasonAndItsBegin() throws {
        let now = WallClock.milliseconds()
        let found = found(held, .sample(waiting: 4, obstacle: refused()), messages: 1)
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
        let hanging = PushObstacle(.network, "127.0.0.1:443: no answer to the TLS handshake yet", since: .at(10))
        let held = LaneActivity.sample(waiting: 3, obstacle: hanging)
        let found = found(held, held)
        #expect(found.map(\.text).first?.hasSuffix("for 6 s, and 3 pushes wait: \(hanging.text)") == true)
        #expect(found.first?.advice?.contains("firewalls") == true)
    }

    @Test(
        arguments: [
            (PushObstacle.Kind.certificate, TroubleKind.pushServiceUnreached, "no connection", "trust_file"),
            (.key, .noToken, "no access token", "Correct service_account_file"),
            (.clock, .noToken, "no access token", "Set this machine's clock"),
            (.token, .noToken, "no access token", "its token endpoint"),
        ]
    )
    func whatToDoGoesByWhatStandsInTheWay(
        kind: PushObstacle.Kind,
        trouble: TroubleKind,
        words: String,
        advice: String
    ) {
        let obstacle = PushObstacle(kind, "as it is said", since: .at(10))
        // A connection may stand, and the service be asked for a token by another.
        let held = LaneActivity.sample(open: 1, waiting: 3, obstacle: obstacle)
        let found = found(held, held, provider: .fcm, messages: 5)
        #expect(found.map(\.kind) == [trouble])
        #expect(found.first?.text.contains("\(words) for 6 s, and 3 pushes wait: as it is said") == true)
        #expect(found.first?.advice?.contains(advice) == true)
    }

    /// A restart of the dispatcher helps against nothing of that.
    @Test func thatNothingIsFinishedFollowsFromWhatHoldsALaneUp() {
        let watch = LaneWatch()
        for second in [10, 13] { #expect(watch.found(.sample(open: 1), second, messages: 3).isEmpty) }
        // The lane is held up since now only, and nothing is finished for longer.
        let held = LaneActivity.sample(waiting: 3, obstacle: refused(since: 14))
        #expect(watch.found(held, 15, messages: 3).isEmpty)
        #expect(watch.found(held, 19, messages: 3).map(\.kind) == [.pushServiceUnreached])
    }

    @Test func aPushServiceThatPutsEverythingOffIsOfItsKindUntilItTakesPushesAgain() throws {
        let watch = LaneWatch()
        let message = try #require(Samples.message(Samples.mixed))
        func found(_ outcome: Outcome, _ status: Int, _ reason: String?, _ seconds: Int) -> [Trouble] {
            watch.counters.update { counters in
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
            return watch.found(.sample(open: 1), seconds, messages: 0)
        }
        #expect(found(.accepted, 200, nil, 10).isEmpty)
        let told = found(.deferred, 503, "ServiceUnavailable", 14)
        #expect(told.map(\.kind) == [.pushServicePutsOff])
        #expect(told.map(\.lane) == ["parcels"])
        #expect(found(.accepted, 200, nil, 18).isEmpty)
    }

    @Test func aSilentPushServiceIsOfItsKindAndNamesItsLane() {
        let watch = LaneWatch()
        func found(_ second: Int) -> [Trouble] { watch.found(.sample(open: 1, streams: 3), second, messages: 3) }
        #expect(found(10).isEmpty)
        // That nothing is finished follows from it, and a restart does not help.
        #expect(found(16).map(\.kind) == [.pushServiceSilent])
        #expect(found(16).map(\.lane) == ["parcels"])
    }

    @Test func aStandstillThatNothingExplainsIsTold() {
        let watch = LaneWatch()
        func found(_ second: Int) -> [Trouble] { watch.found(.sample(open: 1), second, messages: 3) }
        #expect(found(10).isEmpty)
        #expect(found(16).map(\.kind) == [.standstill])
        #expect(found(16).first?.advice?.contains("for two minutes, restart") == true)
    }

    @Test func aLaneThatSendsOrHasNothingToSendIsNotHeldUp() {
        #expect(found(held, .sample(waiting: 3, sent: 11, obstacle: refused())).isEmpty)
        #expect(found(held, .sample(waiting: 3)).isEmpty)
        let idle = LaneActivity.sample(obstacle: refused())
        #expect(found(idle, idle).isEmpty)
    }

    /// How long it is so is told only when somebody has waited for a while.
    @Test func attemptsThatFailedBeforeAreNothingToTellAtOnce() {
        let watch = LaneWatch()
        func found(waiting: Int, _ second: Int) -> [String] {
            let held = LaneActivity.sample(waiting: waiting, obstacle: refused(since: 0))
            return watch.found(held, second, messages: 0).map(\.text)
        }
        #expect(found(waiting: 0, 40).isEmpty)
        #expect(found(waiting: 1, 41).isEmpty)
        #expect(found(waiting: 1, 45).first?.contains("no connection for 45 s, and 1 push waits") == true)
    }
}
