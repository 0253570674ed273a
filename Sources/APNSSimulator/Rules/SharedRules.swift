import Synchronization

/// The rules in force, changeable while the server runs.
final class SharedRules: Sendable {
    private let book: Mutex<RuleBook>

    init(_ rules: [SimulatorRule], seed: UInt64) {
        book = Mutex(RuleBook(rules: rules, seed: seed))
    }

    /// Puts other rules in force at once, with no memory of earlier uses.
    func replace(with rules: [SimulatorRule], seed: UInt64) {
        book.withLock { $0 = RuleBook(rules: rules, seed: seed) }
    }

    func rule(for token: ArraySlice<UInt8>) -> SimulatorRule? {
        book.withLock { $0.rule(for: token) }
    }
}
