import WaybillEncoding

/// Updates a Live Activity.
///
/// Source: Apple, "Starting and updating Live Activities with ActivityKit push notifications".
public struct APNSLiveActivityUpdate: APNSBroadcastContent, Hashable {
    /// ``APNSPushType/liveActivity``.
    public static var pushType: APNSPushType { .liveActivity }

    /// `content-state`: an object that decodes as the `ContentState` of the activity's attributes.
    public var contentState: APNSJSON
    /// `alert`: tells the user of the update.
    public var alert: APNSLiveActivityAlert?
    /// `timestamp`: when the state was true; the device ignores what is older than what it has.
    public var timestamp: APNSTimestamp
    /// `stale-date`: when the state is out of date.
    public var staleDate: APNSTimestamp?
    /// `relevance-score`: sorts the app's activities; any finite number.
    public var relevanceScore: Double?

    /// Creates content.
    public init(contentState: APNSJSON, alert: APNSLiveActivityAlert? = nil, timestamp: APNSTimestamp = .now) {
        self.contentState = contentState
        self.alert = alert
        self.timestamp = timestamp
    }

    /// Writes `{"aps":{…}}` with the members of the caller's object beside `aps`.
    public func payload(custom: APNSJSON?) throws(APNSError) -> APNSPayload {
        try ContentCheck.time(timestamp, "aps.timestamp")
        try ContentCheck.object(contentState, "aps.content-state")
        try ContentCheck.time(staleDate, "aps.stale-date")
        try ContentCheck.finite(relevanceScore, "aps.relevance-score")
        return try APNSPayload(aps: Self.pushType, custom: custom) { aps in
            aps.member("timestamp", timestamp.secondsSince1970)
            aps.member("event", "update")
            aps.member("content-state", contentState)
            aps.member("alert", alert)
            aps.member("stale-date", staleDate?.secondsSince1970)
            aps.member("relevance-score", relevanceScore)
        }
    }
}

extension APNSContent where Self == APNSLiveActivityUpdate {
    /// The update of a Live Activity, from the app's own state.
    ///
    /// - Parameters:
    ///   - contentState: encodes as an object.
    ///   - alert: tells the user of the update.
    ///   - timestamp: when the state was true.
    ///   - staleDate: when it is out of date.
    ///   - relevanceScore: sorts the app's activities.
    /// - Returns: the content.
    /// - Throws: ``APNSError`` with ``APNSError/Code/invalidNotification`` when the state cannot be encoded.
    public static func liveActivityUpdate(
        contentState: some Encodable,
        alert: APNSLiveActivityAlert? = nil,
        timestamp: APNSTimestamp = .now,
        staleDate: APNSTimestamp? = nil,
        relevanceScore: Double? = nil
    ) throws(APNSError) -> Self {
        liveActivityUpdate(
            contentState: try APNSJSON(encoding: contentState, for: "aps.content-state"),
            alert: alert,
            timestamp: timestamp,
            staleDate: staleDate,
            relevanceScore: relevanceScore
        )
    }

    /// The update of a Live Activity, from JSON.
    public static func liveActivityUpdate(
        contentState: APNSJSON,
        alert: APNSLiveActivityAlert? = nil,
        timestamp: APNSTimestamp = .now,
        staleDate: APNSTimestamp? = nil,
        relevanceScore: Double? = nil
    ) -> Self {
        var update = Self(contentState: contentState, alert: alert, timestamp: timestamp)
        update.staleDate = staleDate
        update.relevanceScore = relevanceScore
        return update
    }
}
