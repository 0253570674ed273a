import CWaybillOpenSSL
import Glibc

/// One TLS connection over a connected, non-blocking socket.
///
/// *Ownership:* the socket stays the caller's and must outlive the session. *Thread:* made, used and let go on one thread.
/// *Blocking:* never; a call that would have to wait says for what.
package final class TLSSession {
    /// How far a handshake has come.
    package enum Progress: Hashable, Sendable {
        case done
        case wantsRead
        case wantsWrite
    }

    /// What became of a read or a write.
    package enum Transfer: Hashable, Sendable {
        case bytes(Int)
        case wantsRead
        case wantsWrite
        /// The peer has ended the session in order.
        case closed
    }

    let ssl: OpaquePointer
    private let context: TLSContext
    /// `nil` for a server, and for a client that does not resume.
    var resumption: Resumption?

    private init(_ context: TLSContext, socket: Int32) throws(TLSError) {
        ERR_clear_error()
        guard let ssl = SSL_new(context.pointer) else { throw .fromQueue(.library, "no TLS session") }
        self.ssl = ssl
        self.context = context
        guard SSL_set_fd(ssl, socket) == 1 else { throw .fromQueue(.library, "the socket cannot be used") }
    }

    deinit {
        SSL_free(ssl)
    }

    /// A session to a server.
    ///
    /// - Parameters:
    ///   - context: settings for clients.
    ///   - socket: connected, non-blocking; stays the caller's.
    ///   - hostName: a DNS name or an IP literal; the server's certificate must be issued for it (RFC 6125). Only a name
    ///     is sent as server name indication (RFC 6066).
    /// - Throws: `TLSError.library` for a name that cannot be verified.
    package convenience init(client context: TLSContext, socket: Int32, hostName: String) throws(TLSError) {
        // OpenSSL takes an empty name as "verify no name", and reads no further than a zero byte.
        guard !hostName.isEmpty, !hostName.utf8.contains(0) else {
            throw TLSError(.library, "there is no host name to verify the server's certificate against")
        }
        try self.init(context, socket: socket)
        let parameters = SSL_get0_param(ssl)
        if X509_VERIFY_PARAM_set1_ip_asc(parameters, hostName) != 1 {
            ERR_clear_error()
            SSL_set_hostflags(ssl, UInt32(X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS))
            guard SSL_set1_host(ssl, hostName) == 1, wb_ssl_set_tlsext_host_name(ssl, hostName) == 1 else {
                throw .fromQueue(.library, "the host name cannot be verified")
            }
        }
        SSL_set_connect_state(ssl)
        if let sessions = context.sessions {
            resumption = Resumption(sessions, host: hostName)
            resumption?.offer(by: ssl, at: time(nil))
            // For the callbacks of OpenSSL, which all come while this object calls it.
            SSL_set_ex_data(ssl, Self.ownerIndex, Unmanaged.passUnretained(self).toOpaque())
        }
    }

    /// A session from a client.
    package convenience init(server context: TLSContext, socket: Int32) throws(TLSError) {
        try self.init(context, socket: socket)
        SSL_set_accept_state(ssl)
    }

    /// Goes on with the handshake.
    ///
    /// - Throws: `TLSError.certificateRejected` with the reason, `.pinMismatch` with the server's own pin,
    ///   `.handshakeFailed` or `.closed`.
    package func handshake() throws(TLSError) -> Progress {
        ERR_clear_error()
        let result = SSL_do_handshake(ssl)
        guard result != 1 else {
            resumption?.handshakeEnded(ssl)
            return .done
        }
        switch SSL_get_error(ssl, result) {
        case SSL_ERROR_WANT_READ: return .wantsRead
        case SSL_ERROR_WANT_WRITE: return .wantsWrite
        default:
            let error = handshakeError(result)
            resumption?.failed()
            throw error
        }
    }

    private func handshakeError(_ result: Int32) -> TLSError {
        switch SSL_get_error(ssl, result) {
        case SSL_ERROR_SYSCALL, SSL_ERROR_ZERO_RETURN:
            return TLSError(.closed, "the peer closed the connection during the TLS handshake")
        case SSL_ERROR_SSL where ERR_GET_REASON(ERR_peek_error()) == SSL_R_UNEXPECTED_EOF_WHILE_READING:
            // OpenSSL 3 reports a connection that ends without the closing alert as a protocol error.
            ERR_clear_error()
            return TLSError(.closed, "the peer closed the connection during the TLS handshake")
        default:
            if let refusal {
                ERR_clear_error()
                return refusal
            }
            return .fromQueue(.handshakeFailed, "the TLS handshake failed")
        }
    }

    /// What this side has against the other's certificate.
    private var refusal: TLSError? {
        let verification = SSL_get_verify_result(ssl)
        switch verification {
        case Int(X509_V_OK):
            return nil
        case Int(TLSContext.pinMismatch):
            let leaf = Stack.certificates(referencing: SSL_get0_verified_chain(ssl)).first
            let pin = leaf.map { TLSPin(digest: $0.publicKeyDigest).description } ?? "unknown"
            return TLSError(
                .pinMismatch,
                "none of the pinned keys is in the server's chain; the server's own is \(pin)"
            )
        default:
            let peer = SSL_is_server(ssl) == 1 ? "client" : "server"
            let reason = String(cString: X509_verify_cert_error_string(verification))
            return TLSError(.certificateRejected, "the \(peer)'s certificate is refused: \(reason)")
        }
    }

    /// The number of the slot in which OpenSSL's object keeps its owner; nought is the application's.
    private static let ownerIndex: Int32 = 0

    /// The client session that a callback is about; `nil` for one that does not resume.
    static func owner(of ssl: OpaquePointer) -> TLSSession? {
        SSL_get_ex_data(ssl, ownerIndex).map { Unmanaged<TLSSession>.fromOpaque($0).takeUnretainedValue() }
    }
}
