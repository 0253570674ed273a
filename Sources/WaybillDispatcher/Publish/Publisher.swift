import Logging
import WaybillAMQP
import WaybillCore
import WaybillMessages
import WaybillTelemetry
import WaybillThreads

/// The `wb-events` thread: publishes invalid-token events, delayed retries and rejected bodies, with confirms.
///
/// Input: publications from its mailbox. Output: settled parts. Invariant: a part is settled by a confirm and by nothing
/// else; a publication that is returned as unroutable, refused, or cut off with its connection is published again, with
/// growing pauses, until the broker has it.
final class Publisher {
    private let context: PipelineContext
    private var connection: AMQPConnection?
    private var open = ConfirmTracker<Publication>()
    private var waiting: [Publication] = []
    private var backoff = Backoff(first: .milliseconds(200), last: Wait.longestPause)
    private var holdUntil: MonotonicTime?
    private var isBlocked = false
    /// Whether the connection has confirmed anything: the first publication goes alone, because a broker under an alarm takes
    /// what fits its socket and publishes it when the alarm is over, also for a connection that was given up meanwhile.
    private var hasConfirms = false
    private let interrupt: AMQPInterrupt
    /// The sequence number of the next publication on this channel (1 for the first).
    private var nextSequence: UInt64 = 1
    /// What shows that the broker confirms while nothing has to be published; its sequence number.
    private var probe: UInt64?
    /// Unconfirmed publications at the most; more wait in the mailbox's array.
    private static let windowSize = 1000

    /// The interrupt ends a call to a broker that takes nothing, from another thread.
    init(context: PipelineContext, interrupt: AMQPInterrupt) {
        self.context = context
        self.interrupt = interrupt
    }

    /// Works until `isFinishing` says so and everything is confirmed, or the deadline it names has come.
    func run(isFinishing: () -> MonotonicTime?) {
        defer {
            connection?.close()
            context.health.publisher.waits()
        }
        while true {
            context.mailboxes.publisher.drain(into: &waiting)
            if let deadline = isFinishing(), (waiting.isEmpty && open.count == 0) || deadline <= .now() { return }
            do throws(AMQPError) {
                // When the end has come, a connection would outlast it.
                if connection == nil, isDue, isFinishing() == nil || !waiting.isEmpty { try connect() }
                try publishWaiting()
                try publishProbe()
                try takeEvents()
            } catch {
                lose(error)
            }
            waitForWork(isFinishing: isFinishing() != nil)
        }
    }

    private var isDue: Bool { holdUntil.map { $0 <= .now() } ?? true }

    private func connect() throws(AMQPError) {
        let connection = try AMQPConnection.open(
            context.publishingEndpoint,
            timeout: .seconds(10),
            interrupt: interrupt
        )
        hasConfirms = false
        try connection.enableConfirms()
        self.connection = connection
        nextSequence = 1
        probe = nil
        backoff.reset()
        holdUntil = nil
        isBlocked = false
        context.outage.stands(.publishing)
        context.health.confirms.fails("connected; nothing confirmed yet")
    }

    private func lose(_ error: AMQPError) {
        connection?.close()
        connection = nil
        var unconfirmed = open.reset()
        for position in unconfirmed.indices { unconfirmed[position].mayBeThere = true }
        waiting.insert(contentsOf: unconfirmed, at: 0)
        let pause = backoff.takePause()
        let retryAt = MonotonicTime.now().advanced(by: pause)
        holdUntil = retryAt
        context.health.confirms.fails(error.description, retryAt: retryAt)
        guard context.outage.tells(.publishing) else { return }
        context.logger.emit(DispatchEvent.brokerFailed(error.description, retryIn: pause))
    }

    private func publishWaiting() throws(AMQPError) {
        guard let connection, !isBlocked, isDue, !waiting.isEmpty else { return }
        let room = min(waiting.count, (hasConfirms ? Self.windowSize : 1) - open.count)
        guard room > 0 else { return }
        for position in 0..<room {
            let publication = waiting[position]
            var (queue, properties, body) = encode(publication)
            // A returned message comes back with its properties: this is how it is found again.
            properties.append(.sequence, .int64(Int64(clamping: nextSequence)))
            do throws(AMQPError) {
                let assigned = try connection.publish(
                    exchange: "",
                    routingKey: queue,
                    mandatory: true,
                    properties: properties,
                    body: body
                )
                nextSequence = assigned + 1
                open.published(publication, as: assigned)
            } catch {
                waiting.removeFirst(position)
                throw error
            }
        }
        waiting.removeFirst(room)
    }

    /// Publishes a message to nobody when nothing was confirmed for a while: the broker drops it and confirms it, unless it
    /// takes no messages at all.
    private func publishProbe() throws(AMQPError) {
        guard let connection, !isBlocked, probe == nil, open.count == 0, waiting.isEmpty,
            context.health.confirms.lastSound.map({ $0.advanced(by: DispatchHealth.probeInterval) <= .now() }) ?? true
        else { return }
        let assigned = try connection.publish(
            exchange: "",
            // No queue can have this name.
            routingKey: "",
            mandatory: false,
            properties: AMQPProperties(),
            body: []
        )
        nextSequence = assigned + 1
        probe = assigned
    }

    private func encode(_ publication: Publication) -> (queue: String, properties: AMQPProperties, body: [UInt8]) {
        switch publication.content {
        case .tokenEvent(let event):
            return (context.queues.invalidTokens, event.properties, event.encoded())
        case .retry(let message, let step, let pass, var wait):
            let delay = context.delaySteps[step]
            wait?.until = WallClock.milliseconds() + delay.milliseconds
            let (properties, body) = RetryMessage.make(
                message,
                positions: publication.positions,
                pass: pass,
                isCopy: publication.mayBeThere || message.origin.isRedelivered,
                wait: wait
            )
            return (context.queues.delay(delay), properties, body)
        case .another(let message, let identity, let isCopy):
            let (properties, body) = RetryMessage.make(
                message,
                positions: publication.positions,
                pass: message.origin.pass,
                identity: identity,
                isCopy: publication.mayBeThere || isCopy
            )
            return (context.queues.retry, properties, body)
        case .rejectedBody(let rejected):
            return (context.queues.rejected, rejected.published, rejected.body)
        }
    }

    private func takeEvents() throws(AMQPError) {
        guard let connection else { return }
        while let event = try connection.nextEvent(timeout: .zero) {
            switch event {
            case .confirmed(let tag, let multiple):
                isConfirmed(upTo: tag)
                finish(open.resolve(tag, multiple: multiple), reason: "unroutable")
            case .refused(let tag, let multiple):
                if let sent = probe, sent <= tag { probe = nil }
                finish(open.resolve(tag, multiple: multiple, isRefusal: true), reason: "refused by the broker")
            case .returned(_, _, _, let properties):
                if let sequence = properties[.sequence]?.integer {
                    open.returned(UInt64(clamping: sequence))
                }
            case .blocked(let reason):
                isBlocked = true
                context.health.confirms.fails(
                    "an alarm of the broker (\(reason)) blocks whoever publishes, producers too; see rabbitmqctl status"
                )
                context.logger.emit(DispatchEvent.brokerBlocked(reason))
            case .unblocked:
                isBlocked = false
                context.logger.emit(DispatchEvent.brokerUnblocked)
            case .channelClosed(let error):
                throw error
            case .delivery, .consumerCancelled:
                // This connection consumes nothing.
                break
            }
        }
    }

    private func isConfirmed(upTo tag: UInt64) {
        hasConfirms = true
        // What came before the alarm is confirmed during it, and nothing else is.
        if !isBlocked { context.health.confirms.holds() }
        if let sent = probe, sent <= tag { probe = nil }
    }

    private func finish(_ settled: ConfirmTracker<Publication>.Settled, reason: String) {
        guard !settled.confirmed.isEmpty || !settled.failed.isEmpty else { return }
        context.counters.update { counters in
            for publication in settled.confirmed {
                switch publication.content {
                case .tokenEvent: counters.tokenEvents += 1
                case .retry: counters.retriesPublished += 1
                case .another: counters.reidentified += publication.positions.count
                case .rejectedBody: counters.bodiesRejected += 1
                }
            }
        }
        for publication in settled.confirmed {
            let positions = publication.positions
            context.mailboxes.consumer.settle(publication.finalizer, parts: positions.count, positions: positions)
        }
        if let first = settled.failed.first {
            waiting.append(contentsOf: settled.failed)
            // A window full of refusals comes one by one: it is one failure, with one pause and one line.
            guard isDue else { return }
            holdUntil = .now().advanced(by: backoff.takePause())
            context.logger.emit(
                DispatchEvent.publicationFailed(queue: encode(first).queue, reason: reason)
            )
        } else if isDue {
            backoff.reset()
            holdUntil = nil
        }
    }

    /// Heartbeats run inside the broker's calls, and the end is asked for by a flag: so no wait is long.
    private func waitForWork(isFinishing: Bool) {
        var patience: Duration = isFinishing ? .milliseconds(20) : .milliseconds(250)
        if let holdUntil, !waiting.isEmpty || connection == nil {
            patience = min(patience, max(.milliseconds(1), holdUntil.duration(since: .now())))
        }
        context.health.publisher.waits()
        Wait.untilReadable([connection?.socket, context.mailboxes.publisher.descriptor], patience: patience)
        context.health.publisher.works()
    }
}
