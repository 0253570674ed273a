import Logging
import WaybillAMQP
import WaybillCore
import WaybillMessages
import WaybillTelemetry
import WaybillThreads

/// The `wb-consume` thread: takes messages, starts them, and acknowledges them when everything is durable.
///
/// Input: deliveries and the other stages' signals. Output: messages for the sender, unreadable bodies for the publisher,
/// acknowledgements. Invariant: a delivery tag is acknowledged only by ``acknowledge()``, from the plan of ``tags``. When the
/// connection ends, everything in flight goes on; its messages come back from the broker, are recognised as copies
/// or found in the log, and are acknowledged then.
final class Consumer {
    let context: PipelineContext
    private let sender: Sender
    private let intake: Intake
    var connection: AMQPConnection?
    var tags = DeliveryTagTracker()
    var admission: Admission
    var subscription: Subscription
    let queues: [String]
    /// A call to the broker may have read deliveries along with its answer; the socket does not show them.
    var mayHoldFrames = false
    /// Delivered and not started, because the budget, the store or a stop is in the way; bounded by the prefetch count.
    var backlog: [AMQPDelivery] = []
    var backlogStart = 0
    var backlogBytes = 0
    var lastDelivery = MonotonicTime.now()
    var unstarted = UnstartedDeliveries()
    private var unknownClients: UnknownClients
    private var signals: [ConsumerSignal] = []
    var isStopping = false
    var backoff = Backoff(first: .milliseconds(500), last: .seconds(15))
    var retryAt = MonotonicTime.now()
    var connectedAt = MonotonicTime.distantFuture
    var hasConsumed = false
    private var progress: ProgressReport
    private let stopSending: () -> Void

    /// - Parameters:
    ///   - context: what all stages share.
    ///   - sender: takes what is to be sent.
    ///   - stopSending: takes back what has not been sent, in the middle of the grace time: a push that is begun in its last
    ///     moments may get its answer too late for its record.
    init(context: PipelineContext, sender: Sender, stopSending: @escaping () -> Void) {
        self.context = context
        self.sender = sender
        self.stopSending = stopSending
        intake = Intake(
            decoder: context.decoder,
            rules: context.producers,
            retention: context.retention,
            moved: MovedMessages(recallsAfterStart: true)
        )
        unknownClients = UnknownClients(retention: context.retention)
        queues = context.queues.consumed
        subscription = Subscription(queues: queues)
        admission = Admission(
            laneCount: context.lanes.count,
            queueCount: queues.count,
            maximumNotifications: context.maximumInFlight,
            policy: context.retryPolicy,
            breakers: context.breakers,
            traffic: context.traffic
        )
        progress = ProgressReport(now: .now())
    }

    /// Works until a stop is asked for, and then until nothing is in flight or the grace time is over.
    ///
    /// - Throws: what makes the first connection useless for good: wrong credentials, no such queue. Later on the same
    ///   errors are waited out.
    func run() throws(AMQPError) {
        while !isStopping {
            try connectIfDue()
            try consumeIfReady()
            turn(patience: .seconds(1))
            if progress.isDue(now: .now()) { report() }
        }
        drain()
    }

    /// Acknowledges what has been settled since ``run()`` ended and closes the connection.
    func finish() {
        takeSignals()
        acknowledge()
        connection?.close()
        connection = nil
    }

    // MARK: - Turns of the loop

    private func turn(patience: Duration) {
        var patience = mayHoldFrames ? .zero : patience
        mayHoldFrames = false
        if connection == nil, !isStopping {
            patience = min(patience, max(.milliseconds(1), retryAt.duration(since: .now())))
        }
        Wait.untilReadable([connection?.socket, context.mailboxes.consumer.descriptor], patience: patience)
        takeSignals()
        acknowledge()
        takeDeliveries()
        leaveEmptyQueue()
        widenProbation()
        startBacklog()
    }

    private func takeSignals() {
        signals.removeAll(keepingCapacity: true)
        context.mailboxes.consumer.drain(into: &signals)
        for signal in signals {
            switch signal {
            case .settled(let finalizer):
                _ = tags.settle(finalizer.deliveryTag, epoch: finalizer.epoch)
                if let copy = admission.settled(finalizer) {
                    backlog.append(copy)
                    backlogBytes += copy.body.count
                }
            case .reconsider: break
            case .stop: isStopping = true
            }
        }
    }

    private func acknowledge() {
        guard let connection else { return }
        do throws(AMQPError) {
            guard try tags.acknowledge(on: connection) else { return }
            context.counters.update { $0.messagesAcknowledged = tags.acknowledgedCount }
        } catch {
            lose(error)
        }
    }

    func takeDeliveries() {
        do throws(AMQPError) {
            while let event = try connection?.nextEvent(timeout: .zero) {
                switch event {
                case .delivery(let delivery):
                    tags.take(delivery.deliveryTag)
                    backlog.append(delivery)
                    backlogBytes += delivery.body.count
                    lastDelivery = .now()
                    if !isStopping, giveBacklogBack() { return }
                case .consumerCancelled(let tag):
                    let queue = subscription.queue(of: tag)
                    context.logger.emit(DispatchEvent.consumerCancelled(queue: queue))
                    lose(nil)
                case .channelClosed(let error):
                    throw error
                case .confirmed, .refused, .returned, .blocked, .unblocked:
                    // Nothing is published here, and an alarm does not stop consumers.
                    break
                }
            }
        } catch {
            lose(error)
        }
    }

    private func startBacklog() {
        guard !isStopping, context.storeHealth.isUp else { return }
        var messages: [InFlightMessage] = []
        var publications: [Publication] = []
        for (message, decision) in admission.takeWaiting(now: .now()) {
            carryOut(decision, message, messages: &messages, publications: &publications)
        }
        while backlogStart < backlog.count, admission.hasRoom {
            let delivery = backlog[backlogStart]
            backlogStart += 1
            backlogBytes -= delivery.body.count
            start(delivery, messages: &messages, publications: &publications)
        }
        if backlogStart == backlog.count {
            backlog.removeAll(keepingCapacity: true)
            backlogStart = 0
        } else if backlogStart > 256 {
            backlog.removeFirst(backlogStart)
            backlogStart = 0
        }
        sender.send(messages)
        context.mailboxes.publisher.send(publications)
    }

    private func start(_ delivery: AMQPDelivery, messages: inout [InFlightMessage], publications: inout [Publication]) {
        let resubscribe: Bool
        let wasUnstarted = unstarted.recognise(delivery)
        switch intake.take(
            delivery,
            from: subscription.source(of: delivery),
            epoch: tags.epoch,
            wasUnstarted: wasUnstarted
        ) {
        case .rejected(let publication):
            admission.admitRejected(publication.finalizer)
            context.counters.update { $0.messagesTaken += 1 }
            if case .rejectedBody(let body) = publication.content {
                context.logger.emit(DispatchEvent.bodyRejected(body))
                if body.isRefusal { context.counters.update { $0.refused.add(body.origin.producer) } }
            }
            publications.append(publication)
            resubscribe = admission.prefetch.delivered(
                items: 1,
                bytes: delivery.body.count,
                isRedelivered: delivery.isRedelivered
            )
        case .accepted(let message):
            if let news = unknownClients.meet(message.batch.client) { context.logger.emit(news) }
            resubscribe = admission.prefetch.delivered(
                items: message.finalizer.itemCount,
                bytes: delivery.body.count,
                isRedelivered: delivery.isRedelivered
            )
            let decision = admission.admit(message, delivery, now: .now())
            guard decision != .waitAsCopy else { break }
            context.counters.update { counters in
                counters.messagesTaken += 1
                counters.notificationsTaken += message.finalizer.itemCount
                if message.origin.isOfUnknownProducer { counters.unknownProducers += 1 }
            }
            carryOut(decision, message, messages: &messages, publications: &publications)
        }
        if resubscribe { subscribeAnew() }
    }

    private func carryOut(
        _ decision: Admission.Decision,
        _ message: InFlightMessage,
        messages: inout [InFlightMessage],
        publications: inout [Publication]
    ) {
        switch decision {
        case .start(let isProbe):
            if isProbe { message.isProbe = true }
            if message.needsRecall {
                let logs = context.mailboxes.logs
                logs[Int(message.finalizer.deliveryTag % UInt64(logs.count))].send(.recall(message))
            } else {
                messages.append(message)
            }
        case .putOff(let step, let isLaneNewlySlow):
            if isLaneNewlySlow {
                context.logger.emit(DispatchEvent.laneSlow(lane: context.lanes[message.batch.lane].name))
            }
            publications += Publication.retries(
                of: message,
                positions: Array(message.batch.items.indices),
                step: step,
                pass: message.origin.pass
            )
        case .wait, .waitAsCopy: break
        }
    }

    // MARK: - Stopping

    private func drain() {
        context.logger.emit(DispatchEvent.draining(inFlight: admission.inFlight.notifications))
        // What was delivered and not started still has its tag, and goes back when the connection closes.
        forgetBacklog()
        admission.dropWaiting()
        if let connection {
            do throws(AMQPError) { try subscription.cancel(on: connection) } catch { lose(error) }
        }
        let begin = MonotonicTime.now()
        let end = begin.advanced(by: context.graceTime)
        let lastCall = begin.advanced(by: context.graceTime / 2)
        var isLastCallDue = true
        while admission.inFlight.messages > 0, .now() < end {
            if isLastCallDue, lastCall <= .now() {
                isLastCallDue = false
                stopSending()
            }
            turn(patience: min(.milliseconds(200), max(.milliseconds(1), end.duration(since: .now()))))
        }
        if admission.inFlight.messages > 0 {
            context.logger.emit(DispatchEvent.graceTimeOver(inFlight: admission.inFlight.notifications))
        }
    }

    private func report() {
        if let event = progress.take(context.counters.snapshot, inFlight: admission.inFlight.notifications, now: .now())
        {
            context.logger.emit(event)
        }
    }
}
