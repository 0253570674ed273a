import Synchronization

/// One request that a task waits for.
///
/// The continuation is there before the request is handed over, so that an outcome always finds it. Cancelling takes the
/// request back only once it has been handed over: earlier, the driver would have nothing to take back yet.
final class SingleSend: OutcomeReceiver {
    private struct State {
        var continuation: CheckedContinuation<APNSOutcome, Never>?
        var isSubmitted = false
        var isCancelled = false
    }

    private let driver: APNSDriver
    private let state = Mutex(State())

    init(driver: APNSDriver) {
        self.driver = driver
    }

    /// Sends the request and waits for its outcome; if the task is cancelled, takes back what has not left and waits on.
    func outcome(of request: APNSRequest) async -> APNSOutcome {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                state.withLock { $0.continuation = continuation }
                driver.submit([APNSRequestBatch(owner: self, requests: [request])], lane: 0)
                let isCancelled = state.withLock { state in
                    state.isSubmitted = true
                    return state.isCancelled
                }
                if isCancelled { driver.withdraw(owner: self, lane: 0) }
            }
        } onCancel: {
            let isSubmitted = state.withLock { state in
                state.isCancelled = true
                return state.isSubmitted
            }
            if isSubmitted { driver.withdraw(owner: self, lane: 0) }
        }
    }

    func receive(_ outcomes: ArraySlice<APNSOutcome>) {
        guard let outcome = outcomes.first else { return }
        let continuation = state.withLock { $0.continuation.take() }
        continuation?.resume(returning: outcome)
    }
}
