import WaybillCore
import WaybillDeliveryLog
import WaybillMessages
import WaybillReceipts

extension InFlightMessage {
    /// What of the message is to be sent again until somebody acknowledges it, each with the message that a repeat is.
    ///
    /// Without what has an end in the log already, or is recorded under another id: it is not sent, or not known by its id.
    ///
    /// - Parameter findings: what the log has of its items.
    /// - Returns: nothing for nearly all messages.
    func unacknowledged(_ findings: RecallFindings) -> [UnacknowledgedNotification] {
        batch.repeats.sorted { $0.key < $1.key }.compactMap { position, rule in
            guard case .valid(let notification) = batch.items[position].content,
                findings.own[position]?.outcome.isFinal != true, !findings.withTakenID.contains(position)
            else { return nil }
            // A default limits each push of the series, and not the series.
            let deadline = Deadline(
                expiration: notification.expirationFrom == .message ? notification.expiration : .absent,
                maxAge: notification.maxAge,
                messageTime: origin.time
            ).seconds
            return UnacknowledgedNotification(
                first: notification.id,
                content: notification.fingerprint,
                client: batch.client,
                lane: batch.laneName,
                rule: rule,
                begins: origin.time,
                ends: deadline == .max ? nil : deadline * 1000,
                message: UnacknowledgedNotification.Message(
                    body: RetryEnvelope.encode(batch, positions: [position]),
                    messageID: origin.messageID,
                    timestamp: origin.timestamp,
                    producer: origin.producer,
                    isBulk: origin.isBulk
                )
            )
        }
    }
}
