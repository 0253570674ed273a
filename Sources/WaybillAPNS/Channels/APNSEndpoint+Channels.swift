/// Where channels are managed.
///
/// Source: Apple, "Sending channel management requests to APNs".
extension APNSEndpoint {
    /// The channels of apps from the App Store and TestFlight.
    public static let productionChannels = Self(host: "api-manage-broadcast.push.apple.com", port: 2196)
    /// The channels of apps in development.
    public static let sandboxChannels = Self(host: "api-manage-broadcast.sandbox.push.apple.com", port: 2195)
}
