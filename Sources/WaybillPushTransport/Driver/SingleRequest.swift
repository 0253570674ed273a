import WaybillThreads

/// One request that a task waits for.
///
/// The continuation is there before the request is handed over, so that an outcome always finds it. Cancelling takes the
/// request back once it has been handed over: earlier the driver would have nothing to take back, and it is not handed
/// over at all.
package final class SingleRequest<Outcome: Sendable>: PushRequestOwner {
    private struct State {
        var continuation: CheckedContinuation<Outcome, Never>?
        var isSubmitted = false
        var isCancelled = false
    }

    private let withdraw: @Sendable (SingleRequest) -> Void
    private let state = Guarded(State())

    /// - Parameter withdraw: takes back what waits of this owner.
    package init(withdraw: @escaping @Sendable (SingleRequest) -> Void) {
        self.withdraw = withdraw
    }

    /// Hands the request over and waits for its outcome; if the task is cancelled, takes back what has not left and waits
    /// on.
    ///
    /// - Parameters:
    ///   - cancelled: the outcome of a request that is not handed over, because the task was cancelled before.
    ///   - submit: hands it over, with this as its owner.
    /// - Returns: what ``end(_:)`` is told.
    package func outcome(
        cancelled: @Sendable (SingleRequest) -> Outcome,
        submit: @Sendable (SingleRequest) -> Void
    ) async -> Outcome {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isCancelled = state.withLock { state in
                    state.continuation = continuation
                    return state.isCancelled
                }
                guard !isCancelled else { return end(cancelled(self)) }
                submit(self)
                let wasCancelledMeanwhile = state.withLock { state in
                    state.isSubmitted = true
                    return state.isCancelled
                }
                if wasCancelledMeanwhile { withdraw(self) }
            }
        } onCancel: {
            let isSubmitted = state.withLock { state in
                state.isCancelled = true
                return state.isSubmitted
            }
            if isSubmitted { withdraw(self) }
        }
    }

    /// Takes the outcome, on any thread.
    package func end(_ outcome: Outcome) {
        let continuation = state.withLock { $0.continuation.take() }
        continuation?.resume(returning: outcome)
    }
}
