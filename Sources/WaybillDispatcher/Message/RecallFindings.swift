import WaybillCore
import WaybillDeliveryLog

/// What the log holds of a message's items, by their positions in `batch.items`.
struct RecallFindings: Equatable, Sendable {
    /// The records of the items themselves.
    var own: [Int: RecordedDelivery] = [:]
    /// Items whose id is in the log for another notification: their records have another id.
    var withTakenID: Set<Int> = []
    /// Items that a newer notification replaces on the screen, which was accepted; its id.
    var newer: [Int: NotificationID] = [:]
    /// The date of the youngest record under a derived id, in milliseconds since 1970; `nil` without any.
    var youngest: Int64?
}
