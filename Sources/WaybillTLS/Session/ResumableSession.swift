import CWaybillOpenSSL
import Glibc

/// The keys of a session that has ended its handshake well, for a later one with the same host.
///
/// Safe to share between threads: it is a copy that nothing changes; each session that takes it up gets its own again.
/// (OpenSSL marks the one that a connection uses as spoilt when that connection breaks.)
///
/// *Ownership:* holds one reference, and gives it back.
final class ResumableSession: @unchecked Sendable {
    private let pointer: OpaquePointer

    /// Copies a session; `nil` if the server has given nothing to resume it with.
    init?(copying session: OpaquePointer) {
        guard SSL_SESSION_is_resumable(session) == 1, let copy = SSL_SESSION_dup(session) else { return nil }
        pointer = copy
    }

    deinit {
        SSL_SESSION_free(pointer)
    }

    /// Lets a connection offer this session; one that cannot goes on without.
    ///
    /// - Returns: whether it is offered.
    func offer(by ssl: OpaquePointer) -> Bool {
        ERR_clear_error()
        defer { ERR_clear_error() }
        guard let copy = SSL_SESSION_dup(pointer) else { return false }
        // The connection takes a reference of its own.
        defer { SSL_SESSION_free(copy) }
        return SSL_set_session(ssl, copy) == 1
    }

    /// Whether the server may still take it, as far as is known.
    ///
    /// The shortest limit counts: OpenSSL's own, the server's (RFC 5077 §5.6, RFC 8446 §4.6.1), and the end of the
    /// certificate, which nobody looks at again when the session is resumed.
    ///
    /// - Parameter now: seconds since 1970.
    /// - Returns: whether it is worth offering.
    func isFresh(at now: Int) -> Bool {
        let start = SSL_SESSION_get_time(pointer)
        var end = start + SSL_SESSION_get_timeout(pointer)
        let hint = Int(clamping: SSL_SESSION_get_ticket_lifetime_hint(pointer))
        // Nought means "not said" in TLS 1.2, and "not at all" in TLS 1.3.
        if hint > 0 || SSL_SESSION_get_protocol_version(pointer) == TLS1_3_VERSION { end = min(end, start + hint) }
        if let peer = SSL_SESSION_get0_peer(pointer) {
            end = min(end, Certificate(referencing: peer).notAfter.map { Int($0) } ?? end)
        }
        return start <= now && now < end
    }
}
