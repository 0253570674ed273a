import WaybillAMQP
import WaybillMessages
import WaybillTelemetry
import WaybillThreads

/// The connection that messages come over: made, subscribed on, given up, and made again after a pause.
///
/// What it throws is the end of the connection; ``lose()`` then tells when the next one is due.
///
/// *Thread:* the consumer's.
struct ConsumingConnection {
    /// How long a connection lasts that shows the broker and the network to be sound.
    private static let soundAfter = Duration.seconds(30)

    private let context: PipelineContext
    private let queues: [String]
    private var connection: AMQPConnection?
    private var subscription: Subscription
    /// A call to the broker may have read deliveries along with its answer; the socket does not show them.
    private var mayHoldFrames = false
    private var backoff = Backoff(first: .milliseconds(500), last: Wait.longestPause)
    private var retryAt = MonotonicTime.now()
    private var connectedAt = MonotonicTime.distantFuture
    private var hasConsumed = false

    init(context: PipelineContext) {
        self.context = context
        queues = context.queues.consumed
        subscription = Subscription(context.queues)
    }

    /// Whether consumers are running.
    var isConsuming: Bool { subscription.isRunning }

    /// To wait for; `nil` while there is none.
    var socket: Int32? { connection?.socket }

    // MARK: - Beginning

    /// Connects, unless there is a connection or the pause after the last one is not over.
    mutating func connectIfDue() throws(AMQPError) {
        guard connection == nil, retryAt <= .now() else { return }
        connection = try setUp()
        connectedAt = .now()
    }

    /// The one way to a consuming connection, for the first connect and for every later one.
    private func setUp() throws(AMQPError) -> AMQPConnection {
        let connection = try AMQPConnection.open(context.consumingEndpoint, timeout: .seconds(10))
        if !hasConsumed { try verifyTopology(on: connection) }
        var waiting = 0
        for queue in queues { waiting += try connection.inspectQueue(queue).messages }
        context.outage.stands(.consuming)
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

    // MARK: - Consuming

    /// Starts to consume, unless it does already or there is no connection.
    ///
    /// - Parameter prefetch: which queues to read, and how many messages of each to have handed out.
    /// - Throws: what the broker says.
    mutating func consume(_ prefetch: inout PrefetchPlan) throws(AMQPError) {
        guard let connection, !subscription.isRunning else { return }
        try subscribe(on: connection, &prefetch)
        hasConsumed = true
        context.hasConsumed.set()
    }

    /// Starts to consume once more: a prefetch count holds for the consumers that are started after it.
    mutating func consumeAnew(_ prefetch: inout PrefetchPlan) throws(AMQPError) {
        guard let connection else { return }
        try subscription.cancel(on: connection)
        try subscribe(on: connection, &prefetch)
    }

    /// Ends the consumers; what they were handed still wants its acknowledgement.
    mutating func stopConsuming() throws(AMQPError) {
        guard let connection else { return }
        try subscription.cancel(on: connection)
    }

    private mutating func subscribe(on connection: AMQPConnection, _ prefetch: inout PrefetchPlan) throws(AMQPError) {
        mayHoldFrames = true
        while try isReadingEmptyQueue(prefetch) { prefetch.foundEmpty() }
        try subscription.start(prefetch.reading, prefetch: prefetch.share(of:), on: connection)
    }

    /// Whether the others need not wait for the queue that is read alone; with one queue nobody waits.
    func isReadingEmptyQueue(_ prefetch: PrefetchPlan) throws(AMQPError) -> Bool {
        guard let connection, prefetch.isOnProbation, queues.count > 1 else { return false }
        return try connection.inspectQueue(queues[prefetch.reading.lowerBound]).messages == 0
    }

    /// How many consumers the broker counts of each queue, as far as is known here.
    var consumers: [(queue: String, count: Int)] { subscription.counts }

    /// Forgets the ended consumers that the broker has forgotten, where there are any.
    ///
    /// - Parameter tags: what is not acknowledged.
    mutating func leaveEnded(_ tags: DeliveryTagTracker) {
        if subscription.hasEnded { subscription.keepEnded(tags.holdingConsumers) }
    }

    /// Where a delivery came from, also after its consumer has ended.
    func source(of delivery: AMQPDelivery) -> MessageSource { subscription.source(of: delivery) }

    /// The queue that a consumer reads.
    func queue(ofConsumer tag: String) -> String { subscription.queue(of: tag) }

    // MARK: - Working

    /// How long the thread may wait for it.
    ///
    /// - Parameters:
    ///   - longest: when nothing is due.
    ///   - isConnecting: whether a connection that is due is to be made.
    /// - Returns: zero when something may have come already.
    mutating func takePatience(_ longest: Duration, isConnecting: Bool) -> Duration {
        defer { mayHoldFrames = false }
        if mayHoldFrames { return .zero }
        guard connection == nil, isConnecting else { return longest }
        return min(longest, max(.milliseconds(1), retryAt.duration(since: .now())))
    }

    /// What has come; never waits.
    ///
    /// - Returns: `nil` when there is no more.
    /// - Throws: the end of the connection or of its channel.
    func nextEvent() throws(AMQPError) -> AMQPEvent? {
        try connection?.nextEvent(timeout: .zero)
    }

    /// Acknowledges what is due.
    ///
    /// - Returns: whether anything was.
    /// - Throws: what the broker says.
    func acknowledge(_ tags: inout DeliveryTagTracker) throws(AMQPError) -> Bool {
        guard let connection else { return false }
        return try tags.acknowledge(on: connection)
    }

    // MARK: - Ending

    /// Whether the error ends the dispatcher: at the start, what nobody but a person can fix; later on it is waited out.
    func isFinal(_ error: AMQPError) -> Bool {
        !hasConsumed && (error.code == .accessRefused || error.code == .notFound)
    }

    /// The next delivery that lies on this side of the connection, which is about to be closed.
    func nextUnread() -> AMQPDelivery? {
        do throws(AMQPError) {
            guard case .delivery(let delivery)? = try nextEvent() else { return nil }
            return delivery
        } catch {
            // The connection is lost: there was nothing more to read.
            return nil
        }
    }

    /// Gives the connection up; whatever was not acknowledged comes back by itself.
    ///
    /// - Returns: the pause until the next one is due.
    mutating func lose() -> Duration {
        close()
        subscription.forget()
        // A connection that is soon lost again is as good as none: each one costs what it has handed out a delivery.
        if connectedAt.advanced(by: Self.soundAfter) <= .now() { backoff.reset() }
        connectedAt = .distantFuture
        let pause = backoff.takePause()
        retryAt = .now().advanced(by: pause)
        return pause
    }

    /// Closes it for good.
    mutating func close() {
        connection?.close()
        connection = nil
    }
}
