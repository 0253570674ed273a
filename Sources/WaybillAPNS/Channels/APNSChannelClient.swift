import WaybillPushTransport

/// Manages the broadcast channels of one app in one environment.
///
///     var configuration = APNSConfiguration(
///         endpoint: .productionChannels, credentials: .token(source), bundleID: "com.example.parcels"
///     )
///     let channels = try APNSChannelClient(configuration)
///     let id = try await channels.create(storage: .newest)
///
/// An app can have 10,000 channels in each environment, and needs the broadcast capability. Broadcasts themselves are sent
/// with ``APNSClient/broadcast(_:)``, over ``APNSEndpoint/production`` or ``APNSEndpoint/sandbox``. Every method may be
/// called from any task; cancelling means what it means for ``APNSClient/send(_:)->APNSResponse``.
///
/// Source: Apple, "Sending channel management requests to APNs".
public final class APNSChannelClient: Sendable {
    private let driver: APNSDriver
    private let closing: DriverClosing
    private let bundleID: String

    /// Creates a client; nothing is connected before the first call.
    ///
    /// - Parameters:
    ///   - configuration: leads to ``APNSEndpoint/productionChannels`` or ``APNSEndpoint/sandboxChannels`` and names the
    ///     bundle id. One connection is used, whatever it says.
    ///   - observer: hears of connections, on the client's own thread.
    /// - Throws: ``APNSSetupError`` when a value of the configuration is not allowed, the bundle id is missing, a
    ///   certificate or trust file cannot be used, or the system is out of threads or descriptors.
    public init(_ configuration: APNSConfiguration, observer: (any APNSObserver)? = nil) throws(APNSSetupError) {
        guard let bundleID = configuration.bundleID else {
            throw APNSSetupError(.invalidConfiguration, "lane \(configuration.name): channels need a bundleID")
        }
        self.bundleID = bundleID
        var lane = configuration
        lane.connections = 1
        driver = try APNSDriver(
            name: "wb-chan-\(configuration.name)",
            lanes: [lane],
            observer: observer ?? SilentObserver()
        ) { _, outcomes in OutcomeRouter.route(outcomes) }
        closing = driver.closing
    }

    /// Makes a channel.
    ///
    /// - Parameter storage: what the channel keeps for devices that cannot be reached; for good.
    /// - Returns: the new channel's id, which apps subscribe to and broadcasts are sent to.
    /// - Throws: ``APNSChannelError``. When its ``APNSChannelError/mayHaveHappened`` is true there may be a channel whose
    ///   id did not arrive: ``list()`` has it.
    public func create(storage: APNSChannelStoragePolicy) async throws(APNSChannelError) -> APNSChannelID {
        let call = try await carryOut(.create(storage))
        // APNs answers without a body: the id stands in a header.
        guard let id = call.details?.channelID, !id.isEmpty else { throw call.unreadable }
        return APNSChannelID(rawValue: id)
    }

    /// Reads what a channel keeps and carries.
    ///
    /// - Throws: ``APNSChannelError``; see ``APNSChannelError/saysThatChannelIsGone``.
    public func read(_ id: APNSChannelID) async throws(APNSChannelError) -> APNSChannel {
        let call = try await carryOut(.read(id))
        guard let channel = ChannelAnswer.channel(id, call.body) else { throw call.unreadable }
        return channel
    }

    /// Deletes a channel; its followers hear nothing more.
    ///
    /// - Throws: ``APNSChannelError``; see ``APNSChannelError/saysThatChannelIsGone``.
    public func delete(_ id: APNSChannelID) async throws(APNSChannelError) {
        _ = try await carryOut(.delete(id))
    }

    /// Lists the app's channels.
    ///
    /// - Throws: ``APNSChannelError``.
    public func list() async throws(APNSChannelError) -> [APNSChannelID] {
        let call = try await carryOut(.list)
        guard let channels = ChannelAnswer.channels(call.body) else { throw call.unreadable }
        return channels
    }

    /// Takes no more calls, and returns when each that was taken has its outcome; as ``APNSClient/close(grace:)``.
    public func close(grace: Duration = .seconds(20)) async {
        await closing.close(grace: grace)
    }

    /// A call that APNs carried out.
    private struct Success {
        let status: Int
        let requestID: APNSID
        let details: APNSAnswerDetails?

        var body: [UInt8] { details?.body ?? [] }

        var unreadable: APNSChannelError {
            APNSChannelError(
                .unreadable,
                status: status,
                reason: nil,
                requestID: requestID,
                failure: nil,
                text: "APNs did it, and its answer cannot be read"
            )
        }
    }

    private func carryOut(_ call: ChannelCall) async throws(APNSChannelError) -> Success {
        let requestID = APNSID.random()
        let request: APNSRequest
        do {
            request = try call.makeRequest(bundleID: bundleID, requestID: requestID)
        } catch {
            throw Self.unanswered(error, requestID)
        }
        let outcome = await driver.outcome(of: request)
        switch outcome.result(for: requestID) {
        case .success(let response) where response.isAccepted:
            return Success(status: response.status, requestID: requestID, details: outcome.details)
        case .success(let response):
            let word = response.reason?.rawValue ?? "no reason"
            throw APNSChannelError(
                .refused,
                status: response.status,
                reason: response.reason,
                requestID: requestID,
                failure: nil,
                text: "APNs refused it: \(response.status), \(word)"
            )
        case .failure(let error):
            throw Self.unanswered(error, requestID)
        }
    }

    private static func unanswered(_ error: APNSError, _ requestID: APNSID) -> APNSChannelError {
        APNSChannelError(
            .unanswered,
            status: nil,
            reason: nil,
            requestID: requestID,
            failure: error,
            text: "there is no answer: \(error.text)"
        )
    }
}
