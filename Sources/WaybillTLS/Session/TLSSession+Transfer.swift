import CWaybillOpenSSL
import Glibc

extension TLSSession {
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
            if ERR_GET_REASON(ERR_peek_error()) != SSL_R_UNEXPECTED_EOF_WHILE_READING { resumption?.failed() }
            throw .fromQueue(.closed, "the connection broke")
        }
    }
}
