package import WaybillAMQP
package import WaybillEncoding
package import WaybillMessages
import WaybillTLS

/// A message of the rejected queue, ready to be shown.
package struct RejectedMessage {
    private static let bodyBytes = 200

    package let delivery: AMQPDelivery
    /// In the queue, from 1 for the oldest.
    package let position: Int
    /// Why it is there, and whose it is.
    package let rejection: Rejection

    package init(_ delivery: AMQPDelivery, position: Int, names: QueueNames) {
        self.delivery = delivery
        self.position = position
        rejection = Rejection(delivery.properties, queues: names)
    }

    var deliveryTag: UInt64 { delivery.deliveryTag }
    package var messageID: String? { delivery.properties.messageID }

    /// What names the message to `show`, `replay` and `drop`: its message-id, or a digest where it has none.
    ///
    /// A position would not do: it is another message's as soon as anybody has taken one away.
    package var id: String { messageID ?? "sha256:" + SHA256Hasher.digest(of: ownBytes).hexadecimal.prefix(16) }

    /// What tells messages without an id apart: two with the same bytes at the same millisecond are one and the same.
    private var ownBytes: [UInt8] { Array("\(firstSeen ?? "") \(rejection.reason) ".utf8) + delivery.body }

    /// Whom to ask: client, batch, user and program, as far as they are known.
    package var whose: String {
        let client = rejection.client.map { "client \($0)" }
        let batch = rejection.batchID.map { "batch \($0)" }
        let producer = rejection.producer.map { "user \($0)" }
        let program = delivery.properties.appID.map { "app \($0)" }
        return [client, batch, producer, program].compactMap(\.self).joined(separator: ", ")
    }

    package func json(withBody: Bool) -> JSONObject {
        var object = JSONObject()
        object.add("position", position)
        object.add("id", id)
        for (name, value) in facts where name != "bytes" { object.add(name, value) }
        object.add("bytes", delivery.body.count)
        if withBody { object.add("body", beginning) }
        return object
    }

    /// Everything as one JSON object.
    ///
    /// - Parameters:
    ///   - isFull: with device tokens as they are.
    ///   - count: how many messages have its id, it among them.
    /// - Returns: the object's text.
    package func jsonPage(isFull: Bool, sameID count: Int = 1) -> String {
        var object = json(withBody: false)
        if count > 1 { object.add("same_id", count) }
        object.add("body", body(isFull: isFull))
        return object.text
    }

    /// The named facts, the ones that are there.
    package var facts: [(name: String, value: String)] {
        let properties = delivery.properties
        let all: [(String, String?)] = [
            ("reason", rejection.reason), ("detail", rejection.detail), ("queue", rejection.queue),
            ("client", rejection.client), ("batch_id", rejection.batchID), ("producer", rejection.producer),
            ("app_id", properties.appID),
            ("message_id", messageID), ("correlation_id", properties.correlationID),
            ("timestamp", properties.timestamp.flatMap(Self.time)), ("first_seen", firstSeen),
            ("content_type", properties.contentType), ("content_encoding", properties.contentEncoding),
            ("bytes", String(delivery.body.count)),
        ]
        return all.compactMap { name, value in value.map { (name, $0) } }
    }

    package var firstSeen: String? { rejection.firstSeen.map(TimeText.text(milliseconds:)) }

    private static func time(_ seconds: UInt64) -> String? {
        seconds < 1 << 38 ? TimeText.text(milliseconds: Int64(seconds) * 1000) : nil
    }

    /// A header's value in words.
    package static func text(_ value: AMQPValue) -> String {
        switch value {
        case .null: "null"
        case .bool(let value): String(value)
        case .int64(let value): String(value)
        case .double(let value): String(value)
        case .string(let value): value
        case .bytes(let bytes): "\(bytes.count) bytes"
        case .timestamp(let seconds): time(seconds) ?? String(seconds)
        case .array(let values): values.map(text).joined(separator: ", ")
        case .table(let fields):
            fields.sorted { $0.key < $1.key }.map { "\($0.key)=\(text($0.value))" }.joined(separator: " ")
        }
    }

    /// The first bytes as text, device tokens shortened; what is no UTF-8 becomes U+FFFD.
    package var beginning: String {
        let text = TokenShortener.shorten(String(decoding: delivery.body.prefix(Self.bodyBytes), as: UTF8.self))
        return delivery.body.count > Self.bodyBytes ? text + "…" : text
    }

    /// The body as text.
    ///
    /// - Parameter isFull: with device tokens as they are; otherwise they are shortened.
    /// - Returns: the body; of a compressed one, unless it is wanted as it is, only its size.
    package func body(isFull: Bool) -> String {
        if delivery.properties.contentEncoding?.lowercased().hasSuffix("gzip") == true, !isFull {
            return "(\(delivery.body.count) bytes of gzip)"
        }
        let text = String(decoding: delivery.body, as: UTF8.self)
        return isFull ? text : TokenShortener.shorten(text)
    }
}
