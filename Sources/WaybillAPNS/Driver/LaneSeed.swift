import TLS

/// A lane's configuration, checked, with the TLS context made from it: what may cross to the driver's thread.
struct LaneSeed: Sendable {
    let configuration: APNSConfiguration
    let tlsContext: TLSContext

    /// - Throws: ``APNSSetupError`` for a value that is not allowed, or a certificate that cannot be used.
    init(_ configuration: APNSConfiguration) throws(APNSSetupError) {
        try configuration.validate()
        self.configuration = configuration
        var identity: TLSIdentity?
        if case .certificate(let certificate) = configuration.credentials { identity = certificate.identity }
        do {
            tlsContext = try TLSContext.client(
                trust: TLSTrust(configuration.trust),
                identity: identity,
                protocols: ["h2"]
            )
        } catch {
            throw APNSSetupError(.credentials, "lane \(configuration.name): \(error)")
        }
    }

    /// What connections prove their sender with.
    func access(generation: Int) -> LaneAccess {
        LaneAccess(
            generation: generation,
            tokenSource: configuration.credentials.tokenSource,
            tlsContext: tlsContext
        )
    }
}

extension TLSTrust {
    fileprivate init(_ trust: APNSTrust) {
        switch trust {
        case .system: self = .system
        case .file(let path): self = .file(path)
        case .certificates: self = .system
        }
    }
}
