import WaybillThreads

/// Outcomes whose records the store refuses although it works: tried again a few times, beside everything else, because an
/// operator may be at work on a validator or an index.
///
/// A pure machine; its log thread writes what is due.
struct RefusedRecords {
    /// How often a record is written before its notification goes to the rejected queue.
    static let tries = 5
    private static let firstPause = Duration.milliseconds(500)

    private var waiting: [(outcome: ItemOutcome, due: MonotonicTime)] = []

    /// When the next one is due.
    var nextDue: MonotonicTime? { waiting.lazy.map(\.due).min() }

    /// A record was refused.
    ///
    /// - Returns: false when it has been tried often enough; then it is not kept.
    mutating func refused(_ outcome: ItemOutcome, now: MonotonicTime) -> Bool {
        var outcome = outcome
        outcome.refusals += 1
        guard outcome.refusals < Self.tries else { return false }
        waiting.append((outcome, now.advanced(by: Self.firstPause * (1 << (outcome.refusals - 1)))))
        return true
    }

    /// Takes what is due.
    mutating func takeDue(now: MonotonicTime) -> [ItemOutcome] {
        guard waiting.contains(where: { $0.due <= now }) else { return [] }
        let due = waiting.filter { $0.due <= now }.map(\.outcome)
        waiting.removeAll { $0.due <= now }
        return due
    }
}
