import WaybillAMQP
import WaybillMessages
import WaybillTelemetry
import WaybillThreads

/// The consuming connection: made, kept reading, given up.
extension Consumer {
    func connectIfDue() throws(AMQPError) {
        guard connection == nil, retryAt <= .now() else { return }
        do throws(AMQPError) {
            connection = try setUp()
            connectedAt = .now()
        } catch {
            try lose(orThrow: error)
        }
    }

    /// At the start, what nobody but a person can fix ends the dispatcher; later on it is waited out.
    private func lose(orThrow error: AMQPError) throws(AMQPError) {
        if !hasConsumed, error.code == .accessRefused || error.code == .notFound { throw error }
        lose(error)
    }

    /// The one way to a consuming connection, for the first connect and for every later one.
    private func setUp() throws(AMQPError) -> AMQPConnection {
        let connection = try AMQPConnection.open(context.consumingEndpoint, timeout: .seconds(10))
        if !hasConsumed { try verifyTopology(on: connection) }
        var waiting = 0
        for queue in queues { waiting += try connection.inspectQueue(queue).messages }
        context.logger.emit(
            DispatchEvent.brokerConnected(queue: context.queues.consumedText, waiting: waiting)
        )
        return connection
    }

    /// Looks for everything that `waybill init` makes, the delay queues and the exchange too: what is missing would show only
    /// when something has to go there.
    private func verifyTopology(on connection: AMQPConnection) throws(AMQPError) {
        do throws(TopologyError) {
            try Topology(names: context.queues, delaySteps: context.delaySteps).verify(on: connection)
        } catch {
            connection.close()
            if let cause = error.cause { throw cause }
            throw AMQPError(.notFound, operation: "start", text: error.text, closesConnection: true)
        }
    }

    /// Starts to consume when there is a connection, the store is up, and something can be started.
    ///
    /// Otherwise each lost connection would count against the delivery limit of what was handed out and not started: an
    /// outage of MongoDB or APNs, and a network that flaps, would end good messages in the rejected queue.
    func consumeIfReady() throws(AMQPError) {
        guard let connection, !subscription.isRunning, context.storeHealth.isUp, admission.hasRoom else { return }
        do throws(AMQPError) {
            try subscribe(on: connection)
            hasConsumed = true
            context.hasConsumed.set()
        } catch {
            try lose(orThrow: error)
        }
    }

    private func subscribe(on connection: AMQPConnection) throws(AMQPError) {
        mayHoldFrames = true
        while try isReadingEmptyQueue(on: connection) { admission.prefetch.foundEmpty() }
        try subscription.start(admission.prefetch.reading, prefetch: admission.prefetch.share(of:), on: connection)
    }

    /// A prefetch count holds for the consumers that are started after it.
    func subscribeAnew() {
        guard let connection else { return }
        do throws(AMQPError) {
            try subscription.cancel(on: connection)
            try subscribe(on: connection)
        } catch {
            lose(error)
        }
    }

    /// Whether the others need not wait for the queue that is read alone; with one queue nobody waits.
    private func isReadingEmptyQueue(on connection: AMQPConnection) throws(AMQPError) -> Bool {
        guard admission.prefetch.isOnProbation, queues.count > 1 else { return false }
        return try connection.inspectQueue(queues[admission.prefetch.reading.lowerBound]).messages == 0
    }

    /// Goes on to the next queue when what had to pass alone has passed, or went to another dispatcher.
    func leaveEmptyQueue() {
        guard let connection, subscription.isRunning, admission.prefetch.isOnProbation, !isStopping, isIdle else {
            return
        }
        do throws(AMQPError) {
            guard try isReadingEmptyQueue(on: connection) else {
                takeDeliveries()
                return
            }
        } catch {
            lose(error)
            return
        }
        // The last of them may have come along with the broker's answer.
        takeDeliveries()
        if isIdle { subscribeAnew() }
    }

    /// On probation, takes the next message although the last one is not settled, when that takes long.
    ///
    /// Poison shows when a message is read and started, and that is long over: what takes long waits for APNs, and the lanes
    /// of others must not wait with it.
    func widenProbation() {
        guard subscription.isRunning, admission.prefetch.isOnProbation, !isStopping, admission.inFlight.messages > 0,
            backlogStart == backlog.count, lastDelivery.advanced(by: Self.probationPatience) <= .now()
        else { return }
        lastDelivery = .now()
        subscribeAnew()
    }

    private static let probationPatience = Duration.seconds(3)
    /// How long a connection lasts that shows the broker and the network to be sound.
    private static let soundAfter = Duration.seconds(30)

    /// The sizes have changed so much that what was handed out does not fit: takes it again, with a count for such sizes.
    ///
    /// Only the end of the connection gives messages back unread, at the price of one delivery each.
    ///
    /// - Returns: false when no smaller count is left; then what has come is kept.
    func giveBacklogBack() -> Bool {
        let count = backlog.count - backlogStart
        guard admission.mustGiveBack(messages: count, bytes: backlogBytes) else { return false }
        context.logger.emit(DispatchEvent.backlogGivenBack(messages: count, bytes: backlogBytes))
        lose(nil)
        return true
    }

    func forgetBacklog() {
        backlog.removeAll()
        backlogStart = 0
        backlogBytes = 0
    }

    func lose(_ error: AMQPError?) {
        rememberUnstarted()
        connection?.close()
        connection = nil
        subscription.forget()
        // Whatever was not acknowledged comes back by itself.
        tags.beginEpoch()
        forgetBacklog()
        admission.forgetCopies()
        // A connection that is soon lost again is as good as none: each one costs what it has handed out a delivery.
        if connectedAt.advanced(by: Self.soundAfter) <= .now() { backoff.reset() }
        connectedAt = .distantFuture
        let pause = backoff.takePause()
        retryAt = .now().advanced(by: pause)
        if let error { context.logger.emit(DispatchEvent.brokerFailed(error.description, retryIn: pause)) }
    }

    /// What was handed out and not started, also what lies unread on this side of the connection, is no repeat when it
    /// comes again.
    private func rememberUnstarted() {
        for delivery in backlog[backlogStart...] { unstarted.remember(delivery) }
        do throws(AMQPError) {
            while case .delivery(let delivery)? = try connection?.nextEvent(timeout: .zero) {
                unstarted.remember(delivery)
            }
        } catch {
            // The connection is lost: there was nothing more to read.
        }
    }

    private var isIdle: Bool { admission.inFlight.messages == 0 && backlogStart == backlog.count }
}
