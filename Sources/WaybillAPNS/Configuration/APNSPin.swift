/// The digest of a public key that must stand in the endpoint's verified certificate chain.
///
/// SHA-256 over a certificate's SubjectPublicKeyInfo, in base64, as in RFC 7469 §2.4. Pin an authority rather than the
/// endpoint's own key: Apple replaces that without notice.
public struct APNSPin: Hashable, Sendable {
    /// The digest's 44 characters.
    public let base64: String

    /// Creates a pin; whether it is a digest at all is checked when a client is made.
    public init(base64: String) {
        self.base64 = base64
    }
}
