package import WaybillPushTransport
import WaybillTLS
import WaybillThreads

/// Sends messages to FCM over HTTP/2.
///
///     let account = try FCMServiceAccount(file: "service-account.json")
///     let client = try FCMClient(FCMConfiguration(FCMAccessTokenSource(account)))
///     let response = try await client.send(FCMMessage(to: .token(token), FCMContent(data: ["id": "17"])))
///     if response.action == .removeToken { … }
///
/// One client holds the connections of one project, and is made once. It connects when there is something to send, keeps
/// its connections for nearly the hour that FCM lets them live, and replaces them before that. What is certainly not with
/// FCM is sent again by the client itself; what may be with FCM only with the message's leave
/// (``FCMMessage/onUnknown``). Every method may be called from any task or thread.
public final class FCMClient: Sendable {
    let driver: PushDriver<FCMService>

    /// Creates a client; nothing is connected before there is something to send.
    ///
    /// - Throws: ``FCMSetupError`` when a value is not allowed, the trust file cannot be used, or the system is out of
    ///   threads or descriptors.
    public init(_ configuration: FCMConfiguration) throws(FCMSetupError) {
        try configuration.validate()
        let endpoint = Endpoint(host: configuration.host, port: configuration.port)
        var settings = TransportSettings(name: configuration.name, endpoint: endpoint)
        settings.connections = configuration.connections
        settings.lifetime = configuration.connectionLifetime
        settings.pace = configuration.messagesPerSecond.map {
            PaceBucket.Settings(rate: Double($0), ramp: configuration.ramp)
        }
        // Google ends connections that ping three times without a request.
        settings.idlePings = 1
        settings.deadlines.request = configuration.answerDeadline
        settings.deadlines.unreachable = configuration.patience
        var options = TLSClientOptions()
        options.protocols = ["h2"]
        options.trust = configuration.trust.transport
        let project = configuration.project
        do {
            let credentials = TransportCredentials(
                tokenSource: configuration.credentials,
                tlsContext: try TLSContext.client(options),
                startsWithOneStream: false
            )
            driver = try PushDriver(
                name: "wb-fcm-\(configuration.name)",
                lanes: [LaneSeed(settings: settings, credentials: credentials)],
                observer: SilentLaneObserver(),
                clock: .system
            ) { _ in
                FCMService(authority: endpoint.authority, project: project) { outcomes in
                    for outcome in outcomes { (outcome.owner as? any FCMOutcomeReceiver)?.receive(outcome) }
                }
            }
        } catch {
            throw FCMSetupError("\(error)")
        }
    }

    /// Sends one message and waits for FCM's answer.
    ///
    /// If the task is cancelled, a message that still waits for its turn is taken back; one that is on the wire is waited
    /// for.
    ///
    /// - Returns: FCM's answer, a refusal as well as an acceptance.
    /// - Throws: ``FCMError`` when there is no answer; its ``FCMError/fate`` says whether the message may have been sent
    ///   all the same.
    public func send(_ message: FCMMessage) async throws(FCMError) -> FCMResponse {
        let request = try FCMRequest(message, index: 0)
        return try await SingleMessage(driver: driver).result(of: request).get()
    }

    /// Takes no more messages; what is under way ends within the grace time.
    ///
    /// Returns at once.
    public func close(grace: Duration = .seconds(20)) {
        driver.close(grace: max(grace, .zero))
    }

    /// What the connections do.
    package var record: LaneRecord? { driver.records.first }
}

/// Whoever waits for what becomes of messages.
protocol FCMOutcomeReceiver: PushRequestOwner {
    /// Takes an end, on the driver's thread; must return soon.
    func receive(_ outcome: FCMOutcome)
}

/// One message that a task waits for.
final class SingleMessage: FCMOutcomeReceiver {
    private struct State {
        var continuation: CheckedContinuation<Result<FCMResponse, FCMError>, Never>?
        var isSubmitted = false
        var isCancelled = false
    }

    private let driver: PushDriver<FCMService>
    private let state = Guarded(State())

    init(driver: PushDriver<FCMService>) {
        self.driver = driver
    }

    func result(of request: FCMRequest) async -> Result<FCMResponse, FCMError> {
        await withTaskCancellationHandler {
            await withCheckedContinuation { submit(request, $0) }
        } onCancel: {
            let isSubmitted = state.withLock { state in
                state.isCancelled = true
                return state.isSubmitted
            }
            if isSubmitted { driver.withdraw(owner: self, lane: 0) }
        }
    }

    private func submit(
        _ request: FCMRequest,
        _ continuation: CheckedContinuation<Result<FCMResponse, FCMError>, Never>
    ) {
        let isCancelled = state.withLock { state in
            state.continuation = continuation
            return state.isCancelled
        }
        guard !isCancelled else { return end(.failure(FCMError(.notSent(.cancelled)))) }
        guard driver.submit([FCMRequestBatch(owner: self, requests: [request])], lane: 0) else {
            return end(.failure(FCMError(.notSent(.closed))))
        }
        let wasCancelledMeanwhile = state.withLock { state in
            state.isSubmitted = true
            return state.isCancelled
        }
        if wasCancelledMeanwhile { driver.withdraw(owner: self, lane: 0) }
    }

    /// Takes the message's end, on the driver's thread.
    func receive(_ outcome: FCMOutcome) {
        end(outcome.result)
    }

    private func end(_ result: Result<FCMResponse, FCMError>) {
        let continuation = state.withLock { $0.continuation.take() }
        continuation?.resume(returning: result)
    }
}
