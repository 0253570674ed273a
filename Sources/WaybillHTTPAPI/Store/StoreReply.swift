import WaybillThreads

/// What somebody waits for: answered once, by whoever comes first, the thread or the deadline.
final class StoreReply<Answer: Sendable>: Sendable {
    private let continuation: Guarded<CheckedContinuation<Result<Answer, StoreFailure>, Never>?>

    /// - Parameters:
    ///   - continuation: of who waits.
    ///   - deadline: when they give up.
    ///   - clock: tells that it has come.
    init(
        _ continuation: CheckedContinuation<Result<Answer, StoreFailure>, Never>,
        until deadline: MonotonicTime,
        _ clock: GiveUpClock
    ) {
        self.continuation = Guarded(continuation)
        clock.at(deadline) { [self] in answer(.failure(.late)) }
    }

    func answer(_ result: Result<Answer, StoreFailure>) {
        let waiting = continuation.withLock { continuation in
            defer { continuation = nil }
            return continuation
        }
        waiting?.resume(returning: result)
    }
}
