/// What the registry holds of a device token for a topic and an environment.
///
/// Times are milliseconds since 1970.
package struct DeviceRegistration: Hashable, Sendable {
    /// When the app registered last; `nil` if nobody says.
    ///
    /// A value that is no date counts as `Int64.max`: nobody can tell
    /// that it is old, so nothing may be disabled on its account.
    package var registeredAt: Int64?
    package var disabledAt: Int64?
    package var suspectedAt: Int64?

    package init(registeredAt: Int64? = nil, disabledAt: Int64? = nil, suspectedAt: Int64? = nil) {
        self.registeredAt = registeredAt
        self.disabledAt = disabledAt
        self.suspectedAt = suspectedAt
    }
}
