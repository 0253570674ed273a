import WaybillFCM

extension FCMConfiguration {
    /// A lane to FCM as its client takes it.
    ///
    /// - Parameters:
    ///   - setup: the lane.
    ///   - settings: its own.
    ///   - credentials: who sends.
    ///   - sharers: how many lanes have its project, itself among them: they share what a project may send.
    ///   - patience: how long is waited.
    init(
        _ setup: LaneSetup,
        _ settings: FCMLaneSettings,
        credentials: FCMAccessTokenSource,
        sharers: Int,
        _ patience: SendPatience
    ) {
        let lane = setup.settings
        self.init(project: settings.rules.project, credentials: credentials)
        name = lane.name
        host = lane.effectiveEndpoint.host
        port = lane.effectiveEndpoint.port
        trust = lane.fcmTrust
        connections = setup.connections
        // FCM's own inner calls take up to 10 s: to wait for less makes doubles.
        answerDeadline = min(max(patience.request, .seconds(11)), .seconds(120))
        self.patience = patience.unreachable
        messagesPerSecond = settings.messagesPerSecond ?? max(1, FCMLaneSettings.projectRate / max(1, sharers))
    }
}
