/// Reads a rules file: strict JSON, where every unknown or contradictory member is an error.
///
/// ```json
/// {
///     "rules": [
///         {"token_prefix": "dead", "status": 410, "reason": "Unregistered", "timestamp": 1700000000000},
///         {"token_prefix": "b0", "reason": "ServiceUnavailable", "times": 2, "delay_ms": 250},
///         {"token_prefix": "c0", "goaway": {"reason": "Shutdown", "last_stream": "none"}, "times": 1}
///     ],
///     "connections": [{"skip": 1, "times": 2, "tls": "silence"}],
///     "streams": {"regular": 500}
/// }
/// ```
///
/// `schemas/simulator-rules.schema.json` describes every member.
package enum RulesFile {
    /// Reads a rules file.
    package static func read(_ path: String) throws(SimulatorError) -> SimulatorRules {
        let bytes = try TextFile.read(path)
        do {
            return try parse(bytes)
        } catch {
            throw SimulatorError("\(path): \(error)")
        }
    }

    /// Reads the text of a rules file.
    package static func parse(_ bytes: [UInt8]) throws(RulesFileError) -> SimulatorRules {
        let document: JSONValue
        do {
            document = try JSONParser.parse(bytes)
        } catch {
            throw RulesFileError(path: "", problem: "not JSON: \(error)")
        }
        var members = try RuleMembers<RuleVocabulary.Document>(document, path: "")
        var rules = SimulatorRules()
        guard members.first(of: RuleVocabulary.Document.allCases) != nil else { throw members.error("says nothing") }
        for (value, path) in try members.elements(.rules) ?? [] {
            rules.requests.append(try RequestRuleReader.read(value, path: path))
        }
        for (value, path) in try members.elements(.connections) ?? [] {
            rules.connections.append(try ConnectionRuleReader.read(value, path: path))
        }
        if let value = members.take(.providerTokens) {
            rules.providerTokens = try providerTokens(value, path: members.path(.providerTokens))
        }
        if let value = members.take(.streams) {
            rules.streams = try streams(value, path: members.path(.streams))
        }
        try members.finish()
        return rules
    }

    private static func providerTokens(_ value: JSONValue, path: String) throws(RulesFileError) -> ProviderTokenRules {
        var members = try RuleMembers<RuleVocabulary.ProviderTokens>(value, path: path)
        var rules = ProviderTokenRules()
        rules.minimumUpdateInterval = try members.integer(.minimumUpdateInterval, in: 0...86_400).map { .seconds($0) }
        rules.maximumAge = try members.integer(.maximumAge, in: 1...86_400).map { .seconds($0) }
        rules.expiredTokenSticks = try members.optionalFlag(.expiredTokenSticks)
        rules.countsTogether = try members.optionalFlag(.together)
        if let reason = try members.word(.reasonForAll, DocumentedReason.self) {
            guard ProviderTokenRules.reasons.contains(reason) else {
                let names = ProviderTokenRules.reasons.map(\.rawValue).joined(separator: ", ")
                throw members.error(.reasonForAll, "must be one of \(names)")
            }
            rules.reasonForAll = reason
        }
        try members.finish()
        return rules
    }

    private static func streams(_ value: JSONValue, path: String) throws(RulesFileError) -> StreamRules {
        var members = try RuleMembers<RuleVocabulary.Streams>(value, path: path)
        var rules = StreamRules()
        rules.initial = try members.integer(.initial, in: 0...1_000_000)
        rules.regular = try members.integer(.regular, in: 1...1_000_000)
        rules.fallsAfterRefusal = try members.optionalFlag(.fallsAfterRefusal)
        try members.finish()
        return rules
    }
}
