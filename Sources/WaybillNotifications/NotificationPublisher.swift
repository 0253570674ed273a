package import WaybillAMQP
package import WaybillMessages
package import WaybillThreads

/// Hands notifications over to the broker, each with its confirmation, on a thread of its own (`wb-notify`).
///
/// What was not confirmed when its time is over is left to whoever claims it next: it is the same message then.
package final class NotificationPublisher: Sendable {
    /// What people should know.
    package enum Event: Hashable, Sendable {
        case connected
        /// - Parameter reason: of the first failure after a connection, or at the start.
        case failed(reason: String)
    }

    /// More wait for the broker at no time.
    package static let mostWaiting = 2000

    package let watch = LoopWatch(name: "wb-notify")
    private let mailbox: Mailbox<Handover?>
    private let state = PublisherState()
    private let clock = GiveUpClock()

    /// Starts the thread, which connects at once and again whenever it must.
    ///
    /// - Parameters:
    ///   - endpoint: the broker.
    ///   - queues: where dispatch messages go.
    ///   - onEvent: hears on the thread what people should know.
    /// - Throws: `ThreadError`.
    package convenience init(
        endpoint: AMQPEndpoint,
        queues: QueueNames,
        onEvent: @escaping @Sendable (Event) -> Void
    ) throws {
        // Nothing throws in the initializer that makes the lock: optimizing that crashes the compiler of Swift 6.3.1.
        self.init(mailbox: try Mailbox<Handover?>())
        let (mailbox, state, watch) = (mailbox, state, watch)
        _ = try NamedThread.start(name: watch.name) {
            PublishingLoop(endpoint, queues, mailbox, state, watch, onEvent).run()
        }
    }

    private init(mailbox: Mailbox<Handover?>) {
        self.mailbox = mailbox
    }

    /// Whether the broker takes messages, as far as is known.
    package var isReady: Bool { state.isReady.withLock { $0 } }
    /// Those that wait for the broker.
    package var waiting: Int { state.waiting.withLock { $0 } }

    /// Hands a notification over.
    ///
    /// - Parameters:
    ///   - notification: as it is stored.
    ///   - deadline: when the caller gives up.
    /// - Returns: whether the broker has confirmed it; if not, it may have it all the same.
    package func publish(_ notification: StoredNotification, until deadline: MonotonicTime) async -> Bool {
        let isTaken = state.waiting.withLock { waiting in
            guard waiting < Self.mostWaiting else { return false }
            waiting += 1
            return true
        }
        guard isTaken else { return false }
        defer { state.waiting.withLock { $0 -= 1 } }
        return await withCheckedContinuation { continuation in
            let handover = Handover(notification, deadline: deadline, continuation)
            watch.isAsked()
            mailbox.send(handover)
            // It was not confirmed when its time is over.
            clock.at(deadline) { handover.answer(false) }
        }
    }

    /// Ends the thread; what waits is answered at its time.
    package func stop() { mailbox.send(nil) }
}

/// What the thread and its callers both see.
final class PublisherState: Sendable {
    let isReady = Guarded(false)
    let waiting = Guarded(0)
}
