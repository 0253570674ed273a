import WaybillCore
import WaybillProviders

/// The apns-ids under which a dispatcher sends and records the notifications of a message.
struct NotificationIDs {
    /// The name of the batch, as records have it.
    let batchID: String
    let ids: [NotificationID]

    /// Of what the dispatcher's own decoder makes of a message.
    init(_ batch: Batch) {
        batchID = batch.id
        ids = batch.items.map { item in
            switch item.content {
            case .valid(let notification): notification.id
            case .invalid(let invalid): invalid.id
            }
        }
    }
}
