import WaybillAPNS

/// Makes the credentials of lanes to APNs from their settings.
///
/// Lanes with the same key, from whatever file, share one source of provider tokens: Apple counts new tokens, and refuses
/// too many.
struct APNSLaneCredentials {
    private var sources: [ProviderKeyIdentity: APNSProviderTokenSource] = [:]

    /// The credentials of one lane.
    ///
    /// - Parameters:
    ///   - settings: what they are.
    ///   - key: what stands in the key file.
    /// - Returns: what connections or requests of the lane carry.
    /// - Throws: `APNSSetupError` naming what is wrong with the key.
    mutating func make(_ settings: APNSLaneSettings, key: [UInt8]?) throws -> APNSCredentials {
        switch settings.credentials {
        case .token(let teamID, let keyID, _):
            .token(try source(teamID: teamID, keyID: keyID, keyPEM: key ?? []))
        case .certificate(let identity):
            .certificate(APNSCertificate(identity))
        }
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
