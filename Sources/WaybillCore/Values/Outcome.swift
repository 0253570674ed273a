/// What became of a notification: the `outcome` of its record.
package enum Outcome: String, CaseIterable, Sendable {
    /// The provider accepted it. That says nothing about the screen.
    case accepted
    /// The provider refused the notification for good.
    case rejected
    /// The provider refused the device token; an invalid-token event follows.
    case tokenInvalid = "token_invalid"
    /// The item was never sent, because it breaks a rule of the provider, of Waybill or of the configuration.
    case invalid
    /// Too late: its `expiration` or greatest age had come before the provider took it.
    case expired
    /// The push was sent, and the last word on it is that no answer came.
    case unknown
    /// Never sent, or refused in every attempt so far, when an operator cancelled its batch.
    case cancelled
    /// Not sent again: a newer notification with the same collapse id, for the same device token and topic, was accepted.
    case superseded
    /// Not final: another attempt will follow.
    case deferred

    /// Whether no attempt will follow.
    package var isFinal: Bool { self != .deferred }
}
