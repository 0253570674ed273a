import WaybillEncoding

/// Starts a Live Activity on a device that gave a push-to-start token.
///
/// Source: Apple, "Starting and updating Live Activities with ActivityKit push notifications".
public struct APNSLiveActivityStart: APNSContent, Hashable {
    /// ``APNSPushType/liveActivity``.
    public static var pushType: APNSPushType { .liveActivity }

    /// How the started activity gets its updates (iOS 18).
    public enum Input: Hashable, Sendable {
        /// `input-push-token`: the app is given a token for the activity and sends it to its server.
        case token
        /// `input-push-channel`: the activity listens to the broadcasts of a channel, by its id.
        case channel(String)
    }

    /// `attributes-type`: the name of the app's type that conforms to `ActivityAttributes`.
    public var attributesType: String
    /// `attributes`: an object that decodes as that type.
    public var attributes: APNSJSON
    /// `content-state`: an object that decodes as that type's `ContentState`.
    public var contentState: APNSJSON
    /// `alert`: tells the user of the activity; a start needs one.
    public var alert: APNSLiveActivityAlert
    /// `timestamp`: when the state was true; the device ignores what is older than what it has.
    public var timestamp: APNSTimestamp
    /// `stale-date`: when the state is out of date.
    public var staleDate: APNSTimestamp?
    /// `relevance-score`: sorts the app's activities; any finite number.
    public var relevanceScore: Double?
    /// How the activity gets its updates; `nil` leaves it to the app.
    public var input: Input?

    /// Creates content.
    public init(
        attributesType: String,
        attributes: APNSJSON,
        contentState: APNSJSON,
        alert: APNSLiveActivityAlert,
        timestamp: APNSTimestamp = .now
    ) {
        self.attributesType = attributesType
        self.attributes = attributes
        self.contentState = contentState
        self.alert = alert
        self.timestamp = timestamp
    }

    /// Writes `{"aps":{…}}` with the members of the caller's object beside `aps`.
    public func payload(custom: APNSJSON?) throws(APNSError) -> APNSPayload {
        try check()
        return try APNSPayload(aps: Self.pushType, custom: custom) { aps in
            aps.member("timestamp", timestamp.secondsSince1970)
            aps.member("event", "start")
            aps.member("content-state", contentState)
            aps.member("attributes-type", attributesType)
            aps.member("attributes", attributes)
            aps.flag("input-push-token", input == .token)
            if case .channel(let channel) = input { aps.member("input-push-channel", channel) }
            aps.member("alert", alert)
            aps.member("stale-date", staleDate?.secondsSince1970)
            aps.member("relevance-score", relevanceScore)
        }
    }

    private func check() throws(APNSError) {
        try ContentCheck.time(timestamp, "aps.timestamp")
        try ContentCheck.object(contentState, "aps.content-state")
        try ContentCheck.text(attributesType, "aps.attributes-type")
        try ContentCheck.object(attributes, "aps.attributes")
        if case .channel(let channel) = input { try ContentCheck.text(channel, "aps.input-push-channel") }
        try ContentCheck.time(staleDate, "aps.stale-date")
        try ContentCheck.finite(relevanceScore, "aps.relevance-score")
    }
}

extension APNSContent where Self == APNSLiveActivityStart {
    /// The start of a Live Activity, from the app's own values.
    ///
    /// - Parameters:
    ///   - attributesType: the name of the app's type that conforms to `ActivityAttributes`.
    ///   - attributes: encodes as an object.
    ///   - contentState: encodes as an object.
    ///   - alert: tells the user of the activity.
    ///   - timestamp: when the state was true.
    ///   - staleDate: when it is out of date.
    ///   - relevanceScore: sorts the app's activities.
    ///   - input: how the activity gets its updates.
    /// - Returns: the content.
    /// - Throws: ``APNSError`` with ``APNSError/Code/invalidNotification`` when a value cannot be encoded.
    public static func liveActivityStart(
        attributesType: String,
        attributes: some Encodable,
        contentState: some Encodable,
        alert: APNSLiveActivityAlert,
        timestamp: APNSTimestamp = .now,
        staleDate: APNSTimestamp? = nil,
        relevanceScore: Double? = nil,
        input: APNSLiveActivityStart.Input? = nil
    ) throws(APNSError) -> Self {
        liveActivityStart(
            attributesType: attributesType,
            attributes: try APNSJSON(encoding: attributes, for: "aps.attributes"),
            contentState: try APNSJSON(encoding: contentState, for: "aps.content-state"),
            alert: alert,
            timestamp: timestamp,
            staleDate: staleDate,
            relevanceScore: relevanceScore,
            input: input
        )
    }

    /// The start of a Live Activity, from JSON.
    public static func liveActivityStart(
        attributesType: String,
        attributes: APNSJSON,
        contentState: APNSJSON,
        alert: APNSLiveActivityAlert,
        timestamp: APNSTimestamp = .now,
        staleDate: APNSTimestamp? = nil,
        relevanceScore: Double? = nil,
        input: APNSLiveActivityStart.Input? = nil
    ) -> Self {
        var start = Self(
            attributesType: attributesType,
            attributes: attributes,
            contentState: contentState,
            alert: alert,
            timestamp: timestamp
        )
        start.staleDate = staleDate
        start.relevanceScore = relevanceScore
        start.input = input
        return start
    }
}
