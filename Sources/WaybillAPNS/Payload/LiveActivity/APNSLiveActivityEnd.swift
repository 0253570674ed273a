import WaybillEncoding

/// Ends a Live Activity.
///
/// Source: Apple, "Starting and updating Live Activities with ActivityKit push notifications".
public struct APNSLiveActivityEnd: APNSBroadcastContent, Hashable {
    /// ``APNSPushType/liveActivity``.
    public static var pushType: APNSPushType { .liveActivity }

    /// `content-state`: the last state, which stays visible; `nil` keeps the one that is shown.
    public var contentState: APNSJSON?
    /// `dismissal-date`: when the activity leaves the screen; `nil` leaves it there for up to four hours.
    ///
    /// A moment in the past removes it at once.
    public var dismissalDate: APNSTimestamp?
    /// `alert`: tells the user of the end.
    public var alert: APNSLiveActivityAlert?
    /// `timestamp`: when the state was true; the device ignores what is older than what it has.
    public var timestamp: APNSTimestamp
    /// `stale-date`: when the state is out of date.
    public var staleDate: APNSTimestamp?
    /// `relevance-score`: sorts the app's activities; any finite number.
    public var relevanceScore: Double?

    /// Creates content.
    public init(
        contentState: APNSJSON? = nil,
        dismissalDate: APNSTimestamp? = nil,
        alert: APNSLiveActivityAlert? = nil,
        timestamp: APNSTimestamp = .now
    ) {
        self.contentState = contentState
        self.dismissalDate = dismissalDate
        self.alert = alert
        self.timestamp = timestamp
    }

    /// Writes `{"aps":{…}}` with the members of the caller's object beside `aps`.
    public func payload(custom: APNSJSON?) throws(APNSError) -> APNSPayload {
        try ContentCheck.time(timestamp, "aps.timestamp")
        try ContentCheck.object(contentState, "aps.content-state")
        try ContentCheck.time(dismissalDate, "aps.dismissal-date")
        try ContentCheck.time(staleDate, "aps.stale-date")
        try ContentCheck.finite(relevanceScore, "aps.relevance-score")
        return try APNSPayload(aps: Self.pushType, custom: custom) { aps in
            aps.member("timestamp", timestamp.secondsSince1970)
            aps.member("event", "end")
            aps.member("content-state", contentState)
            aps.member("alert", alert)
            aps.member("stale-date", staleDate?.secondsSince1970)
            aps.member("dismissal-date", dismissalDate?.secondsSince1970)
            aps.member("relevance-score", relevanceScore)
        }
    }
}

extension APNSContent where Self == APNSLiveActivityEnd {
    /// The end of a Live Activity, with a last state of the app's own.
    ///
    /// - Parameters:
    ///   - contentState: encodes as an object.
    ///   - dismissalDate: when the activity leaves the screen.
    ///   - alert: tells the user of the end.
    ///   - timestamp: when the state was true.
    /// - Returns: the content.
    /// - Throws: ``APNSError`` with ``APNSError/Code/invalidNotification`` when the state cannot be encoded.
    public static func liveActivityEnd(
        contentState: some Encodable,
        dismissalDate: APNSTimestamp? = nil,
        alert: APNSLiveActivityAlert? = nil,
        timestamp: APNSTimestamp = .now
    ) throws(APNSError) -> Self {
        Self(
            contentState: try APNSJSON(encoding: contentState, for: "aps.content-state"),
            dismissalDate: dismissalDate,
            alert: alert,
            timestamp: timestamp
        )
    }

    /// The end of a Live Activity, from JSON or without a last state.
    public static func liveActivityEnd(
        contentState: APNSJSON? = nil,
        dismissalDate: APNSTimestamp? = nil,
        alert: APNSLiveActivityAlert? = nil,
        timestamp: APNSTimestamp = .now
    ) -> Self {
        Self(contentState: contentState, dismissalDate: dismissalDate, alert: alert, timestamp: timestamp)
    }
}
