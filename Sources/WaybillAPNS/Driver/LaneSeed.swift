import TLS

/// A lane's configuration, checked, with the TLS context made from it: what may cross to the driver's thread.
struct LaneSeed: Sendable {
    let configuration: APNSLaneConfiguration
    let tlsContext: TLSContext

    /// - Throws: ``APNSDriverError`` for a value that is not allowed, or a certificate that cannot be used.
    init(_ configuration: APNSLaneConfiguration) throws(APNSDriverError) {
        try configuration.validate()
        self.configuration = configuration
        var identity: TLSIdentity?
        if case .certificate(let certificate) = configuration.credentials { identity = certificate }
        do {
            tlsContext = try TLSContext.client(trust: configuration.trust, identity: identity, protocols: ["h2"])
        } catch {
            throw APNSDriverError(.credentials, "lane \(configuration.name): \(error)")
        }
    }
}
