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
/// connection ends, everything in flight goes on; its messages come back from the broker, are recognised (``duplicates``) or
/// found in the log, and are acknowledged then.
final class Consumer {
    let context: PipelineContext
    private let sender: Sender
    private let intake: Intake
    var connection: AMQPConnection?
    var tags = DeliveryTagTracker()
    var budget: FlightBudget
    var prefetch: PrefetchPlan
    var subscription: Subscription
    let queues: [String]
    /// A call to the broker may have read deliveries along with its answer; the socket does not show them.
    var mayHoldFrames = false
    /// Delivered and not started, because the budget, the store or a stop is in the way; bounded by the prefetch count.
    var backlog: [AMQPDelivery] = []
    var backlogStart = 0
    var backlogBytes = 0
    var lastDelivery = MonotonicTime.now()
    private var holdings: LaneHoldings
    /// Entered, and waiting until their lanes have worked off some of what they have.
    private var waiting: WaitingMessages
    var duplicates = Deduplicator()
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
        budget = FlightBudget(maximumItems: context.maximumInFlight, maximumBytes: Self.maximumBytes)
        queues = context.queues.consumed
        subscription = Subscription(queues: queues)
        prefetch = PrefetchPlan(
            itemTarget: context.maximumInFlight * 3 / 2,
            byteTarget: Self.maximumBytes,
            queues: queues.count,
            hasSideQueue: true
        )
        holdings = LaneHoldings(laneCount: context.lanes.count, maximumBytes: Self.maximumBytes)
        waiting = WaitingMessages(laneCount: context.lanes.count)
        progress = ProgressReport(now: .now())
    }

    /// Bodies held at the most, in flight or waiting: with payloads of 4 KB three thousand notifications, which a
    /// distance of 150 ms lets pass at 20,000 a second, and a process that stays under 80 MB.
    private static let maximumBytes = 12 << 20

    /// Bodies that wait in the backlog at the most: the prefetch count was made for smaller ones when they came.
    private static let maximumBacklogBytes = 4 * maximumBytes

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
                budget.leave(finalizer)
                holdings.settled(finalizer)
                _ = tags.settle(finalizer.deliveryTag, epoch: finalizer.epoch)
                if let twin = duplicates.leave(finalizer) {
                    backlog.append(twin)
                    backlogBytes += twin.body.count
                }
            case .reconsider: break
            case .stop: isStopping = true
            }
        }
    }

    private func acknowledge() {
        let plan = tags.takePlan()
        guard !plan.isEmpty, let connection else { return }
        do throws(AMQPError) {
            if let tag = plan.upTo { try connection.acknowledge(tag, multiple: true) }
            for tag in plan.single { try connection.acknowledge(tag, multiple: false) }
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
                    if !isStopping, backlogBytes > Self.maximumBacklogBytes, giveBacklogBack() { return }
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
        waiting.release { route($0, waiting: $1, messages: &messages, publications: &publications) }
        while backlogStart < backlog.count, budget.hasRoom {
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
            enter(publication.finalizer, notifications: 0)
            if case .rejectedBody(let body) = publication.content {
                context.logger.emit(DispatchEvent.bodyRejected(body))
                if body.isRefusal { context.counters.update { $0.refused.add(body.origin.producer) } }
            }
            publications.append(publication)
            resubscribe = prefetch.delivered(
                items: 1,
                bytes: delivery.body.count,
                isRedelivered: delivery.isRedelivered
            )
        case .accepted(let message):
            if let news = unknownClients.meet(message.batch.client) { context.logger.emit(news) }
            resubscribe = prefetch.delivered(
                items: message.finalizer.itemCount,
                bytes: delivery.body.count,
                isRedelivered: delivery.isRedelivered
            )
            guard !duplicates.mustWait(delivery, message) else { break }
            if message.origin.isOfUnknownProducer { context.counters.update { $0.unknownProducers += 1 } }
            enter(message.finalizer, notifications: message.finalizer.itemCount)
            let before = waiting.items(lane: message.batch.lane)
            if !route(message, waiting: before, messages: &messages, publications: &publications) {
                waiting.append(message)
            }
        }
        if resubscribe { subscribeAnew() }
    }

    private func enter(_ finalizer: Finalizer, notifications: Int) {
        budget.enter(finalizer)
        duplicates.enter(finalizer)
        context.counters.update { counters in
            counters.messagesTaken += 1
            counters.notificationsTaken += notifications
        }
    }

    /// Sends a message on its way.
    ///
    /// - Parameters:
    ///   - message: the message.
    ///   - waiting: how many notifications of its lane wait for room.
    ///   - messages: takes what is to be sent.
    ///   - publications: takes what is to be published.
    /// - Returns: whether it has left; if not, it has to wait for room on its lane.
    private func route(
        _ message: InFlightMessage,
        waiting: Int,
        messages: inout [InFlightMessage],
        publications: inout [Publication]
    ) -> Bool {
        let lane = message.batch.lane
        let hasUnexpired = message.batch.hasUnexpired(
            at: message.origin.receivedAt / 1000,
            messageTime: message.origin.time,
            lastResort: message.lastResort(context.retryPolicy)
        )
        guard hasUnexpired else {
            // Nothing is left to send, so nothing has to wait: neither for a lane that is parked nor for a slow one.
            begin(message, messages: &messages)
            return true
        }
        let mustWait: Bool
        let load = holdings.load(lane: lane, prefetch: prefetch.handedOut)
        switch context.shares.room(lane: lane, waiting: waiting, load: load, now: .now()) {
        case .free:
            let admission = context.breakers.admit(lane: lane, now: .now())
            mustWait = admission == .wait
            if admission == .probe { message.isProbe = true }
        case .soon: return false
        case .none(let isNews):
            mustWait = true
            if isNews { context.logger.emit(DispatchEvent.laneSlow(lane: context.lanes[lane].name)) }
        }
        if mustWait {
            // The messages of a parked or slow lane wait in the broker, as they are, and hold up no other lane.
            let step = context.retryPolicy.parkedStep(
                firstSeen: message.origin.firstSeen,
                now: message.origin.receivedAt
            )
            publications += Publication.retries(
                of: message,
                positions: Array(message.batch.items.indices),
                step: step,
                pass: message.origin.pass
            )
            return true
        }
        begin(message, messages: &messages)
        return true
    }

    private func begin(_ message: InFlightMessage, messages: inout [InFlightMessage]) {
        context.shares.started(message.batch.items.count, lane: message.batch.lane)
        holdings.started(message.finalizer)
        if message.needsRecall {
            let logs = context.mailboxes.logs
            logs[Int(message.finalizer.deliveryTag % UInt64(logs.count))].send(.recall(message))
        } else {
            messages.append(message)
        }
    }

    // MARK: - Stopping

    private func drain() {
        context.logger.emit(DispatchEvent.draining(inFlight: budget.items))
        // What was delivered and not started still has its tag, and goes back when the connection closes.
        forgetBacklog()
        for message in waiting.removeAll() { budget.leave(message.finalizer) }
        if let connection {
            do throws(AMQPError) { try subscription.cancel(on: connection) } catch { lose(error) }
        }
        let begin = MonotonicTime.now()
        let end = begin.advanced(by: context.graceTime)
        let lastCall = begin.advanced(by: context.graceTime / 2)
        var isLastCallDue = true
        while budget.messages > 0, .now() < end {
            if isLastCallDue, lastCall <= .now() {
                isLastCallDue = false
                stopSending()
            }
            turn(patience: min(.milliseconds(200), max(.milliseconds(1), end.duration(since: .now()))))
        }
        if budget.messages > 0 { context.logger.emit(DispatchEvent.graceTimeOver(inFlight: budget.items)) }
    }

    private func report() {
        if let event = progress.take(context.counters.snapshot, inFlight: budget.items, now: .now()) {
            context.logger.emit(event)
        }
    }
}
