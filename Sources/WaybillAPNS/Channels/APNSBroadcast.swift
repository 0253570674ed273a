import WaybillEncoding

/// One update or end of a Live Activity for everybody who follows a channel.
///
///     let response = try await client.broadcast(
///         try APNSBroadcast(to: channel, .liveActivityUpdate(contentState: score))
///     )
///
/// The channel belongs to the bundle id of the client's configuration. Activities are not started by broadcasts, but by a
/// push to each device that names the channel.
///
/// Source: Apple, "Sending broadcast push notification requests to APNs".
public struct APNSBroadcast: Hashable, Sendable {
    /// The channel.
    public var channelID: APNSChannelID
    /// The JSON body: a Live Activity's update or end, up to 5,120 bytes.
    public var payload: APNSPayload
    /// How long the channel keeps it; a channel that keeps nothing takes only ``APNSExpiration/immediate``.
    public var expiration = APNSExpiration.immediate
    /// ``APNSPriority/immediate``, which is charged to an hourly budget, or ``APNSPriority/powerAware``.
    public var priority = APNSPriority.immediate
    /// The request's id, which APNs echoes: a new random one unless set.
    public var requestID = APNSID.random()
    /// Whether to send once more when nobody knows whether APNs took the first one.
    public var onUnknown = APNSUnknownPolicy.report

    /// Creates a broadcast from a payload.
    public init(to channelID: APNSChannelID, payload: APNSPayload) {
        self.channelID = channelID
        self.payload = payload
    }

    /// Creates a broadcast from typed content.
    ///
    /// - Parameters:
    ///   - channelID: the channel.
    ///   - content: the update or the end.
    ///   - custom: an object whose members go beside `aps`.
    /// - Throws: ``APNSError`` with ``APNSError/Code/invalidNotification`` when a value is not allowed.
    public init(
        to channelID: APNSChannelID,
        _ content: some APNSBroadcastContent,
        custom: APNSJSON? = nil
    ) throws(APNSError) {
        self.init(to: channelID, payload: try APNSPayload(content, custom: custom))
    }

    /// Checks the broadcast and makes what the wire wants.
    func makeRequest(bundleID: String?) throws(APNSError) -> APNSRequest {
        guard let bundleID else {
            throw refusal("bundleID", "is missing in the client's configuration, and a broadcast needs it")
        }
        guard channelID.isSendable else {
            throw refusal("channelID", "must be visible ASCII, 1 to 256 characters")
        }
        try checkPayload()
        let check = NotificationCheck(apnsID: requestID, pushType: .liveActivity)
        let expiration = try check.expiration(expiration)
        var headers: [(name: StaticString, value: String)] = [
            ("apns-channel-id", channelID.rawValue),
            ("apns-push-type", APNSPushType.liveActivity.rawValue),
            ("apns-priority", String(try check.priority(priority))),
            ("apns-request-id", requestID.description),
        ]
        switch expiration {
        case .absent: break
        case .immediate: headers.append(("apns-expiration", "0"))
        case .at(let seconds): headers.append(("apns-expiration", String(seconds)))
        }
        return APNSRequest(
            APNSExchange(method: .post, path: AppPath.path("/4/broadcasts/apps/", bundleID), headers: headers),
            body: payload.bytes,
            id: requestID,
            expiration: expiration,
            resendsUnknown: onUnknown == .resend
        )
    }

    private func checkPayload() throws(APNSError) {
        let size = payload.bytes.count
        guard (1...APNSPayload.maximumBroadcastSize).contains(size) else {
            let problem = "has \(size) bytes, allowed for broadcasts: up to \(APNSPayload.maximumBroadcastSize)"
            throw refusal("payload", size == 0 ? "is empty" : problem)
        }
        let bytes = payload.bytes
        guard let members = (try? JSONReader.members(of: bytes)) ?? nil,
            let aps = members.first(where: { $0.name == "aps" }),
            let content = (try? JSONReader.members(of: bytes, in: aps.value)) ?? nil
        else { throw refusal("payload", "must be a JSON object with an object aps") }
        let event = content.first { $0.name == "event" }.map { String(decoding: bytes[$0.value], as: UTF8.self) }
        guard event == #""update""# || event == #""end""# else {
            throw refusal("aps.event", "must be update or end in a broadcast")
        }
    }

    private func refusal(_ field: String, _ problem: String) -> APNSError {
        .invalid(field, problem, apnsID: requestID)
    }
}

extension APNSBroadcast: CustomStringConvertible, CustomReflectable {
    /// The channel, the request id and the payload's size.
    public var description: String { "broadcast \(requestID) to \(channelID), \(payload)" }

    /// Shows what ``description`` does.
    public var customMirror: Mirror { Mirror(self, children: ["broadcast": description]) }
}

extension APNSClient {
    /// Sends an update or an end of a Live Activity to everybody who follows a channel, on the client's connections.
    ///
    /// Cancelling means what it means for ``send(_:)->APNSResponse``.
    ///
    /// - Parameter broadcast: what to send, and to which channel.
    /// - Returns: APNs' answer; its ``APNSResponse/apnsID`` is the broadcast's request id.
    /// - Throws: ``APNSError`` when there is no answer.
    public func broadcast(_ broadcast: APNSBroadcast) async throws(APNSError) -> APNSResponse {
        let request = try broadcast.makeRequest(bundleID: bundleID)
        return try await driver.outcome(of: request).result(for: broadcast.requestID).get()
    }
}
