import CWaybillOpenSSL

extension TLSContext {
    /// Settings for connections from clients.
    ///
    /// *Blocking:* reads files.
    ///
    /// - Parameters:
    ///   - identity: the server's certificate.
    ///   - protocols: accepted by ALPN; a client that offers others only is turned away. None at all leaves ALPN out.
    ///   - clientAuthorities: asks each client for a certificate of these authorities; `nil` does not ask.
    ///   - requiresClientCertificate: turns away clients that show none. One that is shown must be good in any case.
    ///     Without `clientAuthorities` it has no meaning.
    ///   - versions: that may be agreed on.
    ///   - issuesTickets: whether clients may resume their sessions; the keys of the tickets are the context's own.
    /// - Returns: settings for any number of sessions.
    /// - Throws: `TLSError.badFile` naming the file.
    package static func server(
        identity: TLSIdentity,
        protocols: [String],
        clientAuthorities: TLSTrust? = nil,
        requiresClientCertificate: Bool = false,
        versions: ClosedRange<TLSVersion> = .tls12 ... .tls13,
        issuesTickets: Bool = true
    ) throws(TLSError) -> TLSContext {
        let context = try TLSContext(TLS_server_method(), versions: versions, accepted: wireFormat(protocols))
        try context.use(identity)
        if let clientAuthorities {
            try context.askForCertificate(of: clientAuthorities, isRequired: requiresClientCertificate)
        }
        context.setTickets(areIssued: issuesTickets)
        if !protocols.isEmpty { context.selectProtocol() }
        return context
    }

    private func askForCertificate(of authorities: TLSTrust, isRequired: Bool) throws(TLSError) {
        try authorities.load(into: pointer)
        let mode = isRequired ? SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT : SSL_VERIFY_PEER
        SSL_CTX_set_verify(pointer, mode, nil)
        // The names tell a client with several certificates which one to show. Those of the system would be too many.
        guard authorities != .system else { return }
        let objects = X509_STORE_get0_objects(SSL_CTX_get_cert_store(pointer))
        for position in 0..<max(0, OPENSSL_sk_num(objects)) {
            guard let object = OPENSSL_sk_value(objects, position),
                let certificate = X509_OBJECT_get0_X509(OpaquePointer(object))
            else { continue }
            guard SSL_CTX_add_client_CA(pointer, certificate) == 1 else {
                throw .fromQueue(.library, "the client authorities cannot be named")
            }
        }
    }

    /// Sessions live in their tickets alone (RFC 5077): the server keeps nothing.
    private func setTickets(areIssued: Bool) {
        _ = wb_ssl_ctx_set_session_cache_mode(pointer, Int(SSL_SESS_CACHE_OFF))
        guard areIssued else {
            // The option is enough for TLS 1.2, and the number for TLS 1.3.
            wb_ssl_ctx_forbid_tickets(pointer)
            SSL_CTX_set_num_tickets(pointer, 0)
            return
        }
        // A server that asks for certificates fails the handshake of a resuming client if this name is not set.
        SSL_CTX_set_session_id_context(pointer, Self.sessionContext, UInt32(Self.sessionContext.count))
    }

    private static let sessionContext = Array("waybill".utf8)

    private func selectProtocol() {
        SSL_CTX_set_alpn_select_cb(
            pointer,
            { _, selected, selectedLength, offered, offeredLength, argument in
                // Never nil: it is set with the callback.
                let context = Unmanaged<TLSContext>.fromOpaque(argument!).takeUnretainedValue()
                return context.accepted.withUnsafeBufferPointer { accepted in
                    var choice: UnsafeMutablePointer<UInt8>?
                    let result = SSL_select_next_proto(
                        &choice,
                        selectedLength,
                        accepted.baseAddress,
                        UInt32(accepted.count),
                        offered,
                        offeredLength
                    )
                    guard result == OPENSSL_NPN_NEGOTIATED, let choice else { return SSL_TLSEXT_ERR_ALERT_FATAL }
                    // The choice points into `accepted`, whose storage stays where it is for the context's life.
                    selected?.pointee = UnsafePointer(choice)
                    return SSL_TLSEXT_ERR_OK
                }
            },
            Unmanaged.passUnretained(self).toOpaque()
        )
    }
}
