import WaybillCore
import WaybillProviders

/// The apns-ids under which a dispatcher sends and records the notifications of a message.
struct NotificationIDs {
    /// The name of the batch, as records have it.
    let batchID: String
    let ids: [NotificationID]

    /// What the dispatcher's own decoder makes of a message; `nil` if it cannot read it.
    init?(of message: OutgoingMessage, run: SendRun, decoder: BatchDecoder) {
        guard
            case .success(let batch) = decoder.decode(
                message.body,
                properties: run.properties(messageID: message.id)
            )
        else { return nil }
        batchID = batch.id
        ids = batch.items.map { item in
            switch item.content {
            case .valid(let notification): notification.id
            case .invalid(let invalid): invalid.id
            }
        }
    }
}
