import CWaybillOpenSSL

/// What one client session offers from earlier ones, and leaves to later ones.
///
/// It lives on the session's thread; only the cache is shared.
struct Resumption {
    private let cache: SessionCache
    private let host: String
    private var offered: ResumableSession?
    private var left: ResumableSession?
    /// Whether the handshake has ended well: certificate verified, pins found.
    private var isEstablished = false

    init(_ cache: SessionCache, host: String) {
        self.cache = cache
        self.host = host
    }

    /// Offers the newest session with the host, if there is a good one.
    ///
    /// A server that does not want it goes on with a full handshake (RFC 5246 §7.3, RFC 8446 §2.2).
    mutating func offer(by ssl: OpaquePointer, at now: Int) {
        guard let session = cache.session(with: host, at: now), session.offer(by: ssl) else { return }
        offered = session
    }

    /// The handshake has ended well.
    mutating func handshakeEnded(_ ssl: OpaquePointer) {
        guard !isEstablished, SSL_get_verify_result(ssl) == Int(X509_V_OK) else { return }
        isEstablished = true
        if SSL_session_reused(ssl) == 0 { forgetOffered() }
        // With TLS 1.2 the server has given its ticket already, with 1.3 tickets come later.
        guard SSL_version(ssl) == TLS1_2_VERSION, let session = SSL_get1_session(ssl) else { return }
        defer { SSL_SESSION_free(session) }
        leave(session)
    }

    /// OpenSSL has made a session that can be resumed; with TLS 1.2 it says so before the handshake is over.
    mutating func sessionCame(_ session: OpaquePointer) {
        if isEstablished { leave(session) }
    }

    /// A handshake or a connection has failed: its keys are not used again (RFC 5246 §7.2.2, RFC 8446 §6.2).
    mutating func failed() {
        forgetOffered()
        if let left { cache.forget(left, with: host) }
        left = nil
        // No ticket counts that comes with, or after, the failure.
        isEstablished = false
    }

    private mutating func leave(_ session: OpaquePointer) {
        guard let session = ResumableSession(copying: session) else { return }
        cache.remember(session, with: host)
        left = session
    }

    private mutating func forgetOffered() {
        if let offered { cache.forget(offered, with: host) }
        offered = nil
    }
}

extension TLSContext {
    /// Makes OpenSSL tell each session of this context about what it could resume later.
    func collectSessions() {
        guard sessions != nil else { return }
        _ = wb_ssl_ctx_set_session_cache_mode(pointer, Int(SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL))
        SSL_CTX_sess_set_new_cb(pointer) { ssl, session in
            guard let ssl, let session, let owner = TLSSession.owner(of: ssl) else { return 0 }
            owner.resumption?.sessionCame(session)
            // The reference stays OpenSSL's: what is kept is a copy.
            return 0
        }
    }
}
