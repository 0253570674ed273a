/// How webhooks go out.
package struct WebhookSettings: Hashable, Sendable {
    /// Whether `http://` endpoints may be made and are told anything.
    package var allowsPlain: Bool
    /// Networks that may be reached though they are private, or otherwise nobody's outside.
    package var allowed: [IPRange]
    /// The same for the endpoints of people's services, which anybody with an account may name.
    package var allowedOfServices: [IPRange]
    /// PEM file with the authorities for endpoints' certificates; `nil` means the system's.
    package var caFile: String?

    package init(
        allowsPlain: Bool = false,
        allowed: [IPRange] = [],
        allowedOfServices: [IPRange] = [],
        caFile: String? = nil
    ) {
        self.allowsPlain = allowsPlain
        self.allowed = allowed
        self.allowedOfServices = allowedOfServices
        self.caFile = caFile
    }
}
