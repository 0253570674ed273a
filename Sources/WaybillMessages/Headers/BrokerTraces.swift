package import WaybillAMQP

/// What RabbitMQ itself has written on a message on its way through queues.
///
/// A queue counts how often it hands a message out again. A queue that gives one up, to its dead-letter target, notes that
/// twice: in a list with the latest queue first, and apart from it for the first and the latest one.
package struct BrokerTraces: Equatable, Sendable {
    /// How often the queue has handed the message out before.
    package private(set) var deliveryCount: Int64 = 0
    /// Whether a queue has given the message up, for whatever reason.
    package private(set) var wasDeadLettered = false
    /// Whether the first queue that gave the message up had handed it out too often.
    package private(set) var reachedDeliveryLimit = false

    /// One pass over the headers.
    package init(_ headers: [(name: String, value: AMQPValue)]) {
        for (name, value) in headers {
            switch name {
            case Self.countName: deliveryCount = max(deliveryCount, value.integer ?? 0)
            case Self.deathsName: wasDeadLettered = true
            case Self.firstReasonName:
                wasDeadLettered = true
                if value == "delivery_limit" { reachedDeliveryLimit = true }
            default: break
            }
        }
    }

    private static let countName = "x-delivery-count"
    private static let deathsName = "x-death"
    private static let firstReasonName = "x-first-death-reason"

    /// Whether a header counts how often a queue has handed the message out: a look at it counts, too.
    static func isOfACount(_ name: String) -> Bool {
        name == countName || name == "x-acquired-count"
    }

    /// Whether a header tells of a queue that gave the message up.
    static func isOfADeath(_ name: String) -> Bool {
        name == deathsName || name.hasPrefix("x-first-death-") || name.hasPrefix("x-last-death-")
    }

    /// The last queue that gave a message up.
    struct LastDeath {
        var queue: String?
        var reason: String?

        /// The broker puts its latest word first, before any that a producer has made up.
        init?(of properties: AMQPProperties) {
            guard case .array(let deaths)? = properties[header: deathsName], case .table(let last)? = deaths.first
            else {
                return nil
            }
            queue = last["queue"]?.text
            reason = last["reason"]?.text
        }
    }
}
