package import WaybillAMQP

/// A rejected message that an operator sends again.
package enum ReplayMessage {
    /// Where it is taken from again: events and audiences go back to their own queues, so does what `serve` took from a queue
    /// that is not Waybill's, and everything else goes to the dispatchers.
    package static func queue(for rejection: Rejection, queues: QueueNames) -> String {
        guard let queue = rejection.queue else { return queues.retry }
        if queue == queues.invalidTokens || queue == queues.audience { return queue }
        return rejection.hasOurHeaders && !queue.hasPrefix(queues.named("")) ? queue : queues.retry
    }

    /// The exchange that leads to a queue: the default one only to queues that are not Waybill's.
    package static func exchange(to queue: String, queues: QueueNames) -> String {
        queues.reachedByReplays.contains(queue) ? queues.replayExchange : ""
    }

    /// The producer's own properties, without what was said of the rejection.
    ///
    /// A delayed retry stays the retry it is, as one whose items may have been pushed: one that the broker itself moved to
    /// the rejected queue, after too many deliveries, or one that a dispatcher has made of a notification without a record.
    package static func properties(of rejected: AMQPProperties, _ rejection: Rejection) -> AMQPProperties {
        var properties = RejectedProperties.withoutOurs(rejected)
        // The rejected queue counts who has looked. What the broker itself moved there keeps the sign that dispatchers had it.
        if rejection.hasOurHeaders { properties.headers.removeAll { BrokerTraces.isOfACount($0.name) } }
        if rejection.hasOurHeaders, rejected[.attempt] != nil {
            properties.headers += RejectedProperties.retryHeaders(of: rejected)
                .filter { $0.name != MessageHeader.copy.rawValue }
            properties.append(.copy, true)
        } else {
            properties.append(.replay, true)
        }
        if let producer = rejection.producer { properties.append(.producer, .string(producer)) }
        if rejection.hasOurHeaders, let firstSeen = rejected[.firstSeen] { properties.append(.firstSeen, firstSeen) }
        return properties
    }

    /// The user that has published a message, also where an operator sends it again.
    ///
    /// The headers are believed where the message has come by an exchange that producers may not write to.
    package static func producer(of delivery: AMQPDelivery, queues: QueueNames) -> String? {
        isReplay(delivery, queues) ? delivery.properties[.producer]?.text : delivery.properties.userID
    }

    /// When a message was seen first, also where an operator sends it again.
    ///
    /// - Parameters:
    ///   - delivery: as it came.
    ///   - queues: of the installation.
    ///   - now: milliseconds since 1970.
    /// - Returns: milliseconds since 1970, no later than now.
    package static func firstSeen(of delivery: AMQPDelivery, queues: QueueNames, now: Int64) -> Int64 {
        guard isReplay(delivery, queues), let time = RetryMessage.firstSeen(in: delivery.properties) else { return now }
        return min(time, now)
    }

    /// Replays of former versions have come by the default exchange.
    private static func isReplay(_ delivery: AMQPDelivery, _ queues: QueueNames) -> Bool {
        (delivery.exchange.isEmpty || delivery.exchange == queues.replayExchange)
            && delivery.properties[.replay] == true
    }
}
