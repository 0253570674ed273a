extension SimulatorRules {
    /// Puts the rules into a configuration; what the file does not mention stays as it is.
    package func apply(to configuration: inout SimulatorConfiguration) {
        configuration.rules = requests
        configuration.connectionRules = connections
        configuration.initialStreamLimit = streams.initial ?? configuration.initialStreamLimit
        configuration.streamLimit = streams.regular ?? configuration.streamLimit
        configuration.streamLimitFallsAfterRefusal =
            streams.fallsAfterRefusal ?? configuration.streamLimitFallsAfterRefusal
        providerTokens.apply(to: &configuration.tokenPolicy)
    }
}

extension ProviderTokenRules {
    fileprivate func apply(to policy: inout ProviderTokenCheck.Policy) {
        policy.minimumUpdateInterval = minimumUpdateInterval ?? policy.minimumUpdateInterval
        policy.maximumAge = maximumAge ?? policy.maximumAge
        policy.expiredTokenSticks = expiredTokenSticks ?? policy.expiredTokenSticks
        policy.countsTogether = countsTogether ?? policy.countsTogether
        policy.reasonForAll = reasonForAll ?? policy.reasonForAll
    }
}
