import WaybillAMQP
import WaybillMessages

/// The consumers on the consuming connection, one for each queue that is read.
///
/// A consumer's tag, which the broker repeats with each delivery, tells the queue it came from. Nothing in a message does:
/// its producer wrote that.
///
/// *Thread:* the connection's.
struct Subscription {
    private let sources: [MessageSource]
    private var generation = 0
    private var tags: [String] = []
    /// Of consumers that were ended on this connection, and may have been handed what is not acknowledged.
    private var ended: Set<String> = []
    /// How many consumers the broker counts of each queue, as far as is known here.
    private(set) var counts: [(queue: String, count: Int)] = []

    var isRunning: Bool { !tags.isEmpty }

    /// Whether a consumer that was ended may be counted by the broker still.
    var hasEnded: Bool { !ended.isEmpty }

    /// - Parameter names: of the queues; all that are consumed may be read.
    init(_ names: QueueNames) {
        sources = names.consumed.map { queue in
            MessageSource(queue: queue, isRetry: queue == names.retry, isBulk: queue == names.bulk)
        }
    }

    /// Starts a consumer for each of some queues, with a prefetch count of its own.
    ///
    /// - Parameters:
    ///   - positions: of the queues.
    ///   - prefetch: the count of the one at a position.
    ///   - connection: the connection.
    /// - Throws: what the broker says.
    /// - Precondition: none is running: see ``cancel(on:)`` and ``forget()``.
    mutating func start(
        _ positions: Range<Int>,
        prefetch: (Int) -> Int,
        on connection: AMQPConnection
    ) throws(AMQPError) {
        generation += 1
        var count: Int?
        for position in positions {
            let wanted = prefetch(position)
            if wanted != count { try connection.setPrefetch(count: UInt16(clamping: wanted)) }
            count = wanted
            let tag = "\(position)-waybill-\(generation)"
            tags.append(tag)
            try connection.startConsuming(queue: sources[position].queue, consumerTag: tag)
        }
        countConsumers()
    }

    /// Ends the consumers; what they were handed still wants its acknowledgement, and still comes.
    mutating func cancel(on connection: AMQPConnection) throws(AMQPError) {
        for tag in tags { try connection.cancelConsumer(tag) }
        ended.formUnion(tags)
        tags.removeAll()
        countConsumers()
    }

    /// The connection is gone, and every consumer with it.
    mutating func forget() {
        tags.removeAll()
        ended.removeAll()
        countConsumers()
    }

    /// Learns which of the ended consumers the broker has forgotten: those whose messages are all acknowledged.
    ///
    /// - Parameter holding: the tags of those that were handed something which is not acknowledged.
    mutating func keepEnded(_ holding: Set<String>) {
        ended.formIntersection(holding)
        countConsumers()
    }

    private mutating func countConsumers() {
        let all = tags + ended
        counts = sources.indices.map { position in
            (sources[position].queue, all.count { self.position(ofConsumer: $0) == position })
        }
    }

    /// Where a delivery came from, also after its consumer has ended.
    func source(of delivery: AMQPDelivery) -> MessageSource { source(ofConsumer: delivery.consumerTag) }

    /// The queue that a consumer reads.
    func queue(of tag: String) -> String { source(ofConsumer: tag).queue }

    /// The broker repeats only tags that it was given here; to any other, messages come as those of producers.
    private func source(ofConsumer tag: String) -> MessageSource {
        position(ofConsumer: tag).map { sources[$0] } ?? MessageSource(queue: sources[0].queue, isRetry: false)
    }

    private func position(ofConsumer tag: String) -> Int? {
        guard let position = Int(tag.prefix { $0 != "-" }), sources.indices.contains(position) else { return nil }
        return position
    }
}
