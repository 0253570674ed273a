/// Wakes a Push to Talk app: an empty `aps`, and who is speaking in the custom keys.
///
/// Source: Apple, "Creating a Push to Talk app", which also asks for an expiration of ``APNSExpiration/immediate``.
public struct APNSPushToTalkContent: APNSContent, Hashable {
    /// ``APNSPushType/pushToTalk``.
    public static var pushType: APNSPushType { .pushToTalk }

    /// Creates content.
    public init() {}

    /// Writes an empty `aps` with the members of the caller's object beside it.
    public func payload(custom: APNSJSON?) throws(APNSError) -> APNSPayload {
        try APNSPayload(aps: Self.pushType, custom: custom) { _ in }
    }
}

/// Asks an app's location push extension for the device's location: an empty `aps` and custom keys.
///
/// A provider token is needed; a certificate cannot send it. Source: Apple, "Creating a location push service extension".
public struct APNSLocationContent: APNSContent, Hashable {
    /// ``APNSPushType/location``.
    public static var pushType: APNSPushType { .location }

    /// Creates content.
    public init() {}

    /// Writes an empty `aps` with the members of the caller's object beside it.
    public func payload(custom: APNSJSON?) throws(APNSError) -> APNSPayload {
        try APNSPayload(aps: Self.pushType, custom: custom) { _ in }
    }
}

extension APNSContent where Self == APNSPushToTalkContent {
    /// A Push to Talk wake-up.
    public static var pushToTalk: Self { Self() }
}

extension APNSContent where Self == APNSLocationContent {
    /// A location query.
    public static var location: Self { Self() }
}
