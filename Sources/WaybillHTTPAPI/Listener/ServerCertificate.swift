import NIOCore
import NIOSSL
import WaybillSettings
import WaybillThreads

/// The server's certificate and key, read again when the files change: a connection gets those that are there when it begins.
final class ServerCertificate: Sendable {
    private struct Content: Sendable {
        var certificates: [UInt8]
        var privateKey: [UInt8]
        var override: NIOSSLContextConfigurationOverride
    }

    private let files: ServeSettings.Certificate
    private let content: Guarded<Content>

    /// - Throws: `OwnerOnlyFile.Problem` for a file that cannot be used, else what the TLS library says.
    init(_ files: ServeSettings.Certificate) throws {
        self.files = files
        content = Guarded(try Self.read(files))
    }

    /// Looks at the files.
    ///
    /// - Returns: whether there is something new in them.
    /// - Throws: when that cannot be used; what was there before goes on.
    func reload() throws -> Bool {
        let (certificates, privateKey) = try files.read()
        let isNew = content.withLock { $0.certificates != certificates || $0.privateKey != privateKey }
        guard isNew else { return false }
        let new = try Self.read(files)
        content.withLock { $0 = new }
        return true
    }

    /// The settings of a listener: TLS 1.2 at the least, HTTP/1.1.
    func configuration() throws -> TLSConfiguration {
        let first = content.withLock { $0.override }
        guard let chain = first.certificateChain, let key = first.privateKey else {
            throw NIOSSLError.failedToLoadCertificate
        }
        var configuration = TLSConfiguration.makeServerConfiguration(certificateChain: chain, privateKey: key)
        configuration.minimumTLSVersion = .tlsv12
        configuration.applicationProtocols = ["http/1.1"]
        configuration.sslContextCallback = { [self] _, promise in
            promise.succeed(content.withLock { $0.override })
        }
        return configuration
    }

    private static func read(_ files: ServeSettings.Certificate) throws -> Content {
        let (certificates, privateKey) = try files.read()
        let chain = try NIOSSLCertificate.fromPEMBytes(certificates)
        let key = try NIOSSLPrivateKey(bytes: privateKey, format: .pem)
        var override = NIOSSLContextConfigurationOverride()
        override.certificateChain = chain.map { .certificate($0) }
        override.privateKey = .privateKey(key)
        // Whether both halves belong together shows when a context is made of them.
        _ = try NIOSSLContext(
            configuration: .makeServerConfiguration(
                certificateChain: chain.map { .certificate($0) },
                privateKey: .privateKey(key)
            )
        )
        return Content(certificates: certificates, privateKey: privateKey, override: override)
    }
}
