/// Everything that a rules file says.
package struct SimulatorRules: Hashable, Sendable {
    /// What happens to requests.
    package var requests: [SimulatorRule] = []
    /// What happens to connections.
    package var connections: [SimulatorConnectionRule] = []
    /// What differs in the treatment of provider tokens.
    package var providerTokens = ProviderTokenRules()
    /// What differs in the stream limits.
    package var streams = StreamRules()

    package init() {}
}

/// The stream limits of every connection; `nil` keeps what the configuration says.
package struct StreamRules: Hashable, Sendable {
    /// Before the first good provider token.
    package var initial: Int?
    /// After it.
    package var regular: Int?
    /// Whether a refusal brings the limit back to 1 until the next 200.
    package var fallsAfterRefusal: Bool?

    package init() {}
}

/// How provider tokens are treated; `nil` keeps what the configuration says.
package struct ProviderTokenRules: Hashable, Sendable {
    /// The reasons that all tokens can be refused with.
    package static let reasons: [DocumentedReason] = [
        .badCertificate, .badCertificateEnvironment, .expiredProviderToken, .forbidden, .invalidProviderToken,
        .missingProviderToken, .unrelatedKeyID, .badEnvironmentKeyID, .tooManyProviderTokenUpdates,
    ]

    package var minimumUpdateInterval: Duration?
    package var maximumAge: Duration?
    package var expiredTokenSticks: Bool?
    package var countsTogether: Bool?
    package var reasonForAll: DocumentedReason?

    package init() {}
}
