import WaybillAPNS
import WaybillThreads

/// Counts outcomes and keeps none.
final class OutcomeCounter: Sendable {
    private struct Counts {
        var total = 0
        var accepted = 0
    }

    private let counts = Guarded(Counts())

    var total: Int { counts.withLock { $0.total } }
    var accepted: Int { counts.withLock { $0.accepted } }

    func count(_ outcomes: [APNSOutcome]) {
        let accepted = outcomes.count { $0.result == .accepted }
        counts.withLock {
            $0.total += outcomes.count
            $0.accepted += accepted
        }
    }

    /// Waits until so many have come; `false` after a minute without them.
    func wait(for goal: Int) -> Bool {
        let deadline = MonotonicTime.now().advanced(by: .seconds(60))
        while total < goal {
            if MonotonicTime.now() > deadline { return false }
            NamedThread.sleep(for: .milliseconds(2)) { false }
        }
        return true
    }
}
