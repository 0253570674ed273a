import WaybillCore
import WaybillOperations
import WaybillSettings
import WaybillThreads

/// A look at the rejected queue for who asks after a batch: one at a time, and not again for a while.
final class RejectedLook: Sendable {
    private struct State {
        var outcome: RejectedGlance.Outcome?
        var next = MonotonicTime.now()
    }

    /// Each look hides its messages from others for a moment.
    private static let pause = Duration.seconds(5)
    /// A broker that does not let it be done is not asked by every question.
    private static let pauseAfterFailure = Duration.seconds(30)
    private static let mostMessages = 200

    private let broker: BrokerSettings
    private let retry: RetryPolicy
    /// Of all who look at the queue.
    private let turn: Turn
    private let state = Guarded(State())

    init(_ broker: BrokerSettings, retry: RetryPolicy, turn: Turn) {
        self.broker = broker
        self.retry = retry
        self.turn = turn
    }

    /// What lies there, or lay there a moment ago, or why that is not known.
    ///
    /// *Blocking:* up to a few seconds.
    func glance() -> RejectedGlance.Outcome? {
        let known = state.withLock { $0.next > .now() ? $0.outcome : nil }
        if let known { return known }
        // Somebody is at the queue: what was there before is good enough.
        guard turn.take() else { return state.withLock { $0.outcome } ?? .failure(Self.taken) }
        defer { turn.end() }
        let outcome = RejectedGlance.look(broker, retry: retry, limit: Self.mostMessages)
        let pause = if case .success = outcome { Self.pause } else { Self.pauseAfterFailure }
        state.withLock { $0 = State(outcome: outcome, next: MonotonicTime.now().advanced(by: pause)) }
        return outcome
    }

    private static let taken = RejectedGlance.Failure("somebody else looks into it at this moment")
}
