/// What a device says of a notification: who has its capability says so, and nobody else could.
package struct DeliveryReceipt: Hashable, Sendable {
    /// Whose push it is about.
    package var id: NotificationID
    /// What that is about, where its producer gave the id and the capability says so.
    package var content: UInt64?
    package var event: ReceiptEvent
    /// When it came here, in milliseconds since 1970: the time that counts.
    package var receivedAt: Int64
    /// When it happened by the device's clock, in milliseconds since 1970; `nil` where the device does not say.
    package var deviceTime: Int64?
    /// The app's version, in its own words, at most ``mostTextBytes`` bytes.
    package var app: String?
    /// The priority with which it came, in the platform's word; `nil` where the device does not say.
    package var priority: String?
    /// The priority with which it was sent, as the device was told; another one was lowered on the way.
    package var priorityAsked: String?

    package static let mostTextBytes = 64

    package init(
        id: NotificationID,
        content: UInt64? = nil,
        event: ReceiptEvent,
        receivedAt: Int64,
        deviceTime: Int64? = nil,
        app: String? = nil,
        priority: String? = nil,
        priorityAsked: String? = nil
    ) {
        self.id = id
        self.content = content
        self.event = event
        self.receivedAt = receivedAt
        self.deviceTime = deviceTime
        self.app = app
        self.priority = priority
        self.priorityAsked = priorityAsked
    }

    package var subject: ReceiptSubject { ReceiptSubject(id, content: content) }
}
