import WaybillAPNS
import WaybillSettings
import WaybillTLS

/// Makes the lanes' APNs configurations from the settings.
///
/// Lanes with the same key, from whatever file, share one source of provider tokens: Apple counts new tokens, and refuses
/// too many.
struct LaneCredentials {
    private static let largestKeyFile = 256 * 1024
    private var sources: [ProviderKeyIdentity: APNSProviderTokenSource] = [:]

    /// The configuration of one lane, its key loaded; `connections` is how many it may hold of those that it asks for.
    ///
    /// - Throws: `SetupError` or `APNSSetupError` naming the file or value.
    mutating func makeConfiguration(
        _ lane: LaneSettings,
        _ dispatch: DispatchSettings,
        connections: Int
    ) throws -> APNSConfiguration {
        let credentials: APNSCredentials
        switch lane.credentials {
        case .token(let teamID, let keyID, let keyFile):
            credentials = .token(try source(teamID: teamID, keyID: keyID, keyFile: keyFile))
        case .certificate(let identity):
            credentials = .certificate(APNSCertificate(identity))
        }
        var configuration = APNSConfiguration(endpoint: lane.effectiveEndpoint, credentials: credentials)
        configuration.name = lane.name
        configuration.trust = lane.trustFile.map(APNSTrust.file) ?? .system
        configuration.tokenBundleID = lane.bundleID
        configuration.connections = connections
        configuration.deadlines.request = dispatch.requestTimeout
        configuration.deadlines.unreachable = dispatch.unreachable
        return configuration
    }

    private mutating func source(teamID: String, keyID: String, keyFile: String) throws -> APNSProviderTokenSource {
        let pem: [UInt8]
        switch OwnerOnlyFile.read(keyFile, limit: Self.largestKeyFile) {
        case .success(let bytes): pem = bytes
        case .failure(let problem): throw SetupError(problem)
        }
        let source = try APNSProviderTokenSource(teamID: teamID, keyID: keyID, keyPEM: pem)
        // A source that is made from a key file has an identity.
        guard let identity = source.identity else { return source }
        if let shared = sources[identity] { return shared }
        sources[identity] = source
        return source
    }
}
