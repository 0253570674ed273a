package import WaybillAPNS
package import WaybillCore

extension APNSRequest {
    /// A notification as APNs takes it.
    ///
    /// - Parameters:
    ///   - notification: its values have been checked when its message was read.
    ///   - position: of the item in its batch.
    ///   - notAfter: seconds since 1970 from which on it is not sent any more.
    package init(_ notification: Notification, position: Int, notAfter: Int64) {
        self.init(
            index: position,
            deviceToken: notification.deviceToken,
            payload: notification.payload,
            topic: notification.topic ?? "",
            pushType: APNSPushType(rawValue: notification.kind ?? ""),
            priority: notification.priority.rawValue,
            expiration: APNSExpiration(notification.expiration),
            notAfter: notAfter,
            apnsID: APNSID(high: notification.id.high, low: notification.id.low),
            collapseID: APNSCollapseID(notification.collapseKey),
            resendsUnknown: notification.onUnknown == .resend
        )
    }
}

extension APNSExpiration {
    fileprivate init(_ expiration: Expiration) {
        switch expiration {
        case .absent: self = .absent
        case .immediate: self = .immediate
        case .at(let seconds): self = .at(seconds)
        }
    }
}

extension APNSCollapseID {
    fileprivate init(_ key: CollapseKey) {
        switch key {
        case .none: self = .none
        case .explicit(let bytes): self = .explicit(bytes)
        case .digest(let digest): self = .digest(digest)
        }
    }
}
