/// What the registry holds of a device token for an app and an environment.
///
/// Times are milliseconds since 1970. A value that is no date counts as `Int64.max`: nobody can tell that it is old, so nothing
/// may be disabled on its account.
package struct DeviceRegistration: Hashable, Sendable {
    /// When the app registered the token; `nil` if nobody says.
    package var registeredAt: Int64?
    /// When the app told it again; `nil` if it did not.
    package var seenAt: Int64?
    package var isEnabled: Bool
    package var suspectedAt: Int64?

    package init(registeredAt: Int64? = nil, seenAt: Int64? = nil, isEnabled: Bool = true, suspectedAt: Int64? = nil) {
        self.registeredAt = registeredAt
        self.seenAt = seenAt
        self.isEnabled = isEnabled
        self.suspectedAt = suspectedAt
    }

    /// When the app has spoken of the token last.
    package var lastWord: Int64? {
        guard let registeredAt, let seenAt else { return registeredAt ?? seenAt }
        return max(registeredAt, seenAt)
    }
}
