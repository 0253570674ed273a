import WaybillAMQP
import WaybillCore
import WaybillMessages
import WaybillThreads

/// Tells messages that may have come to a dispatcher before, although the broker does not call them redelivered: a shovel or
/// an operator has moved them to another queue, where their life begins anew, or their producer has published them again.
///
/// *Thread:* the consumer's.
final class MovedMessages {
    /// What is known of a delivery.
    struct Signs: Equatable {
        /// The log is to be asked about it.
        var mayBeKnown = false
        /// Some dispatcher has had it, and may have pushed what has no record.
        var wasDelivered = false
        /// A retry of it came first: it is that one's original, and no repeat of its producer's.
        var isBehindItsRetry = false
    }

    private let recallsAfterStart: Bool
    private var firstDelivery: MonotonicTime?
    private var delays: [String: UsualDelay] = [:]
    private var recent = RecentMessages()

    /// - Parameter recallsAfterStart: whether everything in the first minute may be known: it may have been moved while no
    ///   dispatcher consumed.
    init(recallsAfterStart: Bool) {
        self.recallsAfterStart = recallsAfterStart
    }

    private static let startTime = Duration.seconds(60)

    /// Looks at a message.
    ///
    /// A retry is looked up anyway; it is remembered, so that a copy of its message that comes after it is looked up, too.
    ///
    /// - Parameters:
    ///   - properties: the delivery's.
    ///   - identity: the message's own.
    ///   - queue: where it came from.
    ///   - isRetry: a dispatcher has put it back.
    ///   - age: from the message's own time until now, in milliseconds; `nil` if it has none.
    ///   - now: the time.
    /// - Returns: of a retry only whether a dispatcher has had it.
    func signs(
        of properties: AMQPProperties,
        _ identity: MessageIdentity,
        queue: String,
        isRetry: Bool = false,
        age: Int64?,
        now: MonotonicTime
    ) -> Signs {
        let memory = recent.remember(identity, isRetry: isRetry)
        let traces = BrokerTraces(properties.headers)
        // A queue that hands a message out again counts it; one that ended at the delivery limit was with a dispatcher.
        let wasDelivered = traces.deliveryCount > 0 || traces.reachedDeliveryLimit
        guard !isRetry else { return Signs(wasDelivered: wasDelivered) }
        if firstDelivery == nil { firstDelivery = now }
        let isStart = recallsAfterStart && firstDelivery.map { now < $0.advanced(by: Self.startTime) } ?? false
        let isOld = age.map { delays[queue, default: UsualDelay()].isConspicuous(age: $0) } ?? false
        return Signs(
            mayBeKnown: isStart || isOld || memory != .unknown || traces.wasDeadLettered || wasDelivered,
            wasDelivered: wasDelivered,
            isBehindItsRetry: memory == .seenAsRetry
        )
    }
}
