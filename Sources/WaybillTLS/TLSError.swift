import CWaybillOpenSSL

/// What OpenSSL refused, or what a peer's certificate lacks.
package struct TLSError: Error, Sendable, CustomStringConvertible {
    package enum Code: Hashable, Sendable {
        /// A certificate, key or trust file cannot be read or does not fit.
        case badFile
        /// The peer's certificate is not trusted, has expired or is for another host.
        case certificateRejected
        /// The server's certificate is good, but no key in its chain is one of the pinned ones.
        case pinMismatch
        /// The handshake failed for another reason.
        case handshakeFailed
        /// The peer closed the connection without the closing alert, or it broke.
        case closed
        /// The bytes are no private (or public) key.
        case notAKey
        /// The key is not on the P-256 curve.
        case notP256
        /// The key is not an RSA key, or has too few bits.
        case notRSA
        /// OpenSSL itself failed.
        case library
    }

    package let code: Code
    /// For a person; holds no key material.
    package let text: String

    package init(_ code: Code, _ text: String) {
        self.code = code
        self.text = text
    }

    package var description: String { text }

    /// An error with the oldest reason on the thread's OpenSSL queue, which is emptied.
    static func fromQueue(_ code: Code, _ what: String) -> TLSError {
        let number = ERR_get_error()
        ERR_clear_error()
        guard number != 0, let reason = ERR_reason_error_string(number) else { return TLSError(code, what) }
        return TLSError(code, "\(what): \(String(cString: reason))")
    }
}
