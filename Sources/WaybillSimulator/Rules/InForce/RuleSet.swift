package import WaybillThreads

/// The rules in force, with the memory of how often each has acted.
package struct RuleSet: Sendable {
    private struct Use: Hashable {
        let rule: Int
        let token: [UInt8]
    }

    private let rules: [SimulatorRule]
    private let byPrefix: [[UInt8]: [Int]]
    /// The lengths of the prefixes, longest first.
    private let lengths: [Int]
    private var uses: [Use: Int] = [:]
    private var passages: [Use: RequestRate] = [:]
    private var generator: SeededGenerator

    /// Whether some rule acts on headers alone.
    package let hasEarlyRules: Bool

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
        hasEarlyRules = rules.contains { $0.isEarly }
    }

    /// The rule that acts on a request, counted as used.
    ///
    /// - Parameters:
    ///   - token: the device token in hexadecimal, of either case; the path of a request about channels; or the key of a
    ///     target of FCM's.
    ///   - time: when the request came; what rates are measured with.
    /// - Returns: `nil` for the normal answer. Chance is settled already: the delay holds its share of the jitter.
    package mutating func rule(
        for token: some Collection<UInt8>,
        at time: MonotonicTime = MonotonicTime(nanoseconds: 0)
    ) -> SimulatorRule? {
        if rules.isEmpty { return nil }
        let isRegistration = token.first == UInt8(ascii: "=")
        let token = isRegistration ? Array(token) : token.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
        let isPath = isRegistration || token.first == UInt8(ascii: "/")
        for length in lengths where length <= token.count {
            // The empty prefix means every device token, and no path or target of FCM's.
            if isPath, length == 0 { break }
            guard let candidates = byPrefix[Array(token.prefix(length))] else { continue }
            guard let index = candidates.first(where: { take($0, token: token, at: time) }) else { return nil }
            return settled(rules[index])
        }
        return nil
    }

    private mutating func take(_ index: Int, token: [UInt8], at time: MonotonicTime) -> Bool {
        let rule = rules[index]
        let use = Use(rule: index, token: token)
        if let limit = rule.perMinute, passages[use, default: RequestRate(limit: limit)].lets(pass: time) {
            return false
        }
        if rule.probability < 1, Double.random(in: 0..<1, using: &generator) >= rule.probability { return false }
        guard let times = rule.times else { return true }
        let count = uses[use, default: 0]
        guard count < times else { return false }
        uses[use] = count + 1
        return true
    }

    private mutating func settled(_ rule: SimulatorRule) -> SimulatorRule {
        guard rule.jitter > .zero else { return rule }
        var rule = rule
        rule.delay += rule.jitter * Double.random(in: 0...1, using: &generator)
        return rule
    }
}
