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
    /// Whoever holds its messages has ended in a moment, as a rule.
    private static let pauseWhileHeld = Duration.seconds(1)
    /// How long to wait for somebody who is at the queue here, and how often to look.
    private static let patience = (whole: Duration.seconds(1), step: Duration.milliseconds(100))
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
        let deadline = MonotonicTime.now().advanced(by: Self.patience.whole)
        while true {
            let known = state.withLock { $0.next > .now() ? $0.outcome : nil }
            if let known { return known }
            if turn.take() { break }
            guard .now() < deadline else { return .failure(Self.taken) }
            NamedThread.sleep(for: Self.patience.step) { false }
        }
        defer { turn.end() }
        let outcome = RejectedGlance.look(broker, retry: retry, limit: Self.mostMessages)
        let pause =
            switch outcome {
            case _ where outcome.isHeldElsewhere: Self.pauseWhileHeld
            case .success: Self.pause
            case .failure: Self.pauseAfterFailure
            }
        state.withLock { $0 = State(outcome: outcome, next: MonotonicTime.now().advanced(by: pause)) }
        return outcome
    }

    private static let taken = RejectedGlance.Failure(
        "somebody else is at it at this moment",
        isHeldElsewhere: true
    )
}
