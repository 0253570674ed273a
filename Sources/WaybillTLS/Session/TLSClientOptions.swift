/// How a client makes its sessions.
///
/// The server's certificate and name are always verified.
package struct TLSClientOptions: Sendable {
    /// The authorities that count.
    package var trust: TLSTrust = .system
    /// A client certificate, for servers that ask for one.
    package var identity: TLSIdentity?
    /// Offered by ALPN (RFC 7301), most wanted first.
    package var protocols: [String] = []
    /// The versions that may be agreed on.
    package var versions: ClosedRange<TLSVersion> = .tls12 ... .tls13
    /// If there are any, one of them must stand in the server's verified chain: the leaf's, an intermediate's or the
    /// authority's.
    package var pins: [TLSPin] = []
    /// Whether a later session with the same host name takes up an earlier one's keys (RFC 8446 §2.2, RFC 5077), which
    /// saves the certificates and their verification.
    package var resumesSessions = true

    package init() {}
}
