import WaybillAMQP
import WaybillCore
import WaybillMessages

/// Remembers deliveries that a lost connection has given back before anything of them was started, so that they are not
/// called repeats when they come again.
///
/// A queue counts how often it has handed a message out. What comes back with exactly one delivery more was with nobody
/// else in between. Of what another dispatcher had, or what this one had started, nothing is known here, and it is marked.
///
/// *Thread:* the consumer's.
struct UnstartedDeliveries {
    private struct Key: Hashable {
        let digest: MessageDigest
        let timestamp: UInt64?
        let attempt: AMQPValue?
        let items: AMQPValue?

        init(_ delivery: AMQPDelivery) {
            let properties = delivery.properties
            digest = MessageDigest(batchID: properties.messageID ?? "", body: delivery.body)
            timestamp = properties.timestamp
            attempt = properties[.attempt]
            items = properties[.items]
        }
    }

    /// Messages at the most, some megabytes: far more than are handed out at a time.
    static let limit = 65_536

    /// With which count each is to come back; equal messages have one each.
    private var expected: [Key: [Int64]] = [:]
    private(set) var count = 0

    /// A delivery is given back unstarted.
    ///
    /// It counts only if it has never been with anybody, as far as the queue knows, or with this process alone.
    mutating func remember(_ delivery: AMQPDelivery) {
        let before = Self.deliveryCount(of: delivery)
        guard !delivery.isRedelivered && before == 0 || recognise(delivery) else { return }
        if count == Self.limit { forgetAll() }
        expected[Key(delivery), default: []].append(before + 1)
        count += 1
    }

    /// Whether a delivery is one that was given back, and has been with nobody since; it is forgotten then.
    mutating func recognise(_ delivery: AMQPDelivery) -> Bool {
        guard delivery.isRedelivered, count > 0 else { return false }
        let key = Key(delivery)
        guard var counts = expected[key], let position = counts.firstIndex(of: Self.deliveryCount(of: delivery)) else {
            return false
        }
        counts.remove(at: position)
        expected[key] = counts.isEmpty ? nil : counts
        count -= 1
        return true
    }

    private mutating func forgetAll() {
        expected.removeAll()
        count = 0
    }

    private static func deliveryCount(of delivery: AMQPDelivery) -> Int64 {
        BrokerTraces(delivery.properties.headers).deliveryCount
    }
}
