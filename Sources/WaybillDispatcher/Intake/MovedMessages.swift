import WaybillAMQP
import WaybillCore
import WaybillMessages
import WaybillThreads

/// Tells messages that may have come to a dispatcher before, although the broker does not call them redelivered: what was
/// moved from one queue to another, by a shovel or by hand, begins its life in the new one as if nothing had happened, and
/// so does what its producer publishes again.
///
/// *Thread:* the consumer's.
final class MovedMessages {
    /// What is known of a delivery.
    struct Signs: Equatable {
        /// The log is to be asked about it.
        var mayBeKnown: Bool
        /// Some dispatcher has had it, and may have pushed what has no record.
        var wasDelivered: Bool
    }

    private let recallsAfterStart: Bool
    private var firstDelivery: MonotonicTime?
    private var delays: [String: UsualDelay] = [:]
    private var recent = RecentMessages()

    /// - Parameter recallsAfterStart: whether everything in the first minute may be known: what was moved while nobody
    ///   consumed.
    init(recallsAfterStart: Bool) {
        self.recallsAfterStart = recallsAfterStart
    }

    private static let startTime = Duration.seconds(60)

    /// Looks at a producer's message.
    ///
    /// - Parameters:
    ///   - properties: the delivery's.
    ///   - identity: the message's own.
    ///   - queue: where it came from.
    ///   - age: from the message's own time until now, in milliseconds; `nil` if it has none.
    ///   - now: the time.
    /// - Returns: what is to be made of it.
    func signs(
        of properties: AMQPProperties,
        _ identity: MessageIdentity,
        queue: String,
        age: Int64?,
        now: MonotonicTime
    ) -> Signs {
        if firstDelivery == nil { firstDelivery = now }
        let isStart = recallsAfterStart && firstDelivery.map { now < $0.advanced(by: Self.startTime) } ?? false
        let isOld = age.map { delays[queue, default: UsualDelay()].isConspicuous(age: $0) } ?? false
        let traces = BrokerTraces(properties.headers)
        // A queue that hands a message out again counts it; one that ended at the delivery limit was with a dispatcher.
        let wasDelivered = traces.deliveryCount > 0 || traces.reachedDeliveryLimit
        let isRepeated = recent.hasSeen(identity)
        return Signs(
            mayBeKnown: isStart || isOld || isRepeated || traces.wasDeadLettered || wasDelivered,
            wasDelivered: wasDelivered
        )
    }
}
