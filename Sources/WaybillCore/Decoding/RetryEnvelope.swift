import WaybillEncoding

/// Writes the part of a message that needs another attempt as a message of its own.
///
/// The new body names batch, client and lane explicitly and holds only the items concerned, byte for byte as the producer
/// wrote them. Decoded together with a ``RetryHeader`` that tells their positions, and with the AMQP `message-id` and
/// `timestamp` of the first message, it gives the same ids, payloads and collapse ids.
package enum RetryEnvelope {
    /// By how much a retry may be larger than a producer's body: the envelope around it, names fully escaped.
    package static let slack = 2048
    /// By how many levels a retry may be deeper than a producer's body: the envelope around a bare array.
    package static let depth = 1

    /// The body for some items of a batch.
    ///
    /// - Parameters:
    ///   - batch: the message as it was decoded.
    ///   - positions: in `batch.items`; their `index`es are the header's.
    /// - Returns: JSON.
    package static func encode(_ batch: Batch, positions: [Int]) -> [UInt8] {
        var json: [UInt8] = []
        json.reserveCapacity(slack + positions.reduce(0) { $0 + batch.items[$1].source.count + 1 })
        json += "{\"batch_id\":".utf8
        JSONText.appendString(batch.id.utf8, to: &json)
        if let client = batch.client {
            json += ",\"client\":".utf8
            JSONText.appendString(client.utf8, to: &json)
        }
        json += ",\"lane\":".utf8
        JSONText.appendString(batch.laneName.utf8, to: &json)
        switch batch.form {
        case .notifications(let defaults):
            if let defaults {
                json += ",\"defaults\":".utf8
                json += defaults
            }
            json += ",\"notifications\":[".utf8
        case .deviceTokens(let shared):
            if !shared.isEmpty {
                json.append(UInt8(ascii: ","))
                json += shared
            }
            json += ",\"device_tokens\":[".utf8
        }
        for (count, position) in positions.enumerated() {
            if count > 0 { json.append(UInt8(ascii: ",")) }
            json += batch.items[position].source
        }
        json += "]}".utf8
        return json
    }
}
