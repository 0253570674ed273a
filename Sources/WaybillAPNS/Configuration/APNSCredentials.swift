package import TLS

/// How a lane proves to APNs who is sending.
package enum APNSCredentials: Sendable {
    /// A provider token in each request. The source is shared by every lane that uses the same key.
    case token(APNSProviderTokenSource)
    /// A provider certificate in the TLS handshake; no `authorization` header.
    case certificate(TLSIdentity)

    /// The source of provider tokens, if there is one.
    var tokenSource: APNSProviderTokenSource? {
        if case .token(let source) = self { source } else { nil }
    }
}
