import WaybillPushTransport
import WaybillThreads

/// One request that a task waits for.
///
/// The continuation is there before the request is handed over, so that an outcome always finds it. Cancelling takes the
/// request back once it has been handed over: earlier the driver would have nothing to take back, and it is not handed
/// over at all.
final class SingleSend: OutcomeReceiver {
    private struct State {
        var continuation: CheckedContinuation<APNSOutcome, Never>?
        var isSubmitted = false
        var isCancelled = false
    }

    private let driver: APNSDriver
    private let state = Guarded(State())

    init(driver: APNSDriver) {
        self.driver = driver
    }

    /// Sends the request and waits for its outcome; if the task is cancelled, takes back what has not left and waits on.
    func outcome(of request: APNSRequest) async -> APNSOutcome {
        await withTaskCancellationHandler {
            await withCheckedContinuation { submit(request, $0) }
        } onCancel: {
            let isSubmitted = state.withLock { state in
                state.isCancelled = true
                return state.isSubmitted
            }
            if isSubmitted { driver.withdraw(owner: self, lane: 0) }
        }
    }

    private func submit(_ request: APNSRequest, _ continuation: CheckedContinuation<APNSOutcome, Never>) {
        let isCancelled = state.withLock { state in
            state.continuation = continuation
            return state.isCancelled
        }
        guard !isCancelled else {
            return receive([
                APNSOutcome(owner: self, index: 0, result: .failed(.notSent(.cancelled)), latency: 0, attempts: 0)
            ])
        }
        driver.submit([APNSRequestBatch(owner: self, requests: [request])], lane: 0)
        let wasCancelledMeanwhile = state.withLock { state in
            state.isSubmitted = true
            return state.isCancelled
        }
        if wasCancelledMeanwhile { driver.withdraw(owner: self, lane: 0) }
    }

    func receive(_ outcomes: ArraySlice<APNSOutcome>) {
        guard let outcome = outcomes.first else { return }
        let continuation = state.withLock { $0.continuation.take() }
        continuation?.resume(returning: outcome)
    }
}
