import WaybillOperations
import WaybillSettings
import WaybillThreads

/// A look at the rejected queue for who asks after a batch: one at a time, and not again for a while.
final class RejectedLook: Sendable {
    private struct State {
        var glance: RejectedGlance?
        var next = MonotonicTime.now()
    }

    /// Each look hides its messages from others for a moment.
    private static let pause = Duration.seconds(5)
    /// A broker that does not let it be done is not asked by every question.
    private static let pauseAfterFailure = Duration.seconds(30)
    private static let mostMessages = 200

    private let broker: BrokerSettings
    /// Of all who look at the queue.
    private let turn: Turn
    private let state = Guarded(State())

    init(_ broker: BrokerSettings, turn: Turn) {
        self.broker = broker
        self.turn = turn
    }

    /// What lies there, or lay there a moment ago; `nil` where it is not known.
    ///
    /// *Blocking:* up to a few seconds.
    func glance() -> RejectedGlance? {
        let known = state.withLock { $0.next > .now() ? $0 : nil }
        if let known { return known.glance }
        // Somebody is at the queue: what was there before is good enough.
        guard turn.take() else { return state.withLock { $0.glance } }
        defer { turn.end() }
        let glance = try? RejectedGlance(broker, limit: Self.mostMessages)
        let pause = glance == nil ? Self.pauseAfterFailure : Self.pause
        state.withLock { $0 = State(glance: glance, next: MonotonicTime.now().advanced(by: pause)) }
        return glance
    }
}
