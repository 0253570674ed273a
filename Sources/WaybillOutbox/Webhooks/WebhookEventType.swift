/// What a webhook tells of.
package enum WebhookEventType: String, CaseIterable, Sendable {
    case accepted = "notification.accepted"
    case rejected = "notification.rejected"
    case invalid = "notification.invalid"
    case expired = "notification.expired"
    case cancelled = "notification.cancelled"
    /// A newer notification with the same collapse id was accepted before this one was pushed again.
    case superseded = "notification.superseded"
    case unknown = "notification.unknown"
    case deviceInvalid = "device.invalid"
    /// A device has said so, by a receipt; like the next four. Of a service, people acknowledge.
    case received = "notification.received"
    case displayed = "notification.displayed"
    case opened = "notification.opened"
    case acknowledged = "notification.acknowledged"
    case dismissed = "notification.dismissed"
    /// Somebody of the service was not told, by levels, mute or quiet hours of their own.
    case suppressed = "notification.suppressed"
    case memberJoined = "member.joined"
    case memberChanged = "member.changed"
    case memberLeft = "member.left"
    case keyExpiring = "service.key_expiring"
    /// Another endpoint of the service was disabled by what it answers.
    case endpointDisabled = "webhook.disabled"
    /// Sent when somebody asks for it, whatever an endpoint wants to hear.
    case test = "webhook.test"

    /// What devices say.
    package static let ofReceipts: [Self] = [.received, .displayed, .opened, .acknowledged, .dismissed]
    /// What an endpoint of a client can choose: what is recorded of its notifications, and what devices say of them.
    package static let ofClients: [Self] =
        [.accepted, .rejected, .invalid, .expired, .cancelled, .superseded, .unknown, .deviceInvalid] + ofReceipts
    /// What an endpoint of a service can choose.
    package static let ofServices: [Self] = allCases.filter {
        $0 != .test && ($0 == .acknowledged || !ofReceipts.contains($0))
    }
}
