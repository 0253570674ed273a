/// The rules in force, with the memory of how often each has acted.
package struct RuleBook: Sendable {
    private struct Use: Hashable {
        let rule: Int
        let token: [UInt8]
    }

    private let rules: [SimulatorRule]
    private let byPrefix: [[UInt8]: [Int]]
    /// The lengths of the prefixes, longest first.
    private let lengths: [Int]
    private var uses: [Use: Int] = [:]
    private var generator: SeededGenerator

    /// Whether there are no rules at all.
    package var isEmpty: Bool { rules.isEmpty }

    /// Puts rules in force.
    ///
    /// - Parameters:
    ///   - rules: in their order.
    ///   - seed: makes the choices of rules with a `probability` repeatable.
    package init(rules: [SimulatorRule], seed: UInt64 = 0) {
        self.rules = rules
        byPrefix = Dictionary(grouping: rules.indices) { Array(rules[$0].tokenPrefix.utf8) }
        lengths = Set(byPrefix.keys.map(\.count)).sorted(by: >)
        generator = SeededGenerator(seed: seed)
    }

    /// The rule that acts on a request, counted as used.
    ///
    /// - Parameter token: the device token in hexadecimal, of either case.
    /// - Returns: `nil` for the normal answer.
    package mutating func rule(for token: some Collection<UInt8>) -> SimulatorRule? {
        if rules.isEmpty { return nil }
        let token = token.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
        for length in lengths where length <= token.count {
            guard let candidates = byPrefix[Array(token.prefix(length))] else { continue }
            return candidates.first { take($0, token: token) }.map { rules[$0] }
        }
        return nil
    }

    private mutating func take(_ index: Int, token: [UInt8]) -> Bool {
        let rule = rules[index]
        if rule.probability < 1, Double.random(in: 0..<1, using: &generator) >= rule.probability { return false }
        guard let times = rule.times else { return true }
        let use = Use(rule: index, token: token)
        let count = uses[use, default: 0]
        guard count < times else { return false }
        uses[use] = count + 1
        return true
    }
}
