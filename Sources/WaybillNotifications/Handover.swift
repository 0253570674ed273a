import WaybillThreads

/// One notification on its way to the broker, and who waits for it: answered once, whoever comes first.
final class Handover: Sendable {
    let notification: StoredNotification
    let deadline: MonotonicTime
    private let waiting: Guarded<CheckedContinuation<Bool, Never>?>
    /// Messages that the broker has not confirmed since ``begin()``.
    private let open = Guarded(0)

    init(
        _ notification: StoredNotification,
        deadline: MonotonicTime,
        _ continuation: CheckedContinuation<Bool, Never>
    ) {
        self.notification = notification
        self.deadline = deadline
        waiting = Guarded(continuation)
    }

    /// Its messages are published, all of them.
    func begin() { open.withLock { $0 = notification.messages.count } }

    /// The broker has one of its messages.
    func confirmOne() {
        let isDone = open.withLock { open in
            open -= 1
            return open == 0
        }
        if isDone { answer(true) }
    }

    /// - Parameter isConfirmed: whether the broker has it.
    func answer(_ isConfirmed: Bool) {
        let continuation = waiting.withLock { waiting in
            defer { waiting = nil }
            return waiting
        }
        continuation?.resume(returning: isConfirmed)
    }
}
