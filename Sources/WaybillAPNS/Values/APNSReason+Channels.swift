/// The reasons that only broadcasts and the management of channels meet.
///
/// Source: Apple, "Handling error responses from Apple Push Notification service", on broadcast push notifications.
extension APNSReason {
    // 400
    /// The channel id is malformed.
    public static let badChannelID = Self(rawValue: "BadChannelId")
    /// A header or a value of the request is not allowed.
    public static let badRequestParameters = Self(rawValue: "BadRequestParams")
    /// The body is not what the request needs.
    public static let badRequestPayload = Self(rawValue: "BadRequestPayload")
    /// The broadcast capability is not switched on for the app; a spelling seen on the wire.
    public static let broadcastFeatureNotEnabled = Self(rawValue: "BroadcastFeatureNotEnabled")
    /// The channel cannot be created: the app may have all the channels that it can have.
    public static let cannotCreateChannel = Self(rawValue: "CannotCreateChannelConfig")
    /// There is no such channel for the app in this environment.
    public static let channelNotRegistered = Self(rawValue: "ChannelNotRegistered")
    /// The broadcast capability is not switched on for the app.
    public static let featureNotEnabled = Self(rawValue: "FeatureNotEnabled")
    /// The request names no channel.
    public static let missingChannelID = Self(rawValue: "MissingChannelId")
    /// The request names no push type.
    public static let missingPushType = Self(rawValue: "MissingPushType")

    // 403
    /// The credentials are not for the app in the path.
    public static let topicMismatch = Self(rawValue: "TopicMismatch")
}
