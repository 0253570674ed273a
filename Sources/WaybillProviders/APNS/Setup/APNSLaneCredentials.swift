import WaybillAPNS

/// Makes the lanes' APNs configurations from their settings.
///
/// Lanes with the same key, from whatever file, share one source of provider tokens: Apple counts new tokens, and refuses
/// too many.
struct APNSLaneCredentials {
    private var sources: [ProviderKeyIdentity: APNSProviderTokenSource] = [:]

    /// The configuration of one lane.
    ///
    /// - Throws: `APNSSetupError` naming what is wrong with the key.
    mutating func makeConfiguration(
        _ setup: LaneSetup,
        _ settings: APNSLaneSettings,
        _ patience: SendPatience
    ) throws -> APNSConfiguration {
        let lane = setup.settings
        let credentials: APNSCredentials
        switch settings.credentials {
        case .token(let teamID, let keyID, _):
            credentials = .token(try source(teamID: teamID, keyID: keyID, keyPEM: setup.key ?? []))
        case .certificate(let identity):
            credentials = .certificate(APNSCertificate(identity))
        }
        var configuration = APNSConfiguration(
            endpoint: APNSEndpoint(host: lane.effectiveEndpoint.host, port: lane.effectiveEndpoint.port),
            credentials: credentials
        )
        configuration.name = lane.name
        configuration.trust = lane.trustFile.map(APNSTrust.file) ?? .system
        configuration.tokenBundleID = settings.rules.bundleID
        configuration.connections = setup.connections
        configuration.deadlines.request = patience.request
        configuration.deadlines.unreachable = patience.unreachable
        return configuration
    }

    private mutating func source(teamID: String, keyID: String, keyPEM: [UInt8]) throws -> APNSProviderTokenSource {
        let source = try APNSProviderTokenSource(teamID: teamID, keyID: keyID, keyPEM: keyPEM)
        // A source that is made from a key file has an identity.
        guard let identity = source.identity else { return source }
        if let shared = sources[identity] { return shared }
        sources[identity] = source
        return source
    }
}
