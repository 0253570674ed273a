import AMQP
import DeliveryLog
import Topology

/// A message of the rejected queue, ready to be shown.
struct RejectedMessage {
    private static let bodyBytes = 200

    private let delivery: AMQPDelivery

    init(_ delivery: AMQPDelivery) {
        self.delivery = delivery
    }

    /// One word: the decoder's, or the broker's for a message that was delivered too often.
    var reason: String {
        delivery.properties[header: RejectedProperties.reasonName]?.text
            ?? delivery.properties[header: "x-first-death-reason"]?.text ?? "unknown"
    }

    func text(withBody: Bool) -> String {
        var line = "\(Cell.padded(Cell.printable(reason), to: 24))\(Cell.padded("\(delivery.body.count) B", to: 12))"
        line += Cell.padded(firstSeen ?? "", to: 26)
        line += Cell.printable(detail ?? delivery.properties.messageID ?? "")
        return withBody ? line + "\n    " + Cell.printable(beginning) : line
    }

    func json(withBody: Bool) -> String {
        var object = JSONObject()
        object.add("reason", reason)
        object.add("detail", detail)
        object.add("message_id", delivery.properties.messageID)
        object.add("first_seen", firstSeen)
        object.add("bytes", delivery.body.count)
        if withBody { object.add("body", beginning) }
        return object.text
    }

    private var detail: String? { delivery.properties[header: RejectedProperties.detailName]?.text }

    private var firstSeen: String? {
        delivery.properties[header: RejectedProperties.firstSeenName]?.integer.map(DeliveryTime.text(milliseconds:))
    }

    /// The first bytes as text; what is no UTF-8 becomes U+FFFD.
    private var beginning: String {
        let text = String(decoding: delivery.body.prefix(Self.bodyBytes), as: UTF8.self)
        return delivery.body.count > Self.bodyBytes ? text + "…" : text
    }
}
