import Testing
import WaybillSimulator

@Suite struct ConnectionScriptTests {
    /// What happens at each request, the moment before the first one at the beginning.
    func run(_ requests: Int, _ set: (inout SimulatorConnectionRule) -> Void) -> [[ConnectionScript.Action]] {
        var rule = SimulatorConnectionRule()
        set(&rule)
        var script = ConnectionScript(rule: rule)
        var actions = [script.began()]
        for _ in 0..<requests { actions.append(script.answered() + script.requestCame()) }
        return actions
    }

    @Test func nothingHappensWithoutARule() {
        var script = ConnectionScript(rule: nil)
        #expect(script.began() == [])
        #expect(script.requestCame() == [])
        #expect(script.answered() == [])
        #expect(script.emptyFrames == 0)
        #expect(!script.replacesAnswer)
    }

    @Test func everythingHappensOnce() {
        #expect(run(3) { $0.mutesAfter = 2 } == [[], [], [.mute], []])
        #expect(run(1) { $0.mutesAfter = 0 } == [[.mute], []])
        #expect(run(2) { $0.closesAfter = 1 } == [[], [.close(byReset: false)], []])
        #expect(run(2) { $0.goesAwayAfter = 2 } == [[], [], [.goAway(SimulatorGoAway())]])
        let flood = SimulatorConnectionRule.Flood(.ping, count: 5, after: 1)
        #expect(run(2) { $0.flood = flood } == [[], [.flood(flood)], []])
        #expect(
            run(3) { $0.streamSchedule = [.init(after: 0, streams: 5), .init(after: 2, streams: 1)] }
                == [[.limitStreams(5)], [], [.limitStreams(1)], []]
        )
    }

    @Test func theEndComesBehindTheRest() {
        let actions = run(1) { rule in
            rule.closesAfter = 1
            rule.closesByReset = true
            rule.goesAwayAfter = 1
            rule.flood = .init(.settings, count: 1, after: 1)
        }
        #expect(
            actions[1] == [
                .flood(.init(.settings, count: 1, after: 1)), .goAway(SimulatorGoAway()), .close(byReset: true),
            ]
        )
    }

    @Test func someFloodsBelongToOneRequest() {
        var rule = SimulatorConnectionRule()
        rule.flood = .init(.emptyData, count: 9, after: 2)
        var script = ConnectionScript(rule: rule)
        #expect(script.emptyFrames == 0)
        #expect(script.requestCame() == [])
        #expect(script.emptyFrames == 9)
        #expect(script.requestCame() == [])
        #expect(script.emptyFrames == 0)
        rule.flood = .init(.continuation, count: 9)
        script = ConnectionScript(rule: rule)
        #expect(script.replacesAnswer)
        #expect(script.requestCame().count == 1)
        #expect(!script.replacesAnswer)
    }
}
