import WaybillMongo

/// How many a notification is for.
package struct NotificationReach: Hashable, Sendable {
    /// People who are told.
    package let recipients: Int
    /// Devices on which one of them is logged in.
    package let devices: Int
}

extension NotificationReach {
    /// Reads a stored notification.
    init(_ document: BSONDocument) {
        self.init(
            recipients: document["\(NotificationLayout.Field.recipients)"]?.amount ?? 0,
            devices: document["\(NotificationLayout.Field.devices)"]?.amount ?? 0
        )
    }
}
