/// The rules for connections in force, with the memory of how many each has let pass and taken.
package struct ConnectionRuleSet: Sendable {
    private struct Use {
        var passed = 0
        var taken = 0
    }

    private let rules: [SimulatorConnectionRule]
    private var uses: [Use]
    private var generator: SeededGenerator

    /// Puts rules in force.
    ///
    /// - Parameters:
    ///   - rules: in the order in which connections meet them.
    ///   - seed: makes the choices of rules with a `probability` repeatable.
    package init(rules: [SimulatorConnectionRule], seed: UInt64 = 0) {
        self.rules = rules
        uses = Array(repeating: Use(), count: rules.count)
        // Not the generator of the request rules: how connections and requests interleave is not repeatable.
        generator = SeededGenerator(seed: seed ^ 0xC0_77EC_7104)
    }

    /// The rule that takes the next connection; `nil` for one that is served as usual.
    package mutating func next() -> SimulatorConnectionRule? {
        for index in rules.indices where take(index) { return rules[index] }
        return nil
    }

    private mutating func take(_ index: Int) -> Bool {
        let rule = rules[index]
        guard uses[index].passed >= rule.skip else {
            uses[index].passed += 1
            return false
        }
        if let times = rule.times, uses[index].taken >= times { return false }
        if rule.probability < 1, Double.random(in: 0..<1, using: &generator) >= rule.probability { return false }
        uses[index].taken += 1
        return true
    }
}
