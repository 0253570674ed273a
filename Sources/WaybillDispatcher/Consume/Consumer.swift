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
    var connection: ConsumingConnection
    var backlogs = Backlogs()
    /// Some of it could have been started in the last turn.
    private var hasBulkToStart = false
    var admission: Admission
    private var starter: MessageStarter
    private var tags = DeliveryTagTracker()
    private var signals: [ConsumerSignal] = []
    private var progress: ProgressReport
    /// How often it is looked which ended consumers still hold something.
    private static let endedPause = Duration.milliseconds(500)
    private var endedLookedAt = MonotonicTime.now()
    let stopSending: () -> Void
    var lastDelivery = MonotonicTime.now()
    private(set) var isStopping = false

    /// - Parameters:
    ///   - context: what all stages share.
    ///   - sender: takes what is to be sent.
    ///   - stopSending: takes back what has not been sent, in the middle of the grace time: a push that is begun in its last
    ///     moments may get its answer too late for its record.
    init(context: PipelineContext, sender: Sender, stopSending: @escaping () -> Void) {
        self.context = context
        self.stopSending = stopSending
        starter = MessageStarter(context: context, sender: sender)
        connection = ConsumingConnection(context: context)
        admission = Admission(
            laneCount: context.lanes.count,
            queueCount: context.queues.consumed.count,
            maximumNotifications: context.maximumInFlight,
            policy: context.retryPolicy,
            breakers: context.breakers,
            traffic: context.traffic,
            orders: context.orders
        )
        progress = ProgressReport(now: .now())
    }

    /// Works until a stop is asked for, and then until nothing is in flight or the grace time is over.
    ///
    /// - Throws: what makes the first connection useless for good: wrong credentials, no such queue. Later on the same
    ///   errors are waited out.
    func run() throws(AMQPError) {
        while !isStopping {
            do throws(AMQPError) {
                try begin()
            } catch {
                if connection.isFinal(error) { throw error }
                lose(error)
            }
            turn(patience: .seconds(1))
            if progress.isDue(now: .now()) { report() }
        }
        drain()
    }

    /// Acknowledges what has been settled since ``run()`` ended and closes the connection.
    func finish() {
        takeSignals()
        acknowledge()
        connection.close()
        context.health.consumer.waits()
    }

    /// Connects, and starts to consume when the store is up and something can be started.
    ///
    /// Otherwise each lost connection would count against the delivery limit of what was handed out and not started: an
    /// outage of MongoDB or the provider, and a network that flaps, would end good messages in the rejected queue.
    private func begin() throws(AMQPError) {
        try connection.connectIfDue()
        guard context.storeHealth.isUp, context.orders.areKnown, admission.hasRoom else { return }
        try connection.consume(&admission.prefetch)
    }

    // MARK: - Turns of the loop

    func turn(patience: Duration) {
        let patience = connection.takePatience(hasBulkToStart ? .zero : patience, isConnecting: !isStopping)
        context.health.consumer.waits()
        Wait.untilReadable([connection.socket, context.mailboxes.consumer.descriptor], patience: patience)
        context.health.consumer.works()
        takeSignals()
        acknowledge()
        takeDeliveries()
        leaveEmptyQueue()
        widenProbation()
        startMessages()
        showLoad()
    }

    /// Lets others see what there is to do, once a turn.
    private func showLoad() {
        if isStopping {
            sayStopping()
        } else if connection.isConsuming {
            context.health.consuming.holds()
        } else if connection.socket == nil {
            // What is said of the lost connection is still true.
        } else if !context.storeHealth.isUp {
            context.health.consuming.fails("waits for the store")
        } else if !context.orders.areKnown {
            context.health.consuming.fails("waits for the operators' orders")
        } else {
            context.health.consuming.fails("connected; waits until some of what it holds is finished")
        }
        if endedLookedAt.advanced(by: Self.endedPause) <= .now() {
            endedLookedAt = .now()
            connection.leaveEnded(tags)
        }
        let inFlight = admission.inFlight
        context.load.show(
            ConsumerLoad.Snapshot(
                messages: inFlight.messages,
                notifications: inFlight.notifications,
                unstarted: backlogs.count,
                oldest: tags.oldest,
                waits: starter.waits,
                consumers: connection.consumers
            )
        )
    }

    private func takeSignals() {
        signals.removeAll(keepingCapacity: true)
        context.mailboxes.consumer.drain(into: &signals)
        for signal in signals {
            switch signal {
            case .settled(let finalizer):
                _ = tags.settle(finalizer.deliveryTag, epoch: finalizer.epoch)
                admission.settled(finalizer)
            case .partSettled(let finalizer, let positions): admission.settled(positions, of: finalizer)
            case .reconsider: break
            case .stop: isStopping = true
            }
        }
    }

    private func acknowledge() {
        do throws(AMQPError) {
            guard try connection.acknowledge(&tags) else { return }
            context.counters.update { $0.messagesAcknowledged = tags.acknowledgedCount }
        } catch {
            lose(error)
        }
    }

    func takeDeliveries() {
        do throws(AMQPError) {
            while let event = try connection.nextEvent() {
                switch event {
                case .delivery(let delivery):
                    lastDelivery = .now()
                    tags.take(delivery.deliveryTag, of: delivery.consumerTag, now: lastDelivery)
                    keep(delivery)
                    if !isStopping, giveBacklogBack() { return }
                case .consumerCancelled(let tag):
                    let queue = connection.queue(ofConsumer: tag)
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

    private func keep(_ delivery: AMQPDelivery) { backlogs.append(delivery, isBulk: isBulk(delivery)) }

    private func isBulk(_ delivery: AMQPDelivery) -> Bool { connection.source(of: delivery).isBulk(delivery) }

    /// The sizes have changed so much that what was handed out does not fit: takes it again, with a count for such sizes.
    ///
    /// Only the end of the connection gives messages back unread, at the price of one delivery each.
    private func giveBacklogBack() -> Bool {
        guard backlogs.mustBeGivenBack(&admission) else { return false }
        context.logger.emit(DispatchEvent.backlogGivenBack(messages: backlogs.count, bytes: backlogs.byteCount))
        lose(nil)
        return true
    }

    func consumeAnew() {
        do throws(AMQPError) { try connection.consumeAnew(&admission.prefetch) } catch { lose(error) }
    }

    func lose(_ error: AMQPError?) {
        backlogs.giveBack()
        while let delivery = connection.nextUnread() { backlogs.giveBack(unread: delivery, isBulk: isBulk(delivery)) }
        let pause = connection.lose()
        tags.beginEpoch()
        admission.forgetCopies()
        context.health.consuming.fails(
            error?.description ?? "the consumers are given up, and begin anew",
            retryAt: .now().advanced(by: pause)
        )
        if let error, context.outage.tells(.consuming) {
            context.logger.emit(DispatchEvent.brokerFailed(error.description, retryIn: pause))
        }
    }

    private func startMessages() {
        hasBulkToStart = false
        guard !isStopping, context.storeHealth.isUp else { return }
        starter.startWaiting(&admission)
        while admission.hasRoom, let copy = admission.takeReleased() { starter.admit(copy, &admission) }
        while admission.hasRoom, let next = backlogs.plain.takeFirst() { start(next.delivery, next.wasUnstarted) }
        startBulk()
        starter.handOver()
    }

    /// Bodies of the bulk queue that are read in one turn: some milliseconds of work, for which others may have to wait.
    private static let bulkBytesATurn = 256 << 10

    private func startBulk() {
        var bytes = 0
        while admission.hasBulkRoom {
            guard bytes < Self.bulkBytesATurn else {
                hasBulkToStart = !backlogs.bulk.isEmpty
                return
            }
            guard let next = backlogs.bulk.takeFirst() else { return }
            bytes += next.delivery.body.count
            start(next.delivery, next.wasUnstarted)
        }
    }

    private func start(_ delivery: AMQPDelivery, _ wasUnstarted: Bool) {
        let isCountFarOff = starter.start(
            delivery,
            from: connection.source(of: delivery),
            epoch: tags.epoch,
            wasUnstarted: wasUnstarted,
            &admission
        )
        if isCountFarOff { consumeAnew() }
    }

    private func report() {
        if let event = progress.take(context.counters.snapshot, inFlight: admission.inFlight.notifications, now: .now())
        {
            context.logger.emit(event)
        }
    }
}
