import CWaybillOpenSSL
import Glibc

/// The settings that TLS sessions share: TLS 1.2 or newer; a client always verifies its server.
///
/// Safe to share between threads: OpenSSL counts references to an `SSL_CTX` atomically, nothing here changes one after it
/// is made, and the remembered sessions stand behind a lock of their own.
package final class TLSContext: @unchecked Sendable {
    let pointer: OpaquePointer
    /// What a server accepts by ALPN, as it stands in the message.
    let accepted: [UInt8]
    /// What a client wants to find in the server's chain; empty for no such wish.
    let pins: Set<TLSPin>
    /// What a client's sessions may resume; `nil` if they do not.
    let sessions: SessionCache?

    /// Creates what both roles share.
    ///
    /// C callbacks get the context itself as their argument. It outlives them: a session keeps its context.
    init(
        _ method: OpaquePointer?,
        versions: ClosedRange<TLSVersion>,
        accepted: [UInt8] = [],
        pins: Set<TLSPin> = [],
        sessions: SessionCache? = nil
    ) throws(TLSError) {
        ignoreBrokenPipes()
        ERR_clear_error()
        guard let pointer = SSL_CTX_new(method) else { throw .fromQueue(.library, "no TLS context") }
        self.pointer = pointer
        self.accepted = accepted
        self.pins = pins
        self.sessions = sessions
        SSL_CTX_set_default_passwd_cb(pointer, refusePassword)
        // HTTP/2 allows neither renegotiation nor compression (RFC 9113 §9.2.1).
        wb_ssl_ctx_forbid_renegotiation_and_compression(pointer)
        guard wb_ssl_ctx_set_min_proto_version(pointer, versions.lowerBound.number) == 1,
            wb_ssl_ctx_set_max_proto_version(pointer, versions.upperBound.number) == 1
        else { throw .fromQueue(.library, "the versions of TLS cannot be set") }
        _ = wb_ssl_ctx_set_mode(
            pointer,
            Int(SSL_MODE_ENABLE_PARTIAL_WRITE) | Int(SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER)
                | Int(SSL_MODE_RELEASE_BUFFERS)
        )
    }

    deinit {
        SSL_CTX_free(pointer)
    }

    /// Makes the sessions show an identity.
    ///
    /// - Throws: `TLSError.badFile` saying which part is at fault.
    func use(_ identity: TLSIdentity) throws(TLSError) {
        let material = try KeyMaterial(identity)
        let result = Stack.with(material.chain) { chain in
            SSL_CTX_use_cert_and_key(
                pointer,
                material.certificate.pointer,
                material.privateKey.pointer,
                // An empty list would keep OpenSSL from looking for the chain among the trusted authorities.
                material.chain.isEmpty ? nil : chain,
                1
            )
        }
        withExtendedLifetime(material) {}
        guard result == 1 else { throw .fromQueue(.badFile, "\(identity) cannot be used") }
    }

    /// Protocols as ALPN writes them: each with its length in front (RFC 7301 §3.1).
    static func wireFormat(_ protocols: [String]) -> [UInt8] {
        protocols.flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) }
    }
}

/// `SSL_write` has no `MSG_NOSIGNAL`: without this, a peer that hangs up would end the process.
private func ignoreBrokenPipes() {
    signal(SIGPIPE, SIG_IGN)
}
