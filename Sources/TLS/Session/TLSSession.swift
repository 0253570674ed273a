import COpenSSL
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

    private let ssl: OpaquePointer
    private let context: TLSContext

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
        guard result != 1 else { return .done }
        switch SSL_get_error(ssl, result) {
        case SSL_ERROR_WANT_READ: return .wantsRead
        case SSL_ERROR_WANT_WRITE: return .wantsWrite
        case SSL_ERROR_SYSCALL, SSL_ERROR_ZERO_RETURN:
            throw TLSError(.closed, "the peer closed the connection during the TLS handshake")
        case SSL_ERROR_SSL where ERR_GET_REASON(ERR_peek_error()) == SSL_R_UNEXPECTED_EOF_WHILE_READING:
            // OpenSSL 3 reports a connection that ends without the closing alert as a protocol error.
            ERR_clear_error()
            throw TLSError(.closed, "the peer closed the connection during the TLS handshake")
        default:
            if let refusal {
                ERR_clear_error()
                throw refusal
            }
            throw .fromQueue(.handshakeFailed, "the TLS handshake failed")
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

    /// Reads decrypted bytes.
    ///
    /// Call it until it wants something: OpenSSL holds whole records back that the socket no longer shows.
    package func read(into buffer: UnsafeMutableRawBufferPointer) throws(TLSError) -> Transfer {
        ERR_clear_error()
        let count = SSL_read(ssl, buffer.baseAddress, Int32(clamping: buffer.count))
        return try count > 0 ? .bytes(Int(count)) : transfer(after: count)
    }

    /// Encrypts and writes bytes; possibly fewer than given.
    package func write(_ bytes: UnsafeRawBufferPointer) throws(TLSError) -> Transfer {
        guard !bytes.isEmpty else { return .bytes(0) }
        ERR_clear_error()
        let count = SSL_write(ssl, bytes.baseAddress, Int32(clamping: bytes.count))
        return try count > 0 ? .bytes(Int(count)) : transfer(after: count)
    }

    /// Tells the peer, as far as the socket takes it now, that nothing more will come.
    package func shutdown() {
        ERR_clear_error()
        // OpenSSL forbids this after a failed handshake or a fatal error.
        if SSL_is_init_finished(ssl) == 1 { _ = SSL_shutdown(ssl) }
        ERR_clear_error()
    }

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

    /// The certificate that the other side has shown; `nil` before the handshake is done, and for a client without one.
    ///
    /// In a resumed session it is the certificate of the first one.
    package var peerCertificate: TLSPeerCertificate? {
        SSL_get0_peer_certificate(ssl).map { TLSPeerCertificate(Certificate(referencing: $0)) }
    }

    private func transfer(after result: Int32) throws(TLSError) -> Transfer {
        let systemError = errno
        switch SSL_get_error(ssl, result) {
        case SSL_ERROR_WANT_READ: return .wantsRead
        case SSL_ERROR_WANT_WRITE: return .wantsWrite
        case SSL_ERROR_ZERO_RETURN: return .closed
        case SSL_ERROR_SYSCALL:
            ERR_clear_error()
            throw TLSError(
                .closed,
                systemError == 0
                    ? "the peer closed the connection"
                    : "the connection broke: \(String(cString: strerror(systemError)))"
            )
        default:
            // A connection that ends without the closing alert, or an alert such as a refused client certificate.
            throw .fromQueue(.closed, "the connection broke")
        }
    }
}
