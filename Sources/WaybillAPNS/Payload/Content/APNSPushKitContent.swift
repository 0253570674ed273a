/// An incoming call: what it is about stands in the custom keys alone.
///
/// Source: Apple, "Responding to VoIP Notifications from PushKit".
public struct APNSVoIPContent: APNSContent, Hashable {
    /// ``APNSPushType/voip``.
    public static var pushType: APNSPushType { .voip }

    /// Creates content.
    public init() {}

    /// Writes the members of the caller's object, and an empty `aps` when there is none.
    public func payload(custom: APNSJSON?) throws(APNSError) -> APNSPayload {
        try APNSPayload(onlyCustom: custom, Self.pushType)
    }
}

/// An update of a watchOS complication: what is new stands in the custom keys alone.
///
/// Source: Apple, "Keeping your complications up to date".
public struct APNSComplicationContent: APNSContent, Hashable {
    /// ``APNSPushType/complication``.
    public static var pushType: APNSPushType { .complication }

    /// Creates content.
    public init() {}

    /// Writes the members of the caller's object, and an empty `aps` when there is none.
    public func payload(custom: APNSJSON?) throws(APNSError) -> APNSPayload {
        try APNSPayload(onlyCustom: custom, Self.pushType)
    }
}

extension APNSContent where Self == APNSVoIPContent {
    /// An incoming call.
    public static var voip: Self { Self() }
}

extension APNSContent where Self == APNSComplicationContent {
    /// An update of a complication.
    public static var complication: Self { Self() }
}
