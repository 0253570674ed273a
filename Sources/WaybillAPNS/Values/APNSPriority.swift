/// The `apns-priority` of a notification.
///
/// Source: Apple, "Sending notification requests to APNs". The values that Apple documents are the ones below; another
/// one can be held, and is refused when the notification is sent.
public struct APNSPriority: RawRepresentable, Hashable, Sendable {
    /// The header's value.
    public let rawValue: Int

    /// Creates a priority from the header's value.
    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// 10: delivered at once.
    ///
    /// Not allowed for background pushes; for a Live Activity it counts against an hourly budget.
    public static let immediate = Self(rawValue: 10)
    /// 5: delivered when the device's power allows; may be grouped with others or throttled.
    public static let powerAware = Self(rawValue: 5)
    /// 1: never wakes the device; not allowed for Live Activities.
    public static let neverWakes = Self(rawValue: 1)
}
