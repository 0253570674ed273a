package import WaybillCore

/// Writes the part of a message that needs another attempt as a message of its own.
///
/// The new body names batch, client, lane and service explicitly and holds only the items concerned, byte for byte as the producer
/// wrote them. Decoded together with a ``RetryHeader`` that tells their positions, and with the AMQP `message-id` and
/// `timestamp` of the first message, it gives the same ids, payloads and collapse ids. By how much it may exceed the
/// producer's body is in `DecodingLimits`.
package enum RetryEnvelope {
    /// What the envelope takes at the most, names fully escaped.
    private static let names = 2048

    /// The body for some items of a batch.
    ///
    /// - Parameters:
    ///   - batch: the message as it was decoded.
    ///   - positions: in `batch.items`; their `index`es are the header's.
    /// - Returns: JSON.
    package static func encode(_ batch: Batch, positions: [Int]) -> [UInt8] {
        var json: [UInt8] = []
        json.reserveCapacity(names + positions.reduce(0) { $0 + batch.items[$1].source.count + 1 })
        DispatchMessage.appendNames(
            batchID: batch.id,
            client: batch.client,
            lane: batch.laneName,
            service: batch.serviceID,
            to: &json
        )
        switch batch.form {
        case .notifications(let defaults):
            if let defaults {
                DispatchMessage.appendDefaults(defaults, to: &json)
                json.append(UInt8(ascii: ","))
            }
            DispatchMessage.appendOpening(of: .notifications, to: &json)
        case .deviceTokens(let shared):
            if !shared.isEmpty {
                json += shared
                json.append(UInt8(ascii: ","))
            }
            DispatchMessage.appendOpening(of: .deviceTokens, to: &json)
        }
        for (count, position) in positions.enumerated() {
            if count > 0 { json.append(UInt8(ascii: ",")) }
            json += batch.items[position].source
        }
        DispatchMessage.appendClosing(to: &json)
        return json
    }
}
