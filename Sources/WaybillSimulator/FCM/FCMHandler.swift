import WaybillThreads

/// Answers requests to FCM and to its token endpoint: what is documented first, then rules, then quotas.
///
/// Lives on the server's thread.
struct FCMHandler {
    private static let tokenPath = "/token"

    private let service: FCMService
    private let form: FCMErrorForm
    private let rules: SharedRules

    init(simulation: FCMSimulation, service: FCMService, rules: SharedRules) {
        form = simulation.errorForm
        self.service = service
        self.rules = rules
    }

    /// Decides about one request.
    ///
    /// - Returns: the answer, and the rule that has been asked.
    func decide(_ request: RequestInProgress, seconds: Int64, at time: MonotonicTime) -> (
        SimulatorAnswer, SimulatorRule?
    ) {
        let head = request.head
        guard let authority = head[.authority], !authority.isEmpty else {
            return (FCMRefusal.invalidArgument.answer(.bare), nil)
        }
        let path = String(decoding: head[.path] ?? [], as: UTF8.self)
        guard head[.method]?.elementsEqual("POST".utf8) == true else { return (FCMRefusal.wrongPath.answer(), nil) }
        if path == Self.tokenPath {
            let rule = rules.rule(for: Array(path.utf8)[...], at: time)
            if let rule, rule.fault != nil || rule.answer != .accepted { return (rule.answer, rule) }
            let endpoint = "https://\(String(decoding: authority, as: UTF8.self))\(path)"
            return (
                service.sellToken(form: request.payload, endpoint: endpoint, seconds: seconds, at: time), rule
            )
        }
        guard let project = Self.project(path) else { return (FCMRefusal.wrongPath.answer(), nil) }
        if let refusal = service.refusal(of: head[.authorization], project: project, at: time) {
            return (refusal.answer(form), nil)
        }
        return send(request.payload, project: project, at: time)
    }

    private func send(_ body: [UInt8], project: String, at time: MonotonicTime) -> (SimulatorAnswer, SimulatorRule?) {
        let message: FCMMessageCheck.Message
        do throws(FCMMessageCheck.Problem) {
            message = try FCMMessageCheck.judge(body)
        } catch {
            let answer = FCMRefusal.invalid(
                form,
                message: error.message,
                field: error.field,
                hasCode: error.isOfFCM
            )
            return (answer, nil)
        }
        if message.isForInstallation, let device = message.device, !FCMMessageCheck.isInstallation(device) {
            return (FCMRefusal.unregistered.answer(form), nil)
        }
        let rule = rules.rule(for: Array(SimulatorRule.registrationKey(message.target).utf8)[...], at: time)
        if let rule, rule.answer != .accepted || rule.fault?.leavesRoomForAnswer == false {
            if rule.delivers { _ = service.accept(message, body: body, project: project) }
            return (rule.answer, rule)
        }
        if let device = message.device, service.isUnregistered(device) {
            return (FCMRefusal.unregistered.answer(form), rule)
        }
        if let refusal = service.quotaRefusal(of: message, project: project, at: time) {
            var answer = refusal.answer(form)
            var shape = AnswerForm()
            shape.retryAfter = "60"
            answer.form = shape
            return (answer, rule)
        }
        return (service.accept(message, body: body, project: project), rule)
    }

    /// The project of `/v1/projects/{p}/messages:send`.
    private static func project(_ path: String) -> String? {
        let (prefix, suffix) = ("/v1/projects/", "/messages:send")
        guard path.hasPrefix(prefix), path.hasSuffix(suffix), path.utf8.count > prefix.utf8.count + suffix.utf8.count
        else { return nil }
        let project = path.dropFirst(prefix.count).dropLast(suffix.count)
        return project.contains("/") ? nil : String(project)
    }
}
