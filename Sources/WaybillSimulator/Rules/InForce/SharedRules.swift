import WaybillThreads

/// The rules in force, changeable while the server runs.
final class SharedRules: Sendable {
    private let requests: Guarded<RuleSet>
    private let connections: Guarded<ConnectionRuleSet>

    init(_ rules: [SimulatorRule], connections: [SimulatorConnectionRule], seed: UInt64) {
        requests = Guarded(RuleSet(rules: rules, seed: seed))
        self.connections = Guarded(ConnectionRuleSet(rules: connections, seed: seed))
    }

    /// Puts other rules in force at once, with no memory of earlier uses.
    func replace(with rules: [SimulatorRule], seed: UInt64) {
        requests.withLock { $0 = RuleSet(rules: rules, seed: seed) }
    }

    /// Puts other rules for connections in force, with no memory of earlier uses; open connections keep theirs.
    func replace(with rules: [SimulatorConnectionRule], seed: UInt64) {
        connections.withLock { $0 = ConnectionRuleSet(rules: rules, seed: seed) }
    }

    /// Whether some rule acts on headers alone.
    var hasEarlyRules: Bool { requests.withLock { $0.hasEarlyRules } }

    func rule(for token: ArraySlice<UInt8>, at time: MonotonicTime) -> SimulatorRule? {
        requests.withLock { $0.rule(for: token, at: time) }
    }

    /// The rule for a connection that has just been accepted.
    func ruleForConnection() -> SimulatorConnectionRule? {
        connections.withLock { $0.next() }
    }
}
