import WaybillEncoding

/// A silent push that gives the app a moment in the background: `{"aps":{"content-available":1}}` and custom keys.
///
/// Apple's advice is two or three an hour for a device. Source: Apple, "Pushing background updates to your app".
public struct APNSBackgroundContent: APNSContent, Hashable {
    /// ``APNSPushType/background``.
    public static var pushType: APNSPushType { .background }

    /// Creates content.
    public init() {}

    /// Writes `content-available` with the members of the caller's object beside `aps`.
    public func payload(custom: APNSJSON?) throws(APNSError) -> APNSPayload {
        try APNSPayload(aps: Self.pushType, custom: custom) { $0.flag("content-available", true) }
    }
}

extension APNSContent where Self == APNSBackgroundContent {
    /// A silent push; what it is about goes into the custom keys.
    public static var background: Self { Self() }
}
