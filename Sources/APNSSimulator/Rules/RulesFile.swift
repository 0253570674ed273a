/// Reads a rules file: strict JSON, where every unknown or contradictory member is an error.
///
/// ```json
/// {"rules": [
///     {"token_prefix": "dead", "status": 410, "reason": "Unregistered", "timestamp": 1700000000000},
///     {"token_prefix": "b0", "reason": "ServiceUnavailable", "times": 2, "delay_ms": 250},
///     {"token_prefix": "c0", "goaway": {"reason": "Shutdown", "last_stream": "none"}, "times": 1}
/// ]}
/// ```
///
/// The members are those of ``SimulatorRule``: `token_prefix` (needed), `status`, `reason`, `timestamp` (milliseconds,
/// or null for none), `body`, `delay_ms`, `times`, `probability`, `max_concurrent_streams`, and one of the faults `reset`
/// (an RFC 9113 name), `silence` (true), `close` (true) and `goaway` (`reason`, `error_code`, `last_stream`, `close`).
/// A documented reason brings its status along. A 410 without `timestamp` carries the moment of the answer.
package enum RulesFile {
    /// Reads a rules file.
    package static func read(_ path: String) throws(SimulatorError) -> [SimulatorRule] {
        let bytes = try TextFile.read(path)
        do {
            return try parse(bytes)
        } catch {
            throw SimulatorError("\(path): \(error)")
        }
    }

    /// Reads the text of a rules file.
    package static func parse(_ bytes: [UInt8]) throws(RulesFileError) -> [SimulatorRule] {
        let document: JSONValue
        do {
            document = try JSONParser.parse(bytes)
        } catch {
            throw RulesFileError(path: "", problem: "not JSON: \(error)")
        }
        var reader = try RuleMembers(document, path: "")
        guard case .array(let elements) = try reader.required("rules") else {
            throw RulesFileError(path: "rules", problem: "must be an array")
        }
        try reader.finish()
        var rules: [SimulatorRule] = []
        for (index, element) in elements.enumerated() {
            rules.append(try rule(element, path: "rules[\(index)]"))
        }
        return rules
    }

    private static func rule(_ value: JSONValue, path: String) throws(RulesFileError) -> SimulatorRule {
        var members = try RuleMembers(value, path: path)
        var rule = SimulatorRule(tokenPrefix: try tokenPrefix(&members))
        let speaks = members.has("status") || members.has("reason") || members.has("timestamp") || members.has("body")
        rule.answer = try answer(&members)
        rule.fault = try fault(&members)
        if let delay = try members.integer("delay_ms", in: 0...86_400_000) { rule.delay = .milliseconds(delay) }
        rule.times = try members.integer("times", in: 1...1_000_000_000)
        rule.maxConcurrentStreams = try members.integer("max_concurrent_streams", in: 0...1_000_000)
        if let probability = try members.number("probability") {
            guard probability > 0, probability <= 1 else {
                throw members.error("probability", "must be above 0 and at most 1")
            }
            rule.probability = probability
        }
        try members.finish()
        if speaks, let fault = rule.fault, !fault.leavesRoomForAnswer {
            throw RulesFileError(
                path: path,
                problem: "\"\(fault.name)\" leaves the request unanswered, but an answer is given"
            )
        }
        return rule
    }

    private static func tokenPrefix(_ members: inout RuleMembers) throws(RulesFileError) -> String {
        guard case .string(let prefix) = try members.required("token_prefix"),
            prefix.utf8.allSatisfy({ Hexadecimal.value(of: $0) != nil })
        else { throw members.error("token_prefix", "must be a string of hexadecimal digits") }
        return prefix
    }

    private static func answer(_ members: inout RuleMembers) throws(RulesFileError) -> SimulatorAnswer {
        let reason = try members.string("reason")
        let documented = reason.flatMap { DocumentedReason(rawValue: $0) }
        let givenStatus = try members.integer("status", in: 200...599)
        guard let status = givenStatus ?? documented?.status ?? (reason == nil ? 200 : nil) else {
            throw members.error("status", "is needed, for the reason is not one that Apple documents")
        }
        var answer = SimulatorAnswer(status: status, reason: reason, timestamp: status == 410 ? .now : .absent)
        answer.body = try members.string("body")
        switch members.take("timestamp") {
        case nil: break
        case .null: answer.timestamp = .absent
        case .integer(let instant): answer.timestamp = .at(instant)
        case .some: throw members.error("timestamp", "must be milliseconds since 1970, or null")
        }
        return answer
    }

    private static func fault(_ members: inout RuleMembers) throws(RulesFileError) -> SimulatorFault? {
        var faults: [SimulatorFault] = []
        if let name = try members.string("reset") {
            guard let code = HTTP2ErrorCode(name: name) else {
                throw members.error("reset", "must be one of \(HTTP2ErrorCode.names.joined(separator: ", "))")
            }
            faults.append(.reset(code))
        }
        if try members.flag("silence") { faults.append(.silence) }
        if try members.flag("close") { faults.append(.close) }
        if let value = members.take("goaway") {
            faults.append(.goAway(try goAway(value, path: members.path("goaway"))))
        }
        guard faults.count <= 1 else {
            throw members.error("", "only one of reset, silence, close and goaway is possible")
        }
        return faults.first
    }

    private static func goAway(_ value: JSONValue, path: String) throws(RulesFileError) -> SimulatorGoAway {
        var members = try RuleMembers(value, path: path)
        var goAway = SimulatorGoAway(reason: try members.string("reason"))
        if let name = try members.string("error_code") {
            guard let code = HTTP2ErrorCode(name: name) else {
                throw members.error("error_code", "must be one of \(HTTP2ErrorCode.names.joined(separator: ", "))")
            }
            goAway.errorCode = code
        }
        if let name = try members.string("last_stream") {
            guard let lastStream = SimulatorGoAway.LastStream(rawValue: name) else {
                throw members.error("last_stream", "must be \"all\" or \"none\"")
            }
            goAway.lastStream = lastStream
        }
        goAway.closes = try members.flag("close")
        try members.finish()
        return goAway
    }
}

extension SimulatorFault {
    /// Whether a request that meets the fault is answered all the same.
    package var leavesRoomForAnswer: Bool {
        switch self {
        case .reset, .silence, .close: false
        case .goAway(let goAway): goAway.lastStream == .all && !goAway.closes
        }
    }
}
