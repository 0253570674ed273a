import Testing
import WaybillCore
import WaybillPushTransport
import WaybillTelemetry
import WaybillThreads

@testable import WaybillDispatcher
@testable import WaybillProviders

@Suite("A lane on which nothing gets through, in virtual time")
struct LaneStoppageTests {
    /// A step: from a second on, what the lane shows, how many messages are in hand, and as what it is told.
    private typealias Step = (from: Int, activity: LaneActivity, messages: Int, told: TroubleKind?)

    @Test(
        "it is one finding with one begin from the first silence to the first answer, whatever is in hand",
        arguments: ["no answer to the attempt to connect yet", "no answer to the TLS handshake yet"]
    )
    func fromSilenceToAnAnswer(waitsFor: String) {
        let hangs = PushObstacle(.network, "17.0.0.1:443: \(waitsFor)", since: .at(140))
        let failed = PushObstacle(.network, "17.0.0.1:443: no connection in time", since: .at(140))
        let again = PushObstacle(.network, "17.0.0.1:443: no connection in time", since: .at(140))
        let steps: [Step] = [
            (100, .sample(open: 1, streams: 10), 10, nil),
            (104, .sample(open: 1, streams: 10), 10, .pushServiceSilent),
            // All have timed out, and wait to be repeated; the connection is given up.
            (130, .sample(streams: 0, waiting: 0), 10, .pushServiceSilent),
            (140, .sample(waiting: 10, obstacle: hangs), 10, .pushServiceUnreached),
            (150, .sample(waiting: 10, obstacle: failed), 10, .pushServiceUnreached),
            // All are put off.
            (170, .sample(obstacle: again), 0, .pushServiceUnreached),
            (180, .sample(), 0, .pushServiceUnreached),
            // Connected, and the first of them is sent again.
            (400, .sample(open: 1, streams: 1, sent: 11), 1, .pushServiceSilent),
            (402, .sample(open: 1, sent: 11, answers: 1), 1, nil),
            (403, .sample(open: 1, sent: 11, answers: 1), 0, nil),
        ]
        let watch = LaneWatch()
        var begins: Set<Int64> = []
        for (index, step) in steps.enumerated() {
            let end = index + 1 < steps.count ? steps[index + 1].from : step.from + 1
            for second in step.from..<end {
                let found = watch.found(step.activity, second, messages: step.messages)
                #expect(found.map(\.kind) == [step.told].compactMap(\.self), "second \(second)")
                #expect(found.allSatisfy { $0.lane == "parcels" && $0.advice != nil })
                begins.formUnion(found.compactMap(\.since))
            }
        }
        #expect(begins.count == 1)
    }

    @Test("what is parked for it is told with the lane's state, with the same begin")
    func parked() {
        let watch = LaneWatch()
        let silent = LaneActivity.sample(open: 1, streams: 10)
        _ = watch.found(silent, 100, messages: 10)
        let since = watch.found(silent, 104, messages: 10).first?.since
        #expect(since != nil)
        #expect(watch.found(.sample(), 160, messages: 10, isParked: true).isEmpty)
        #expect(watch.troubles.stoppage(lane: 0) == since)
        #expect(watch.found(.sample(answers: 1), 161, messages: 10).map(\.kind) == [.standstill])
        #expect(watch.troubles.stoppage(lane: 0) == nil)
    }

    @Test("an operator's order ends it")
    func ordered() {
        let watch = LaneWatch()
        let silent = LaneActivity.sample(open: 1, streams: 10)
        _ = watch.found(silent, 100, messages: 10)
        #expect(watch.found(silent, 104, messages: 10).map(\.kind) == [.pushServiceSilent])
        #expect(watch.found(.sample(), 110, messages: 0, isStoppedByOrder: true).isEmpty)
        #expect(watch.found(.sample(), 111, messages: 0).isEmpty)
    }

    @Test("a token that is had ends that there was none")
    func token() {
        let watch = LaneWatch()
        let none = PushObstacle(.token, "the token endpoint does not answer", since: .at(100))
        _ = watch.found(.sample(open: 1, waiting: 2, obstacle: none), 100, messages: 2)
        let held = watch.found(.sample(open: 1, waiting: 2, obstacle: none), 104, messages: 2)
        #expect(held.map(\.kind) == [.noToken])
        #expect(watch.found(.sample(open: 1, obstacle: none), 140, messages: 0).map(\.kind) == [.noToken])
        #expect(watch.found(.sample(open: 1), 150, messages: 0).isEmpty)
    }

    @Test("words say what is in hand, and what came before")
    func words() {
        let watch = LaneWatch()
        _ = watch.found(.sample(open: 1, streams: 1), 100, messages: 1)
        func text(_ activity: LaneActivity, _ second: Int) -> String? {
            watch.found(activity, second, messages: 1).first?.text
        }
        #expect(
            text(.sample(open: 1, streams: 1), 105)
                == "lane parcels: the push service is silent: it took 1 push and has answered none for 5 s"
        )
        #expect(
            text(.sample(), 131)
                == "lane parcels: the push service is silent: it has answered nothing for 31 s, and no push is on its way to it at this moment"
        )
        let refused = PushObstacle(.network, "Connection refused", since: .at(132))
        #expect(
            text(.sample(obstacle: refused), 142)
                == "lane parcels: the push service is not reached: no connection for 10 s, and no push waits for one at this moment; nothing has been answered for 42 s: Connection refused"
        )
    }

    @Test("time in which the process did not run is no silence")
    func stoppedProcess() {
        let pulse = ProcessPulse()
        var answers = Standstill(pulse: pulse)
        pulse.beat(now: .at(100))
        _ = answers.duration(of: 1, isExpected: true, now: .at(100))
        // It goes on, and looks before it beats; then it beats.
        #expect(answers.duration(of: 1, isExpected: true, now: .at(166)) == .zero)
        pulse.beat(now: .at(166))
        #expect(answers.duration(of: 1, isExpected: true, now: .at(168)) == .seconds(2))
    }
}
