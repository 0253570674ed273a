import WaybillAMQP
import WaybillCore
import WaybillMessages

extension Publication {
    /// One notification as a message of its own for the rejected queue: its record cannot be written.
    ///
    /// It is a delayed retry in form, headers included, so that sending it again under its old ids is possible, and says
    /// that it may have been pushed.
    ///
    /// - Parameters:
    ///   - outcome: what has become of the notification.
    ///   - reason: the server's words; never content.
    /// - Returns: what to publish; its confirm settles the notification.
    static func refusedRecord(_ outcome: ItemOutcome, reason: String) -> Publication {
        let message = outcome.message
        let (properties, body) = RetryMessage.make(
            message,
            positions: [outcome.position],
            pass: message.origin.pass,
            isCopy: true
        )
        let rejected = RejectedBody(
            body: body,
            properties: properties,
            reason: BodyRejection.Reason.recordRefused.rawValue,
            detail: "the store refuses the record of outcome \(outcome.outcome.rawValue): \(reason)",
            firstSeen: message.origin.firstSeen,
            origin: RejectedProperties.Origin(
                producer: message.origin.producer,
                client: message.batch.client,
                batchID: message.batch.id,
                isRetry: true
            )
        )
        return Publication(
            content: .rejectedBody(rejected),
            finalizer: message.finalizer,
            positions: [outcome.position]
        )
    }
}
