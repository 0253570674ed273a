import WaybillTLS

/// Verifies one provider token against the known keys; pure.
package struct ProviderTokenVerifier: Sendable {
    /// An `iat` older than this is expired (Apple: one hour).
    package static let maximumAge = Duration.seconds(3600)
    /// How far an `iat` may lie in the future (seconds): clocks differ a little.
    package static let maximumLead: Int64 = 60

    private let authentication: SimulatorAuthentication

    package init(authentication: SimulatorAuthentication) {
        self.authentication = authentication
    }

    /// Whether requests must show a token at all.
    package var needsToken: Bool {
        if case .none = authentication { false } else { true }
    }

    /// Reads a header and checks who made its token.
    ///
    /// The age is judged apart, for it changes.
    package func verify(_ authorization: ArraySlice<UInt8>) -> Result<ProviderToken, ProviderTokenRefusal> {
        guard let token = ProviderToken(authorization: authorization) else { return .failure(.invalid) }
        switch authentication {
        case .none, .anyToken: return .success(token)
        case .keys(let keys):
            let isGood = keys.contains { key in
                key.keyID == token.keyID && key.teamID == token.teamID
                    && key.publicKey.isValid(signature: token.signature, for: token.signedText)
            }
            return isGood ? .success(token) : .failure(.invalid)
        }
    }

    /// Whether a token may be used at a time, in seconds since 1970.
    package static func isCurrent(
        _ token: ProviderToken,
        at now: Int64,
        maximumAge: Duration = Self.maximumAge
    ) -> Bool {
        // Not `now - issuedAt`: a hostile `iat` must not overflow.
        let (age, overflow) = now.subtractingReportingOverflow(token.issuedAt)
        return !overflow && age <= maximumAge.components.seconds && age >= -maximumLead
    }
}

/// Why a token is no good whatever the time is.
package enum ProviderTokenRefusal: Error, Sendable {
    /// Not a provider token, an unknown key, another team, or a wrong signature.
    case invalid
}
