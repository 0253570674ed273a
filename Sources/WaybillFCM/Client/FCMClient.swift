package import WaybillPushTransport
import WaybillTLS

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
/// (``FCMMessage/onUnknown``).
///
/// The caller bounds what is in flight: the client takes whatever it is given. Use ``send(contentsOf:atMost:_:)`` for more
/// than fits into memory. Every method may be called from any task or thread.
public final class FCMClient: Sendable {
    let driver: PushDriver<FCMService>
    private let closing: DriverClosing
    private let tlsContext: TLSContext

    /// Creates a client; nothing is connected before there is something to send.
    ///
    /// - Parameters:
    ///   - configuration: where to send, and with what.
    ///   - observer: hears of connections, on the client's own thread.
    /// - Throws: ``FCMSetupError`` when a value is not allowed, the trust file cannot be used, or the system is out of
    ///   threads or descriptors.
    public convenience init(
        _ configuration: FCMConfiguration,
        observer: (any FCMObserver)? = nil
    ) throws(FCMSetupError) {
        try self.init(configuration, observer: observer, clock: .system)
    }

    /// Creates a client with a clock of the caller's.
    ///
    /// - Parameters:
    ///   - configuration: where to send, and with what.
    ///   - observer: hears of connections, on the client's own thread.
    ///   - clock: what every deadline and the age of access tokens is measured by.
    /// - Throws: what the public initializer throws.
    package init(
        _ configuration: FCMConfiguration,
        observer: (any FCMObserver)?,
        clock: DriverClock
    ) throws(FCMSetupError) {
        guard (1...8).contains(configuration.name.utf8.count),
            configuration.name.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else { throw FCMSetupError("name: must be 1 to 8 printable ASCII characters") }
        try configuration.validate()
        let settings = configuration.transport
        let (authority, project) = (settings.endpoint.authority, configuration.project)
        do {
            let tlsContext = try configuration.makeTLSContext()
            let driver = try PushDriver(
                name: "wb-fcm-\(configuration.name)",
                lanes: [LaneSeed(settings: settings, credentials: .fcm(configuration.credentials, tlsContext))],
                observer: ObserverAdapter(observer: observer ?? SilentObserver()),
                clock: clock
            ) { _ in
                FCMService(authority: authority, project: project) { outcomes in
                    for outcome in outcomes { (outcome.owner as? any FCMOutcomeReceiver)?.receive(outcome) }
                }
            }
            self.tlsContext = tlsContext
            self.driver = driver
            closing = DriverClosing {
                driver.close(grace: $0)
            } join: {
                driver.join()
            }
        } catch {
            throw FCMSetupError("\(error)")
        }
    }

    /// Sends one message and waits for FCM's answer.
    ///
    /// How long that may take is bounded: while nothing can be sent, a message waits for ``FCMConfiguration/patience``, and
    /// behind others for four minutes.
    ///
    /// If the task is cancelled, a message that still waits for its turn is taken back, and the call throws
    /// ``FCMError/Code/cancelled``. One that is on the wire is waited for, which its deadline bounds.
    ///
    /// - Parameter message: what to send, and to whom.
    /// - Returns: FCM's answer, a refusal as well as an acceptance.
    /// - Throws: ``FCMError`` when there is no answer; its ``FCMError/fate`` says whether the message may have been sent
    ///   all the same.
    public func send(_ message: FCMMessage) async throws(FCMError) -> FCMResponse {
        let request = try FCMRequest(message, index: 0)
        let single = SingleRequest<FCMOutcome> { [driver] in driver.withdraw(owner: $0, lane: 0) }
        let outcome = await single.outcome {
            FCMOutcome(owner: $0, index: 0, result: .failed(.notSent(.cancelled)))
        } submit: {
            submit([request], for: $0)
        }
        return try outcome.response.get()
    }

    /// Uses another service account from here on, without losing a message.
    ///
    /// Messages under way end with the old access token on the old connections; later ones go out on new connections. One
    /// that the old account was refused for, because its access token was not good or it has no right to send, is sent
    /// again with the new one. Returns at once.
    public func replaceCredentials(_ credentials: FCMAccessTokenSource) {
        driver.replaceCredentials(.fcm(credentials, tlsContext), lane: 0)
    }

    /// Takes no more messages, and returns when each that was taken has its end and every connection is closed.
    ///
    /// May be called more than once, also at the same time: each call returns when the client is closed, and the shortest
    /// grace counts. Sending afterwards throws ``FCMError/Code/closed``. A client that nothing refers to any more closes by
    /// itself, without a grace.
    ///
    /// - Parameter grace: how long answers are waited for. What is then on the wire ends with ``FCMError/Fate/unknown``,
    ///   what still waits for its turn with ``FCMError/Fate/notSent``.
    public func close(grace: Duration = .seconds(20)) async {
        await closing.close(grace: grace)
    }

    /// What the client is doing: connections, streams, counters.
    public var snapshot: FCMSnapshot { FCMSnapshot(driver.records[0]) }

    /// Hands requests over, the urgent ones apart from the others; on a closed client each of them ends at once.
    func submit(_ requests: [FCMRequest], for receiver: any FCMOutcomeReceiver) {
        let batches = [true, false].compactMap { isUrgent -> FCMRequestBatch? in
            let requests = requests.filter { $0.isUrgent == isUrgent }
            return requests.isEmpty ? nil : FCMRequestBatch(owner: receiver, requests: requests, isUrgent: isUrgent)
        }
        guard !batches.isEmpty, !driver.submit(batches, lane: 0) else { return }
        for request in requests {
            receiver.receive(FCMOutcome(owner: receiver, index: request.index, result: .failed(.notSent(.closed))))
        }
    }
}

/// Whoever waits for what becomes of messages.
protocol FCMOutcomeReceiver: PushRequestOwner {
    /// Takes an end, mostly on the driver's thread; must return soon.
    func receive(_ outcome: FCMOutcome)
}

extension SingleRequest: FCMOutcomeReceiver where Outcome == FCMOutcome {
    func receive(_ outcome: FCMOutcome) {
        end(outcome)
    }
}

extension TransportCredentials {
    static func fcm(_ source: FCMAccessTokenSource, _ tlsContext: TLSContext) -> TransportCredentials {
        // FCM asks for no proof before it opens all of its streams.
        TransportCredentials(tokenSource: source, tlsContext: tlsContext, startsWithOneStream: false)
    }
}

/// Hears nothing.
struct SilentObserver: FCMObserver {}
