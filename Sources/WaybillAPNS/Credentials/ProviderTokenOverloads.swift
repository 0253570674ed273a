/// For callers that cannot wait for a signer.
extension APNSProviderTokenSource {
    package func current(at now: APNSInstant) throws(APNSSetupError) -> APNSProviderToken {
        if let token = try current(at: now, whenReady: {}) { return token }
        throw APNSSetupError(.credentials, "the provider token is being signed")
    }

    package func refused(_ token: APNSProviderToken, at now: APNSInstant) -> APNSProviderToken? {
        refused(serial: token.serial, at: now)
    }

    func refused(serial: Int, at now: APNSInstant) -> APNSProviderToken? {
        guard refused(serial: serial, at: now, whenReady: {}) else { return nil }
        return try? current(at: now, whenReady: {})
    }
}
