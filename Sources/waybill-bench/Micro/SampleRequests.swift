import WaybillAPNS
import WaybillCore

/// The samples as the APNs driver gets them.
enum SampleRequests {
    static let authority = "api.push.apple.com"

    /// As long as a provider token is.
    static let authorization = Array("bearer \(String(repeating: "eyJhbGciOiJFUzI1NiJ9.", count: 9))".utf8)

    static func all() throws -> [APNSRequest] {
        try Samples.batches().flatMap { batch in
            try batch.items.enumerated().map { position, item in
                guard case .valid(let notification) = item.content else {
                    throw MicroError.unexpected("a sample is not valid")
                }
                return APNSRequest(
                    index: position,
                    deviceToken: notification.deviceToken,
                    payload: notification.payload,
                    topic: notification.topic ?? "",
                    pushType: APNSPushType(rawValue: notification.kind ?? ""),
                    priority: notification.priority.rawValue,
                    expiration: APNSExpiration(notification.expiration),
                    apnsID: APNSID(high: notification.id.high, low: notification.id.low),
                    collapseID: APNSCollapseID(notification.collapseKey),
                    resendsUnknown: notification.onUnknown == .resend
                )
            }
        }
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
