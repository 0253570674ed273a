import Testing
import WaybillSimulator

@Suite struct ConnectionRuleSetTests {
    func rule(times: Int? = nil, skip: Int = 0, window: Int) -> SimulatorConnectionRule {
        var rule = SimulatorConnectionRule()
        rule.times = times
        rule.skip = skip
        rule.connectionWindow = window
        return rule
    }

    func windows(_ rules: [SimulatorConnectionRule], _ count: Int, seed: UInt64 = 0) -> [Int?] {
        var book = ConnectionRuleSet(rules: rules, seed: seed)
        return (0..<count).map { _ in book.next()?.connectionWindow }
    }

    @Test func theFirstThatTakesAConnectionActs() {
        #expect(windows([rule(times: 2, window: 1), rule(window: 2)], 4) == [1, 1, 2, 2])
        #expect(windows([], 2) == [nil, nil])
    }

    @Test func aRuleLetsConnectionsPassFirst() {
        #expect(windows([rule(times: 1, skip: 2, window: 1)], 4) == [nil, nil, 1, nil])
        #expect(windows([rule(times: 1, skip: 1, window: 1), rule(times: 2, window: 2)], 4) == [2, 1, 2, nil])
    }

    @Test func chanceIsRepeatable() {
        var rare = rule(window: 1)
        rare.probability = 0.5
        #expect(windows([rare], 100, seed: 3) == windows([rare], 100, seed: 3))
        #expect(windows([rare], 100, seed: 3) != windows([rare], 100, seed: 4))
        #expect((25...75).contains(windows([rare], 100, seed: 3).count { $0 == 1 }))
    }
}
