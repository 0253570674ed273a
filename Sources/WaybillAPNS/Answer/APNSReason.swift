/// APNs' own word for why it refused a notification: an open set, kept unchanged.
///
/// Source: Apple, "Handling notification responses from APNs".
public struct APNSReason: RawRepresentable, Hashable, Sendable {
    /// The `reason` of the answer's body.
    public let rawValue: String

    /// Creates a reason from APNs' word, known or not.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }
}
