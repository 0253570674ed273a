import WaybillEncoding

/// A notification that the user sees or hears: an alert, a badge, a sound, at least one of them.
///
/// Source: Apple, "Generating a remote notification".
public struct APNSAlertContent: APNSContent, Hashable {
    /// ``APNSPushType/alert``.
    public static var pushType: APNSPushType { .alert }

    /// `alert`: what is shown.
    public var alert: APNSAlert?
    /// `badge`: the number on the app's icon; 0 clears it.
    public var badge: Int?
    /// `sound`: what is heard.
    public var sound: APNSSound?
    /// `thread-id`: groups notifications.
    public var threadID: String?
    /// `category`: the kind of notification, as the app has registered it, with its actions.
    public var category: String?
    /// `content-available`: also gives the app a moment in the background.
    public var contentAvailable = false
    /// `mutable-content`: passes the notification to the app's service extension first.
    public var mutableContent = false
    /// `target-content-id`: the window to bring forward.
    public var targetContentID: String?
    /// `interruption-level`: how much it may disturb.
    public var interruptionLevel: APNSInterruptionLevel?
    /// `relevance-score`: sorts the notification summary; 0 to 1.
    public var relevanceScore: Double?
    /// `filter-criteria`: what a Focus filter of the app compares.
    public var filterCriteria: String?
    /// `url-args`: the values for the placeholders of the URL, Safari web push only.
    public var urlArguments: [String]?

    /// Creates content; the other properties are set afterwards.
    public init(alert: APNSAlert? = nil, badge: Int? = nil, sound: APNSSound? = nil) {
        self.alert = alert
        self.badge = badge
        self.sound = sound
    }

    /// Writes `{"aps":{…}}` with the members of the caller's object beside `aps`.
    public func payload(custom: APNSJSON?) throws(APNSError) -> APNSPayload {
        try check()
        return try APNSPayload(aps: Self.pushType, custom: custom) { aps in
            aps.member("alert", alert)
            aps.member("badge", badge)
            aps.member("sound", sound)
            aps.member("thread-id", threadID)
            aps.member("category", category)
            aps.flag("content-available", contentAvailable)
            aps.flag("mutable-content", mutableContent)
            aps.member("target-content-id", targetContentID)
            aps.member("interruption-level", interruptionLevel?.rawValue)
            aps.member("relevance-score", relevanceScore)
            aps.member("filter-criteria", filterCriteria)
            aps.member("url-args", urlArguments)
        }
    }

    private func check() throws(APNSError) {
        guard alert != nil || badge != nil || sound != nil else {
            throw .invalid("aps", "has no alert, no badge and no sound; a push that shows nothing is a background push")
        }
        try alert?.check()
        try ContentCheck.badge(badge)
        try ContentCheck.sound(sound)
        try ContentCheck.score(relevanceScore, "aps.relevance-score")
    }
}
