/// What became of a notification: the `outcome` of its record.
package enum Outcome: String, CaseIterable, Sendable {
    /// APNs answered 200. It says nothing about the screen.
    case accepted
    /// APNs refused the notification for good.
    case rejected
    /// APNs refused the device token; an invalid-token event follows.
    case tokenInvalid = "token_invalid"
    /// The item was never sent, because it breaks a rule of APNs, of Waybill or of the configuration.
    case invalid
    /// Too late: its `expiration` or greatest age had come before APNs took it.
    case expired
    /// The push was sent, and the last word on it is that no answer came.
    case unknown
    /// Not final: another attempt will follow.
    case deferred

    /// Whether no attempt will follow.
    package var isFinal: Bool { self != .deferred }
}
