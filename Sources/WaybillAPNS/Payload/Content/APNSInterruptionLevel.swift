/// How much an alert may disturb: an open set.
///
/// Source: Apple, "Generating a remote notification", the key `interruption-level`.
public struct APNSInterruptionLevel: RawRepresentable, Hashable, Sendable {
    /// The key's value.
    public let rawValue: String

    /// Creates a level from the key's value, known or not.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Kept in the list, without light or sound.
    public static let passive = Self(rawValue: "passive")
    /// Shown at once: the system's own default.
    public static let active = Self(rawValue: "active")
    /// Shown at once, through a Focus and the scheduled summary; needs Apple's entitlement.
    public static let timeSensitive = Self(rawValue: "time-sensitive")
    /// Shown at once and heard in silence; needs Apple's entitlement.
    public static let critical = Self(rawValue: "critical")
}
