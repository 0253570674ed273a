import WaybillEncoding

/// Asks WidgetKit to reload an app's widgets: `{"aps":{"content-changed":true}}`.
///
/// Source: Apple, "Updating widgets with WidgetKit push notifications".
public struct APNSWidgetsContent: APNSContent, Hashable {
    /// ``APNSPushType/widgets``.
    public static var pushType: APNSPushType { .widgets }

    /// Creates content.
    public init() {}

    /// Writes `content-changed` with the members of the caller's object beside `aps`.
    public func payload(custom: APNSJSON?) throws(APNSError) -> APNSPayload {
        try APNSPayload(aps: Self.pushType, custom: custom) { $0.memberTrue("content-changed") }
    }
}

/// Asks WidgetKit to reload the control that the push token belongs to: `{"aps":{"content-changed":true}}`.
///
/// Source: Apple, "Updating controls locally and remotely".
public struct APNSControlsContent: APNSContent, Hashable {
    /// ``APNSPushType/controls``.
    public static var pushType: APNSPushType { .controls }

    /// Creates content.
    public init() {}

    /// Writes `content-changed` with the members of the caller's object beside `aps`.
    public func payload(custom: APNSJSON?) throws(APNSError) -> APNSPayload {
        try APNSPayload(aps: Self.pushType, custom: custom) { $0.memberTrue("content-changed") }
    }
}

extension APNSContent where Self == APNSWidgetsContent {
    /// A reload of the app's widgets.
    public static var widgets: Self { Self() }
}

extension APNSContent where Self == APNSControlsContent {
    /// A reload of a control.
    public static var controls: Self { Self() }
}
