import WaybillPushTransport
import WaybillTLS

extension LaneSeed {
    /// Checks a configuration and makes what the transport wants of it.
    ///
    /// - Throws: ``APNSSetupError`` for a value that is not allowed, or a certificate that cannot be used.
    init(_ configuration: APNSConfiguration) throws(APNSSetupError) {
        try configuration.validate()
        let tlsContext: TLSContext
        do {
            tlsContext = try TLSContext.client(try TLSClientOptions(configuration))
        } catch let error as APNSSetupError {
            throw error
        } catch {
            throw APNSSetupError(.credentials, "lane \(configuration.name): \(error)")
        }
        let tokenSource = configuration.credentials.tokenSource
        self.init(
            settings: TransportSettings(configuration),
            credentials: TransportCredentials(
                tokenSource: tokenSource,
                tlsContext: tlsContext,
                // With a token APNs allows one request until the first with a good token is answered (Apple, "Sending
                // notification requests to APNs").
                startsWithOneStream: tokenSource != nil
            )
        )
    }
}

extension TransportSettings {
    fileprivate init(_ configuration: APNSConfiguration) {
        let endpoint = configuration.endpoint
        self.init(name: configuration.name, endpoint: Endpoint(host: endpoint.host, port: endpoint.port))
        proxy = configuration.proxy?.settings
        sourceAddress = configuration.sourceAddress.flatMap { SocketAddress.literal($0, port: 0) }
        connections = configuration.connections
        connectionSpacing = configuration.connectionSpacing
        deadlines = TransportDeadlines(configuration.deadlines)
        reconnect.first = configuration.reconnect.first
        reconnect.longest = configuration.reconnect.longest
        firstStream = configuration.firstStream
        addresses = configuration.addresses
    }
}

extension TransportDeadlines {
    init(_ deadlines: APNSDeadlines) {
        self.init()
        resolve = deadlines.resolve
        connect = deadlines.connect
        nextAddress = deadlines.nextAddress
        handshake = deadlines.handshake
        settings = deadlines.settings
        request = deadlines.request
        pingInterval = deadlines.pingInterval
        pingAnswer = deadlines.pingAnswer
        close = deadlines.close
        idleSurplus = deadlines.idleSurplus
        unreachable = deadlines.unreachable
        waiting = deadlines.waiting
    }
}

extension TLSClientOptions {
    fileprivate init(_ configuration: APNSConfiguration) throws(APNSSetupError) {
        self.init()
        protocols = ["h2"]
        trust = TLSTrust(configuration.trust)
        versions = TLSVersion(configuration.tlsVersions.lowerBound)...TLSVersion(configuration.tlsVersions.upperBound)
        if case .certificate(let certificate) = configuration.credentials { identity = certificate.identity }
        for pin in configuration.pins {
            guard let pin = TLSPin(base64: pin.base64) else {
                throw APNSSetupError(
                    .invalidConfiguration,
                    "lane \(configuration.name): a pin must be the 44 characters of a SHA-256 digest in base64"
                )
            }
            pins.append(pin)
        }
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
