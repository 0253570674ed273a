/// What a webhook tells of.
package enum WebhookEventType: String, CaseIterable, Sendable {
    case accepted = "notification.accepted"
    case rejected = "notification.rejected"
    case invalid = "notification.invalid"
    case expired = "notification.expired"
    case cancelled = "notification.cancelled"
    case unknown = "notification.unknown"
    case deviceInvalid = "device.invalid"
    /// Sent when somebody asks for it, whatever an endpoint wants to hear.
    case test = "webhook.test"
}
