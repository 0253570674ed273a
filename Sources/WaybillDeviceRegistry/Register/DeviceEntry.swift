/// What an app says of itself when it registers: its token, and what it wants to be told by.
///
/// What is `nil` stays as it is in the registry.
package struct DeviceEntry: Hashable, Sendable {
    package var address: DeviceAddress
    package var kind: DeviceTokenKind
    /// The app's own installation id.
    ///
    /// An installation has one token that may be pushed to: another one retires it.
    package var device: String?
    package var user: String?
    /// Sorted, each once.
    package var tags: [String]?
    package var locale: String?
    package var timeZone: String?
    package var appVersion: String?
    package var client: String?
    /// When the app registered, in milliseconds since 1970; `nil` if nobody knows.
    package var registeredAt: Int64?
    /// What was said and is left out, as the app may be told; nothing of it stops a registration.
    package var warnings: [DeviceFault] = []
    /// What became of the token, as an export tells it; `nil` for what an app says.
    var restoration: DeviceRestoration?

    package init(address: DeviceAddress, kind: DeviceTokenKind = .token) {
        self.address = address
        self.kind = kind
    }
}
