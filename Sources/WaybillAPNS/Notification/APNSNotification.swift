/// One push: a payload, the device it goes to, and how APNs shall treat it.
///
/// From typed content, with the caller's own keys beside `aps`:
///
///     var push = try APNSNotification(to: token, .alert(title: "Parcel", body: "It is here"), custom: Order(id: 7))
///     push.collapseID = "order-7"
///     push.expiration = .after(.seconds(3600))
///
/// From ready JSON, which passes byte for byte:
///
///     let push = APNSNotification(to: token, payload: json, pushType: .alert)
///
/// Values are checked when the notification is sent, or earlier by ``validate(for:)``. Ready JSON is looked into only for
/// ``APNSPushType/background`` and ``APNSPushType/mdm``, whose rules lie in the payload.
///
/// Source: Apple, "Sending notification requests to APNs".
public struct APNSNotification: Sendable, Hashable {
    /// The device's token: an even number of hexadecimal digits in either case, 2 to 400 of them.
    ///
    /// Do not expect a length: tokens of 64, 108 and 160 digits are known. Sent in lower case.
    public var deviceToken: String
    /// The JSON body: up to 4,096 bytes, 5,120 for ``APNSPushType/voip``.
    public var payload: APNSPayload
    /// The kind of push; it must agree with the payload, or APNs may drop the push without a word.
    public var pushType: APNSPushType
    /// The topic; `nil` stands for the lane's bundle id with the push type's suffix.
    ///
    /// ``APNSPushType/mdm`` needs one: the UID in the subject of the MDM push certificate. Visible ASCII.
    public var topic: String?
    /// How urgent the push is; `nil` stands for the push type's default: 5 for background pushes, else 10.
    public var priority: APNSPriority?
    /// How long APNs keeps the notification for a device that is not reachable.
    public var expiration = APNSExpiration.absent
    /// Joins notifications: a later one with the same id replaces the earlier one on the device.
    ///
    /// 1 to 64 bytes of visible ASCII, the characters from `!` to `~` without the space.
    public var collapseID: String?
    /// The notification's id, which APNs echoes: a new random one unless set.
    public var apnsID: APNSID
    /// Whether to send once more when nobody knows whether APNs took the first one.
    public var onUnknown = APNSUnknownPolicy.report

    /// Creates a notification from a payload.
    ///
    /// - Parameters:
    ///   - deviceToken: the device's token in hexadecimal digits.
    ///   - payload: the body.
    ///   - pushType: what the payload is for.
    public init(to deviceToken: String, payload: APNSPayload, pushType: APNSPushType) {
        self.deviceToken = deviceToken
        self.payload = payload
        self.pushType = pushType
        apnsID = .random()
    }

    /// Creates a notification from ready JSON, which is sent byte for byte.
    ///
    /// - Parameters:
    ///   - deviceToken: the device's token in hexadecimal digits.
    ///   - payload: a JSON object in UTF-8.
    ///   - pushType: what the payload is for.
    public init(to deviceToken: String, payload: [UInt8], pushType: APNSPushType) {
        self.init(to: deviceToken, payload: APNSPayload(json: payload), pushType: pushType)
    }

    /// The same notification for another device, with a new ``apnsID``; the payload is shared.
    public func addressed(to deviceToken: String) -> Self {
        var copy = self
        copy.deviceToken = deviceToken
        copy.apnsID = .random()
        return copy
    }
}

extension APNSNotification: CustomStringConvertible, CustomReflectable {
    /// The push type, the id and the payload's size: neither the token nor the payload, which do not belong in logs.
    public var description: String { "\(pushType.rawValue) \(apnsID), \(payload)" }

    /// Shows what ``description`` does.
    public var customMirror: Mirror { Mirror(self, children: ["notification": description]) }
}
