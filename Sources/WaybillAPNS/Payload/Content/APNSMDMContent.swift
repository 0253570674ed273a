import WaybillEncoding

/// Wakes a managed device: `{"mdm":"…"}`, without `aps`.
///
/// The notification needs an explicit topic, the UID in the subject of the MDM push certificate, and the certificate's own
/// lane. Source: Apple, "Sending MDM commands to a device".
public struct APNSMDMContent: APNSContent, Hashable {
    /// ``APNSPushType/mdm``.
    public static var pushType: APNSPushType { .mdm }

    /// `mdm`: the `PushMagic` that the device gave at its check-in.
    public var pushMagic: String

    /// Creates content.
    public init(pushMagic: String) {
        self.pushMagic = pushMagic
    }

    /// Writes `mdm`, and the members of the caller's object beside it.
    public func payload(custom: APNSJSON?) throws(APNSError) -> APNSPayload {
        try ContentCheck.text(pushMagic, "mdm")
        return try APNSPayload(Self.pushType, custom: custom) { $0.member("mdm", pushMagic) }
    }
}

extension APNSContent where Self == APNSMDMContent {
    /// A wake-up of a managed device.
    public static func mdm(pushMagic: String) -> Self {
        Self(pushMagic: pushMagic)
    }
}
