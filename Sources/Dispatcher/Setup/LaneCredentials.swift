import Settings
import TLS
import WaybillAPNS

/// Makes the lanes' APNs configurations from the settings.
///
/// Lanes that name the same key share one source of provider tokens: Apple counts new tokens, and refuses too many.
struct LaneCredentials {
    private struct KeyName: Hashable {
        let teamID: String
        let keyID: String
        let keyFile: String
    }

    private static let largestKeyFile = 256 * 1024
    private var sources: [KeyName: APNSProviderTokenSource] = [:]

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
            credentials = .token(try source(KeyName(teamID: teamID, keyID: keyID, keyFile: keyFile)))
        case .certificate(let identity):
            credentials = .certificate(APNSCertificate(identity))
        }
        var configuration = APNSConfiguration(endpoint: lane.effectiveEndpoint, credentials: credentials)
        configuration.name = lane.name
        configuration.trust = lane.trustFile.map(APNSTrust.file) ?? .system
        configuration.connections = connections
        configuration.deadlines.request = dispatch.requestTimeout
        configuration.deadlines.unreachable = dispatch.unreachable
        return configuration
    }

    private mutating func source(_ name: KeyName) throws -> APNSProviderTokenSource {
        if let source = sources[name] { return source }
        let pem: [UInt8]
        switch OwnerOnlyFile.read(name.keyFile, limit: Self.largestKeyFile) {
        case .success(let bytes): pem = bytes
        case .failure(let problem): throw SetupError(problem)
        }
        let source = try APNSProviderTokenSource(teamID: name.teamID, keyID: name.keyID, keyPEM: pem)
        sources[name] = source
        return source
    }
}
