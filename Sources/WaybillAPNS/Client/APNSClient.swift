import Synchronization
import WaybillPushTransport

/// Sends notifications to APNs.
///
///     let source = try APNSProviderTokenSource(teamID: "ABCDE12345", keyID: "ABC123DEFG", keyFile: "AuthKey.p8")
///     let client = try APNSClient(
///         APNSConfiguration(endpoint: .production, credentials: .token(source), bundleID: "com.example.parcels")
///     )
///     let response = try await client.send(notification)
///     if response.action == .removeToken { … }
///
/// One client holds the connections of one lane, and is made once: APNs takes connections that come and go for an
/// attack. It connects when there is something to send, keeps its connections, replaces those that break, and opens more
/// of them when the open ones hold traffic back. What is certainly not with APNs is sent again by the client itself. What
/// may be with APNs is sent again only with the notification's leave (``APNSNotification/onUnknown``).
///
/// The caller bounds what is in flight: the client takes whatever it is given. Use ``send(contentsOf:atMost:)`` for more
/// than fits into memory. Every method may be called from any task or thread.
public final class APNSClient: Sendable {
    let driver: APNSDriver
    private let closing: DriverClosing
    let bundleID: String?
    private let usesCertificate: Atomic<Bool>

    /// Creates a client; nothing is connected before there is something to send.
    ///
    /// - Parameters:
    ///   - configuration: the lane.
    ///   - observer: hears of connections, on the client's own thread.
    /// - Throws: ``APNSSetupError`` when a value of the configuration is not allowed, a certificate or trust file cannot
    ///   be used, or the system is out of threads or descriptors.
    public init(_ configuration: APNSConfiguration, observer: (any APNSObserver)? = nil) throws(APNSSetupError) {
        driver = try APNSDriver(
            name: "wb-apns-\(configuration.name)",
            lanes: [configuration],
            observer: observer ?? SilentObserver()
        ) { _, outcomes in OutcomeRouter.route(outcomes) }
        closing = driver.closing
        bundleID = configuration.bundleID
        usesCertificate = Atomic(configuration.credentials.tokenSource == nil)
    }

    /// Sends one notification and waits for APNs' answer.
    ///
    /// How long that may take is bounded by ``APNSDeadlines``: while no connection can be made, notifications wait for
    /// ``APNSDeadlines/unreachable``, and never for longer than ``APNSDeadlines/waiting``.
    ///
    /// If the task is cancelled, a notification that still waits for its turn is taken back, and the call throws
    /// ``APNSError/Code/cancelled``. One that is on the wire already is waited for, which its deadline bounds: giving it
    /// up would make a known outcome an unknown one.
    ///
    /// - Parameter notification: what to send, and where to.
    /// - Returns: APNs' answer, a refusal as well as an acceptance.
    /// - Throws: ``APNSError`` when there is no answer; its ``APNSError/fate`` says whether the notification may have been
    ///   sent all the same.
    public func send(_ notification: APNSNotification) async throws(APNSError) -> APNSResponse {
        let request = try makeRequest(notification, index: 0)
        return try await driver.outcome(of: request).result(for: notification.apnsID).get()
    }

    /// Uses another key or certificate from here on, without losing a notification.
    ///
    /// Notifications under way end with the old credentials on the old connections; later ones go out on new connections.
    /// Returns at once.
    ///
    /// - Throws: ``APNSSetupError`` when the certificate cannot be used; the old credentials then stay.
    public func replaceCredentials(_ credentials: APNSCredentials) throws(APNSSetupError) {
        try driver.replaceCredentials(credentials, lane: 0)
        usesCertificate.store(credentials.tokenSource == nil, ordering: .relaxed)
    }

    /// Takes no more notifications, and returns when each that was taken has its outcome and every connection is closed.
    ///
    /// May be called more than once, also at the same time: each call returns when the client is closed, and the shortest
    /// grace counts. Sending afterwards throws ``APNSError/Code/closed``. A client that nothing refers to any more closes
    /// by itself, without a grace.
    ///
    /// - Parameter grace: how long answers are waited for. What is then on the wire ends with ``APNSError/Fate/unknown``,
    ///   what still waits for its turn with ``APNSError/Fate/notSent``.
    public func close(grace: Duration = .seconds(20)) async {
        await closing.close(grace: grace)
    }

    /// What the client is doing: connections, streams, counters.
    public var snapshot: APNSSnapshot { driver.snapshot }

    /// Checks a notification and makes what the driver wants.
    func makeRequest(_ notification: APNSNotification, index: Int) throws(APNSError) -> APNSRequest {
        try notification.makeRequest(
            index: index,
            bundleID: bundleID,
            usesCertificate: usesCertificate.load(ordering: .relaxed)
        )
    }
}

/// Hears nothing.
struct SilentObserver: APNSObserver {}
