import WaybillEncoding

/// Reads one element of `rules`.
enum RequestRuleReader {
    private typealias Name = RuleVocabulary.Request
    private typealias Members = RuleMembers<RuleVocabulary.Request>

    /// What an answer is made of, beside the faults.
    private static let spoken: [Name] = [
        .status, .reason, .fcm, .timestamp, .body, .interim, .apnsID, .retryAfter, .date, .headersBytes, .bodyBytes,
        .split,
        .emptyData,
        .trailers,
    ]

    static func read(_ value: JSONValue, path: String) throws(RulesFileError) -> SimulatorRule {
        var members = try Members(value, path: path)
        var rule = SimulatorRule(tokenPrefix: try prefix(&members))
        let isFCM = rule.tokenPrefix.hasPrefix("=")
        let firstSpoken = members.first(of: spoken)
        rule.perMinute = try members.integer(.perMinute, in: 0...1_000_000)
        rule.fault = try fault(&members)
        // A rate that says nothing else says what Apple says to too many requests.
        let usual: DocumentedReason? = rule.perMinute != nil && rule.fault == nil ? .tooManyRequests : nil
        rule.answer = try answer(&members, usual: isFCM ? nil : usual)
        if isFCM, usual != nil, firstSpoken == nil { rule.answer = FCMRefusal.deviceQuotaExceeded.answer() }
        rule.delay = try members.milliseconds(.delay) ?? .zero
        rule.jitter = try members.milliseconds(.jitter) ?? .zero
        rule.isEarly = try members.flag(.early)
        rule.times = try members.integer(.times, in: 1...1_000_000_000)
        rule.delivers = try members.flag(.delivers)
        if rule.delivers, !rule.tokenPrefix.hasPrefix("=") {
            throw members.error(.delivers, "goes with registration_prefix only")
        }
        rule.maxConcurrentStreams = try members.integer(.maxConcurrentStreams, in: 0...1_000_000)
        rule.probability = try members.probability(.probability) ?? 1
        try members.finish()
        if let firstSpoken, let fault = rule.fault, !fault.leavesRoomForAnswer {
            throw members.error(
                "\"\(fault.name)\" leaves the request unanswered, but \"\(firstSpoken.rawValue)\" is given"
            )
        }
        return rule
    }

    private static func prefix(_ members: inout Members) throws(RulesFileError) -> String {
        if let target = try members.string(.registrationPrefix) {
            for name in [Name.tokenPrefix, .pathPrefix, .early, .reason, .timestamp, .apnsID] where members.has(name) {
                throw members.error(name, "cannot go with registration_prefix, which is for messages to FCM")
            }
            return SimulatorRule.registrationKey(target)
        }
        if let prefix = members.first(of: [.tokenPrefix]), members.has(.fcm) {
            throw members.error(prefix, "cannot go with fcm, which is FCM's answer: use registration_prefix")
        }
        if let path = try members.string(.pathPrefix) {
            guard path.hasPrefix("/") else { throw members.error(.pathPrefix, "must begin with a slash") }
            if members.has(.tokenPrefix) {
                throw members.error(.tokenPrefix, "cannot go with path_prefix, which is for requests without a token")
            }
            if members.has(.early) { throw members.error(.early, "cannot go with path_prefix") }
            return path
        }
        guard case .string(let prefix) = try members.required(.tokenPrefix),
            prefix.utf8.allSatisfy({ Hexadecimal.value(of: $0) != nil })
        else { throw members.error(.tokenPrefix, "must be a string of hexadecimal digits") }
        return prefix
    }

    private static func answer(
        _ members: inout Members,
        usual: DocumentedReason?
    ) throws(RulesFileError) -> SimulatorAnswer {
        if let refusal = try members.word(.fcm, FCMRefusal.self) {
            for name in [Name.reason, .timestamp, .body, .bodyBytes] where members.has(name) {
                throw members.error(name, "cannot go with fcm, which makes the body by itself")
            }
            var answer = refusal.answer()
            answer.status = try members.integer(.status, in: 200...599) ?? answer.status
            answer.form = try form(&members)
            return answer
        }
        let isSpoken = members.has(.reason) || members.has(.status)
        let reason = try members.string(.reason) ?? (isSpoken ? nil : usual?.rawValue)
        let documented = reason.flatMap { DocumentedReason(rawValue: $0) }
        let givenStatus = try members.integer(.status, in: 200...599)
        guard let status = givenStatus ?? documented?.status ?? (reason == nil ? 200 : nil) else {
            throw members.error(.status, "is needed, for the reason is not one that Apple documents")
        }
        if members.has(.bodyBytes), members.has(.body) || members.has(.timestamp) {
            throw members.error(.bodyBytes, "makes the body by itself: neither body nor timestamp is possible")
        }
        var answer = SimulatorAnswer(status: status, reason: reason, timestamp: status == 410 ? .now : .absent)
        answer.body = try members.string(.body)
        switch members.take(.timestamp) {
        case nil: break
        case .null: answer.timestamp = .absent
        case .integer(let instant): answer.timestamp = .at(instant)
        case .some: throw members.error(.timestamp, "must be milliseconds since 1970, or null")
        }
        answer.form = try form(&members)
        return answer
    }

    private static func form(_ members: inout Members) throws(RulesFileError) -> AnswerForm? {
        var form = AnswerForm()
        for (value, path) in try members.elements(.interim) ?? [] {
            guard case .integer(let status) = value, (100...199).contains(status), status != 101 else {
                throw RulesFileError(path: path, problem: "must be a status from 100 to 199, and not 101")
            }
            form.interim.append(Int(status))
        }
        form.id = try members.word(.apnsID) ?? .echoed
        form.retryAfter = try retryAfter(&members)
        form.date = try headerValue(.date, &members)
        form.headerBytes = try members.integer(.headersBytes, in: 1...AnswerForm.maximumHeaderBytes) ?? 0
        form.bodyBytes = try members.integer(.bodyBytes, in: 1...(64 << 20))
        form.pieceSize = try members.integer(.split, in: 1...16_384)
        form.emptyFrames = try members.integer(.emptyData, in: 1...1_000_000) ?? 0
        form.hasTrailers = try members.flag(.trailers)
        return form == AnswerForm() ? nil : form
    }

    /// Seconds as a number, or a text that is sent as it stands.
    private static func retryAfter(_ members: inout Members) throws(RulesFileError) -> String? {
        switch members.take(.retryAfter) {
        case nil: return nil
        case .integer(let seconds) where seconds >= 0: return String(seconds)
        case .string(let text) where isHeaderValue(text): return text
        case .some:
            throw members.error(.retryAfter, "must be seconds, or a text of at most 100 printable ASCII characters")
        }
    }

    private static func headerValue(_ name: Name, _ members: inout Members) throws(RulesFileError) -> String? {
        guard let text = try members.string(name) else { return nil }
        guard isHeaderValue(text) else {
            throw members.error(name, "must be at most 100 printable ASCII characters")
        }
        return text
    }

    private static func isHeaderValue(_ text: String) -> Bool {
        (1...100).contains(text.utf8.count) && text.utf8.allSatisfy { (0x20...0x7E).contains($0) }
            && !text.hasPrefix(" ") && !text.hasSuffix(" ")
    }

    private static func fault(_ members: inout Members) throws(RulesFileError) -> SimulatorFault? {
        var faults: [SimulatorFault] = []
        let point = try members.word(.resetAfter, SimulatorFault.ResetPoint.self)
        if let code = try members.errorCode(.reset) {
            faults.append(.reset(code, after: point ?? .nothing))
            let ofBody: [Name] = [.body, .timestamp, .bodyBytes, .split, .emptyData, .trailers]
            if point == .headers, let name = members.first(of: ofBody) {
                throw members.error(name, "never leaves: the stream is reset behind the headers")
            }
        } else if point != nil {
            throw members.error(.resetAfter, "goes with reset only")
        }
        if try members.flag(.silence) { faults.append(.silence) }
        if try members.flag(.close) { faults.append(.close) }
        if try members.flag(.closeAfterAnswer) { faults.append(.closeAfterAnswer) }
        if let value = members.take(.goAway) {
            faults.append(.goAway(try GoAwayReader.read(value, path: members.path(.goAway))))
        }
        guard faults.count <= 1 else {
            throw members.error("only one of reset, silence, close, close_after_answer and goaway is possible")
        }
        return faults.first
    }
}
