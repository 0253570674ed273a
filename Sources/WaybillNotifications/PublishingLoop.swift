import Glibc
import WaybillAMQP
import WaybillMessages
import WaybillThreads

/// What `wb-notify` does: publishes what comes, and answers each by the broker's confirmation.
final class PublishingLoop {
    /// Unconfirmed at the most.
    private static let window = 500

    private let endpoint: AMQPEndpoint
    private let queues: QueueNames
    private let mailbox: Mailbox<Handover?>
    private let state: PublisherState
    private let watch: LoopWatch
    private let onEvent: (NotificationPublisher.Event) -> Void

    private var connection: AMQPConnection?
    private var open = ConfirmTracker<Handover>()
    /// The last publication's number on this connection.
    private var sequence: UInt64 = 0
    private var waiting: [Handover] = []
    private var backoff = Backoff(first: .milliseconds(200), last: .seconds(5))
    private var holdUntil: MonotonicTime?
    private var hasFailed = false

    init(
        _ endpoint: AMQPEndpoint,
        _ queues: QueueNames,
        _ mailbox: Mailbox<Handover?>,
        _ state: PublisherState,
        _ watch: LoopWatch,
        _ onEvent: @escaping (NotificationPublisher.Event) -> Void
    ) {
        self.endpoint = endpoint
        self.queues = queues
        self.mailbox = mailbox
        self.state = state
        self.watch = watch
        self.onEvent = onEvent
    }

    func run() {
        defer {
            connection?.close()
            watch.waits()
        }
        while takeWork() {
            watch.works()
            do throws(AMQPError) {
                if connection == nil, isDue { try connect() }
                try publishWaiting()
                try takeEvents()
            } catch {
                lose(error)
            }
            watch.waits()
            waitForWork()
        }
    }

    /// - Returns: false once the end was asked for.
    private func takeWork() -> Bool {
        var batch: [Handover?] = []
        mailbox.drain(into: &batch)
        let now = MonotonicTime.now()
        // Whoever waited for these has gone; they are claimed again later.
        waiting.removeAll { $0.deadline <= now }
        waiting += batch.compactMap { $0 }
        return !batch.contains { $0 == nil }
    }

    private var isDue: Bool { holdUntil.map { $0 <= .now() } ?? true }

    private func connect() throws(AMQPError) {
        let connection = try AMQPConnection.open(endpoint, timeout: .seconds(5))
        try connection.enableConfirms()
        self.connection = connection
        sequence = 0
        backoff.reset()
        holdUntil = nil
        hasFailed = false
        state.isReady.withLock { $0 = true }
        onEvent(.connected)
    }

    private func lose(_ error: AMQPError) {
        state.isReady.withLock { $0 = false }
        connection?.close()
        connection = nil
        // The broker may have them: of the same message twice the second is known already.
        for handover in open.reset() where waiting.first !== handover && !waiting.contains(where: { $0 === handover }) {
            waiting.append(handover)
        }
        holdUntil = .now().advanced(by: backoff.takePause())
        if !hasFailed { onEvent(.failed(reason: error.description)) }
        hasFailed = true
    }

    private func publishWaiting() throws(AMQPError) {
        guard let connection, !connection.isBlocked else { return }
        while let next = waiting.first, open.count < Self.window {
            // Before the broker's calls: what fails half way is published again as a whole.
            next.begin()
            for (place, body) in next.notification.messages.enumerated() {
                let number = try connection.publish(
                    exchange: next.notification.queue == nil ? queues.exchange : "",
                    routingKey: next.notification.queue ?? queues.dispatch(for: body),
                    mandatory: true,
                    properties: properties(of: next.notification, place, number: sequence + 1),
                    body: body
                )
                sequence = number
                open.published(next, as: number)
            }
            waiting.removeFirst()
            if next.notification.messages.isEmpty { next.answer(true) }
        }
    }

    /// The same at every attempt, but for the number: a dispatcher derives the ids of the pushes from name, time and body.
    private func properties(of notification: StoredNotification, _ place: Int, number: UInt64) -> AMQPProperties {
        var properties = DispatchMessage.properties(
            messageID: notification.messages.count > 1 ? "\(notification.id).\(place + 1)" : notification.id,
            timestamp: notification.at / 1000,
            appID: "waybill",
            user: endpoint.user
        )
        // A returned message comes back with its properties: this is how it is found again.
        properties.append(.sequence, .int64(Int64(clamping: number)))
        return properties
    }

    private func takeEvents() throws(AMQPError) {
        guard let connection else { return }
        while let event = try connection.nextEvent(timeout: .zero) {
            switch event {
            case .confirmed(let tag, let multiple): answer(open.resolve(tag, multiple: multiple))
            case .refused(let tag, let multiple): answer(open.resolve(tag, multiple: multiple, isRefusal: true))
            case .returned(_, let text, _, let properties):
                if let number = properties[.sequence]?.integer { open.returned(UInt64(clamping: number)) }
                onEvent(
                    .failed(
                        reason:
                            "the broker has no such queue: \(text); run waybill init, or make the queue of write_queue"
                    )
                )
            case .channelClosed(let error): throw error
            case .blocked, .unblocked, .delivery, .consumerCancelled: break
            }
        }
        let isReady = !connection.isBlocked
        state.isReady.withLock { $0 = isReady }
    }

    private func answer(_ settled: ConfirmTracker<Handover>.Settled) {
        for handover in settled.confirmed { handover.confirmOne() }
        for handover in settled.failed { handover.answer(false) }
    }

    /// Heartbeats run inside the broker's calls: no wait is long.
    private func waitForWork() {
        var patience = Duration.milliseconds(250)
        if let holdUntil, connection == nil {
            patience = min(patience, max(.milliseconds(1), holdUntil.duration(since: .now())))
        }
        var polled = [mailbox.descriptor, connection?.socket].compactMap { $0 }
            .map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        poll(&polled, nfds_t(polled.count), Int32(patience / .milliseconds(1)) + 1)
    }
}
