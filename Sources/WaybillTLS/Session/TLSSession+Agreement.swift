import CWaybillOpenSSL

/// What the handshake has led to.
extension TLSSession {
    /// What ALPN has agreed on, for example `h2`.
    package var negotiatedProtocol: String? {
        var name: UnsafePointer<UInt8>?
        var length: UInt32 = 0
        SSL_get0_alpn_selected(ssl, &name, &length)
        guard let name, length > 0 else { return nil }
        return String(decoding: UnsafeBufferPointer(start: name, count: Int(length)), as: UTF8.self)
    }

    /// For example `TLSv1.3`.
    package var protocolVersion: String { String(cString: SSL_get_version(ssl)) }

    /// Whether the handshake took up the keys of an earlier session, and left the certificates out.
    package var isResumed: Bool { SSL_session_reused(ssl) == 1 }

    /// The certificate that the other side has shown; `nil` before the handshake is done, and for a client without one.
    ///
    /// In a resumed session it is the certificate of the first one.
    package var peerCertificate: TLSPeerCertificate? {
        SSL_get0_peer_certificate(ssl).map { TLSPeerCertificate(Certificate(referencing: $0)) }
    }
}
