import WaybillThreads

/// Decides what happens with complete requests: validation, then rules, then the record.
///
/// Input: headers, payload and what the connection knows of its provider tokens. Output: a ``Decision``, entered in
/// journal and record before anybody acts on it. Lives on the server's thread.
final class RequestHandler {
    private let validator: RequestValidator
    private let latency: Duration
    private let keepsRequests: Bool
    private let rules: SharedRules
    private let journal: SimulatorJournal
    private var recordFile: RecordFile?
    private let history = ProviderTokenHistory()
    private let channels: ChannelHandler
    /// `nil` where the simulator plays APNs.
    private let fcm: FCMHandler?

    init(
        configuration: SimulatorConfiguration,
        rules: SharedRules,
        channels: SimulatorChannels,
        fcm: FCMService?,
        journal: SimulatorJournal
    ) throws(SimulatorError) {
        self.channels = ChannelHandler(policy: configuration.validation, channels: channels)
        validator = RequestValidator(policy: configuration.validation)
        if let simulation = configuration.fcm, let fcm {
            self.fcm = FCMHandler(simulation: simulation, service: fcm, rules: rules)
        } else {
            self.fcm = nil
        }
        latency = configuration.latency
        keepsRequests = configuration.keepsRequests
        self.rules = rules
        self.journal = journal
        if let path = configuration.recordFile { recordFile = try RecordFile(path: path) }
    }

    /// Decides about a request of which only the headers have come, if a rule wants that.
    ///
    /// - Returns: `nil` when the request has to come whole.
    func decideEarly(
        _ request: RequestInProgress,
        tokens: inout ProviderTokenCheck,
        certificate: ProviderCertificate?,
        connection: Int
    ) -> Decision? {
        guard fcm == nil, rules.hasEarlyRules else { return nil }
        let now = WallClock.milliseconds()
        let time = MonotonicTime.now()
        var tokenWasGood = false
        let refusal = validator.refusal(head: request.head, certificate: certificate) { authorization in
            let refusal = tokens.refusal(of: authorization, seconds: now / 1000, time: time, history: history)
            tokenWasGood = refusal == nil
            return refusal
        }
        guard refusal == nil else { return nil }
        let rule = rule(for: request, at: time)
        guard let rule, rule.isEarly else {
            // The rule is used up now; the whole request meets it again.
            request.rule = .some(rule)
            return nil
        }
        var decision = Decision(answer: .accepted, delay: latency, tokenWasGood: tokenWasGood)
        apply(rule, to: &decision)
        enter(request, decision, connection: connection, date: now, time: time)
        return decision
    }

    /// Enters a request that comes to a connection which says nothing any more.
    func enterUnanswered(_ request: RequestInProgress, connection: Int) {
        let decision = Decision(answer: nil, fault: .mute, delay: .zero, tokenWasGood: false)
        enter(request, decision, connection: connection, date: WallClock.milliseconds(), time: .now())
    }

    /// Decides about one request.
    func decide(
        _ request: RequestInProgress,
        tokens: inout ProviderTokenCheck,
        certificate: ProviderCertificate?,
        connection: Int
    ) -> Decision {
        let now = WallClock.milliseconds()
        let time = MonotonicTime.now()
        if let fcm {
            let decision = decide(request, by: fcm, seconds: now / 1000, at: time)
            enter(request, decision, connection: connection, date: now, time: time)
            return decision
        }
        var tokenWasGood = false
        let authenticate = { (authorization: ArraySlice<UInt8>?) -> DocumentedReason? in
            let refusal = tokens.refusal(of: authorization, seconds: now / 1000, time: time, history: self.history)
            tokenWasGood = refusal == nil
            return refusal
        }
        let target = ChannelTarget(request.head)
        request.isAboutChannels = target != nil
        let refusal =
            if let target {
                channels.refusal(
                    of: request,
                    target: target,
                    certificate: certificate,
                    authenticate: authenticate
                )
            } else {
                validator.refusal(
                    head: request.head,
                    payload: request.payload,
                    certificate: certificate,
                    authenticate: authenticate
                )
            }
        if certificate != nil { tokenWasGood = refusal == nil }
        var decision = Decision(answer: .accepted, delay: latency, tokenWasGood: tokenWasGood)
        if let refusal {
            decision.answer = .documented(refusal)
        } else {
            apply(request.rule ?? rule(for: request, at: time), to: &decision)
            if let target, decision.answer == .accepted {
                decision.answer = channels.answer(request, target: target)
            }
        }
        enter(request, decision, connection: connection, date: now, time: time)
        return decision
    }

    private func decide(
        _ request: RequestInProgress,
        by fcm: FCMHandler,
        seconds: Int64,
        at time: MonotonicTime
    ) -> Decision {
        let (answer, rule) = fcm.decide(request, seconds: seconds, at: time)
        var decision = Decision(answer: answer, delay: latency, tokenWasGood: true)
        guard let rule else { return decision }
        decision.fault = rule.fault
        if rule.fault?.leavesRoomForAnswer == false { decision.answer = nil }
        decision.delay += rule.delay
        decision.maxConcurrentStreams = rule.maxConcurrentStreams
        if let form = rule.answer.form { decision.answer?.form = form }
        return decision
    }

    /// When the record file is due for writing.
    var deadline: MonotonicTime? { recordFile?.deadline }

    /// Writes the record file.
    func flush() {
        writeRecord { file throws(SimulatorError) in try file.flush() }
    }

    private func rule(for request: RequestInProgress, at time: MonotonicTime) -> SimulatorRule? {
        if request.isAboutChannels { return request.head[.path].flatMap { rules.rule(for: $0, at: time) } }
        guard case .token(let token) = RequestValidator.target(request.head) else { return nil }
        return rules.rule(for: token, at: time)
    }

    private func apply(_ rule: SimulatorRule?, to decision: inout Decision) {
        guard let rule else { return }
        decision.fault = rule.fault
        decision.answer = rule.fault?.leavesRoomForAnswer == false ? nil : rule.answer
        decision.delay += rule.delay
        decision.maxConcurrentStreams = rule.maxConcurrentStreams
    }

    private func enter(
        _ request: RequestInProgress,
        _ decision: Decision,
        connection: Int,
        date: Int64,
        time: MonotonicTime
    ) {
        var recorded: RecordedRequest?
        if keepsRequests || recordFile != nil {
            recorded = RecordedRequest(
                head: request.head,
                payload: request.payload,
                connection: connection,
                stream: request.stream,
                date: date,
                answer: decision.answer,
                fault: decision.fault
            )
        }
        if let recorded {
            writeRecord { file throws(SimulatorError) in try file.append(recorded, at: time) }
        }
        journal.decided(
            connection: connection,
            answer: decision.answer,
            fault: decision.fault,
            request: keepsRequests ? recorded : nil
        )
    }

    /// A record that cannot be written ends; the simulation goes on, and the statistics say so.
    private func writeRecord(_ write: (RecordFile) throws(SimulatorError) -> Void) {
        guard let recordFile else { return }
        do {
            try write(recordFile)
        } catch {
            self.recordFile = nil
            journal.count { $0.recordFailure = error.description }
        }
    }
}
