import WaybillAMQP
import WaybillCore
import WaybillMessages
import WaybillNotifications
import WaybillProviders
import WaybillTelemetry
import WaybillThreads

/// Reads what has come, asks the admission, and carries out what it says.
///
/// What starts in one turn is handed over together: to the sender, or first to a log thread, and to the publisher.
///
/// *Thread:* the consumer's.
struct MessageStarter {
    private let context: PipelineContext
    private let sender: Sender
    private let intake: Intake
    private var unknownClients: UnknownClients
    private var messages: [InFlightMessage] = []
    private var publications: [Publication] = []
    private(set) var waits = QueueWaits()

    init(context: PipelineContext, sender: Sender) {
        self.context = context
        self.sender = sender
        intake = Intake(context: context)
        unknownClients = UnknownClients(retention: context.retention)
    }

    /// Starts a message that has come, or does with it what else is decided.
    ///
    /// - Parameters:
    ///   - delivery: the message as it came.
    ///   - source: the queue it came from.
    ///   - epoch: the connection it came over.
    ///   - wasUnstarted: whether it was here before, and only that.
    ///   - admission: decides.
    /// - Returns: whether the prefetch count is far off by now.
    mutating func start(
        _ delivery: AMQPDelivery,
        from source: MessageSource,
        epoch: Int,
        wasUnstarted: Bool,
        _ admission: inout Admission
    ) -> Bool {
        let result = intake.take(delivery, from: source, epoch: epoch, wasUnstarted: wasUnstarted)
        let isCountFarOff = admission.prefetch.delivered(
            items: result.itemCount,
            bytes: delivery.body.count,
            isRedelivered: delivery.isRedelivered,
            isBulk: source.isBulk
        )
        switch result {
        case .rejected(let publication): reject(publication, &admission)
        case .accepted(let message):
            // A retry's time is that of the message that it was split from.
            if let timestamp = message.origin.timestamp, !source.isRetry, !wasUnstarted {
                waits.take(from: source.queue, time: Int64(timestamp) * 1000, now: message.origin.receivedAt)
            }
            admit(message, &admission)
        }
        return isCountFarOff
    }

    /// Starts the messages that need not wait for their lanes any longer.
    mutating func startWaiting(_ admission: inout Admission) {
        for (message, decision) in admission.takeWaiting(now: .now()) { carryOut(decision, message) }
    }

    /// Hands over what has been started since the last time.
    mutating func handOver() {
        sender.send(messages)
        messages.removeAll(keepingCapacity: true)
        context.mailboxes.publisher.send(publications)
        publications.removeAll()
    }

    private mutating func reject(_ publication: Publication, _ admission: inout Admission) {
        admission.admitRejected(publication.finalizer)
        context.counters.update { $0.messagesTaken += 1 }
        guard case .rejectedBody(let body) = publication.content else { return publications.append(publication) }
        context.logger.emit(DispatchEvent.bodyRejected(body))
        if body.isRefusal { context.counters.update { $0.refused.add(body.origin.producer) } }
        if let batch = body.origin.batchID, RejectedNotifications.mayHave(batch) {
            send(.reject(publication), publication.finalizer)
        } else {
            publications.append(publication)
        }
    }

    private func send(_ task: LogTask, _ finalizer: Finalizer) {
        let logs = context.mailboxes.logs
        logs[Int(finalizer.deliveryTag % UInt64(logs.count))].send(task)
    }

    /// Starts a message that was read, or does with it what else is decided.
    mutating func admit(_ message: InFlightMessage, _ admission: inout Admission) {
        if let news = unknownClients.meet(message.batch.client) { context.logger.emit(news) }
        let decision = admission.admit(message, now: .now())
        guard decision != .waitAsCopy else { return }
        context.counters.update { counters in
            counters.messagesTaken += 1
            counters.notificationsTaken += message.finalizer.itemCount
            if message.origin.isOfUnknownProducer { counters.unknownProducers += 1 }
        }
        carryOut(decision, message)
    }

    private mutating func carryOut(_ decision: Admission.Decision, _ message: InFlightMessage) {
        switch decision {
        case .start(let isProbe):
            if isProbe { message.isProbe = true }
            if message.needsRecall {
                send(.recall(message), message.finalizer)
            } else {
                messages.append(message)
            }
        case .putOff(let reason, let step, let isLaneNewlySlow):
            if isLaneNewlySlow {
                context.logger.emit(DispatchEvent.laneSlow(lane: context.lanes[message.batch.lane].name))
            }
            // A copy that comes back as a retry tells no more where it came from.
            if reason == nil, message.origin.tellsOfProducersRepeat {
                context.warnOfRepeats(message.batch.items.count, of: message)
            }
            // By the identity that it shares with others like it, its retry would be taken for theirs.
            if RecallRule(message).isNameless {
                publications += Publication.another(message, isCopy: message.origin.isRedelivered)
                return
            }
            publications += Publication.retries(
                of: message,
                positions: Array(message.batch.items.indices),
                step: step,
                pass: message.origin.pass,
                wait: reason.map { LaneWait($0, from: WallClock.milliseconds()) }
            )
        case .wait, .waitAsCopy: break
        }
    }
}
