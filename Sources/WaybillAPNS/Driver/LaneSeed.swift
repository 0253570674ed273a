import WaybillTLS

/// A lane's configuration, checked, with the TLS context made from it: what may cross to the driver's thread.
struct LaneSeed: Sendable {
    let configuration: APNSConfiguration
    let tlsContext: TLSContext

    /// - Throws: ``APNSSetupError`` for a value that is not allowed, or a certificate that cannot be used.
    init(_ configuration: APNSConfiguration) throws(APNSSetupError) {
        try configuration.validate()
        self.configuration = configuration
        let options = try Self.options(configuration)
        do {
            tlsContext = try TLSContext.client(options)
        } catch {
            throw APNSSetupError(.credentials, "lane \(configuration.name): \(error)")
        }
    }

    private static func options(_ configuration: APNSConfiguration) throws(APNSSetupError) -> TLSClientOptions {
        var options = TLSClientOptions()
        options.protocols = ["h2"]
        options.trust = TLSTrust(configuration.trust)
        options.versions =
            TLSVersion(configuration.tlsVersions.lowerBound)...TLSVersion(configuration.tlsVersions.upperBound)
        if case .certificate(let certificate) = configuration.credentials { options.identity = certificate.identity }
        for pin in configuration.pins {
            guard let pin = TLSPin(base64: pin.base64) else {
                throw APNSSetupError(
                    .invalidConfiguration,
                    "lane \(configuration.name): a pin must be the 44 characters of a SHA-256 digest in base64"
                )
            }
            options.pins.append(pin)
        }
        return options
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
        case .certificates(let pem): self = .certificates(pem)
        }
    }
}

extension TLSVersion {
    fileprivate init(_ version: APNSTLSVersion) {
        switch version {
        case .tls12: self = .tls12
        case .tls13: self = .tls13
        }
    }
}
