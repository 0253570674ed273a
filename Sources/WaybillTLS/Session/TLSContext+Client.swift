import CWaybillOpenSSL

extension TLSContext {
    /// Settings for connections to servers.
    ///
    /// *Blocking:* reads files.
    ///
    /// - Parameter options: what to trust, what to show and what to agree on.
    /// - Returns: settings for any number of sessions.
    /// - Throws: `TLSError.badFile` naming the file.
    package static func client(_ options: TLSClientOptions) throws(TLSError) -> TLSContext {
        let context = try TLSContext(
            TLS_client_method(),
            versions: options.versions,
            pins: Set(options.pins),
            sessions: options.resumesSessions ? SessionCache() : nil
        )
        SSL_CTX_set_verify(context.pointer, SSL_VERIFY_PEER, nil)
        context.requirePins()
        context.collectSessions()
        try options.trust.load(into: context.pointer)
        if let identity = options.identity { try context.use(identity) }
        let wire = wireFormat(options.protocols)
        // This call, unlike nearly all others, answers 0 for success.
        guard SSL_CTX_set_alpn_protos(context.pointer, wire, UInt32(wire.count)) == 0 else {
            throw .fromQueue(.library, "the protocols cannot be offered")
        }
        return context
    }

    /// Settings for connections to servers, the rest as in `TLSClientOptions`.
    package static func client(
        trust: TLSTrust,
        identity: TLSIdentity? = nil,
        protocols: [String]
    ) throws(TLSError) -> TLSContext {
        var options = TLSClientOptions()
        options.trust = trust
        options.identity = identity
        options.protocols = protocols
        return try client(options)
    }
}
