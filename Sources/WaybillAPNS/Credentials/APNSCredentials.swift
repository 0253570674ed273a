/// How a lane proves to APNs who is sending.
public enum APNSCredentials: Sendable {
    /// A provider token in each request. The source is shared by every client that uses the same key.
    case token(APNSProviderTokenSource)
    /// A provider certificate in the TLS handshake; no `authorization` header.
    case certificate(APNSCertificate)

    /// The source of provider tokens, if there is one.
    var tokenSource: APNSProviderTokenSource? {
        if case .token(let source) = self { source } else { nil }
    }
}
