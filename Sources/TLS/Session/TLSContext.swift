import COpenSSL
import Glibc

/// Whose signature makes a server's certificate good.
package enum TLSTrust: Hashable, Sendable {
    /// The system's certificate authorities.
    case system
    /// Only the authorities in this PEM file.
    case file(String)
}

/// A certificate with its private key, both in PEM files; the certificate file may hold the chain.
package struct TLSIdentity: Hashable, Sendable {
    package let certificateFile: String
    package let privateKeyFile: String

    package init(certificateFile: String, privateKeyFile: String) {
        self.certificateFile = certificateFile
        self.privateKeyFile = privateKeyFile
    }
}

/// The settings that TLS sessions share: TLS 1.2 or newer; a client always verifies its server.
///
/// Safe to share between threads: OpenSSL counts references to an `SSL_CTX` atomically, and nothing here changes one
/// after it is made.
package final class TLSContext: @unchecked Sendable {
    let pointer: OpaquePointer

    private init(_ pointer: OpaquePointer) {
        self.pointer = pointer
    }

    deinit {
        SSL_CTX_free(pointer)
    }

    /// Settings for connections to servers.
    ///
    /// - Parameters:
    ///   - trust: the authorities that count.
    ///   - identity: a client certificate, where the server asks for one.
    ///   - protocols: offered by ALPN (RFC 7301), most wanted first.
    /// - Returns: settings for any number of sessions.
    /// - Throws: `TLSError.badFile` naming the file.
    package static func client(
        trust: TLSTrust,
        identity: TLSIdentity? = nil,
        protocols: [String]
    ) throws(TLSError) -> TLSContext {
        let context = try make(TLS_client_method())
        SSL_CTX_set_verify(context.pointer, SSL_VERIFY_PEER, nil)
        switch trust {
        case .system:
            guard SSL_CTX_set_default_verify_paths(context.pointer) == 1 else {
                throw .fromQueue(.badFile, "the system's certificate authorities cannot be loaded")
            }
        case .file(let path):
            guard SSL_CTX_load_verify_locations(context.pointer, path, nil) == 1 else {
                throw .fromQueue(.badFile, "the trust file \(path) cannot be loaded")
            }
        }
        if let identity { try context.use(identity) }
        let wire = wireFormat(protocols)
        // This call, unlike nearly all others, answers 0 for success.
        guard SSL_CTX_set_alpn_protos(context.pointer, wire, UInt32(wire.count)) == 0 else {
            throw .fromQueue(.library, "the protocols cannot be offered")
        }
        return context
    }

    /// Settings for connections from clients.
    ///
    /// - Parameters:
    ///   - identity: the server's certificate.
    ///   - protocols: accepted by ALPN; a client that offers others only is turned away. None at all leaves ALPN out.
    /// - Returns: settings for any number of sessions.
    /// - Throws: `TLSError.badFile` naming the file.
    package static func server(identity: TLSIdentity, protocols: [String]) throws(TLSError) -> TLSContext {
        let context = try make(TLS_server_method())
        try context.use(identity)
        guard !protocols.isEmpty else { return context }
        context.accepted = wireFormat(protocols)
        SSL_CTX_set_alpn_select_cb(
            context.pointer,
            { _, selected, selectedLength, offered, offeredLength, argument in
                // The argument is the context itself, which outlives its sessions.
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
            Unmanaged.passUnretained(context).toOpaque()
        )
        return context
    }

    /// The server's ALPN list; set once, before the first session.
    private var accepted: [UInt8] = []

    private static func make(_ method: OpaquePointer?) throws(TLSError) -> TLSContext {
        ignoreBrokenPipes()
        ERR_clear_error()
        guard let pointer = SSL_CTX_new(method) else { throw .fromQueue(.library, "no TLS context") }
        let context = TLSContext(pointer)
        SSL_CTX_set_default_passwd_cb(pointer, refusePassword)
        // HTTP/2 allows neither renegotiation nor compression (RFC 9113 §9.2.1).
        wb_ssl_ctx_forbid_renegotiation_and_compression(pointer)
        _ = wb_ssl_ctx_set_min_proto_version(pointer, TLS1_2_VERSION)
        _ = wb_ssl_ctx_set_mode(
            pointer,
            Int(SSL_MODE_ENABLE_PARTIAL_WRITE) | Int(SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER)
                | Int(SSL_MODE_RELEASE_BUFFERS)
        )
        return context
    }

    private func use(_ identity: TLSIdentity) throws(TLSError) {
        guard SSL_CTX_use_certificate_chain_file(pointer, identity.certificateFile) == 1 else {
            throw .fromQueue(.badFile, "the certificate \(identity.certificateFile) cannot be loaded")
        }
        guard SSL_CTX_use_PrivateKey_file(pointer, identity.privateKeyFile, SSL_FILETYPE_PEM) == 1 else {
            throw .fromQueue(.badFile, "the private key \(identity.privateKeyFile) cannot be loaded")
        }
        guard SSL_CTX_check_private_key(pointer) == 1 else {
            throw .fromQueue(.badFile, "\(identity.privateKeyFile) is not the key of \(identity.certificateFile)")
        }
    }

    private static func wireFormat(_ protocols: [String]) -> [UInt8] {
        protocols.flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) }
    }
}

/// `SSL_write` has no `MSG_NOSIGNAL`: without this, a peer that hangs up would end the process.
private func ignoreBrokenPipes() {
    signal(SIGPIPE, SIG_IGN)
}
