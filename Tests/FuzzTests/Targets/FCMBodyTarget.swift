import WaybillCore
import WaybillEncoding
import WaybillFCM
import WaybillProviders

extension FuzzTarget {
    private static let fcmDecoder = BatchDecoder(
        limits: DecodingLimits(maxBodySize: 1 << 16, maxNotifications: 200),
        lanes: [Lane(name: "android", project: "parcels-4711")]
    )
    private static let now: Int64 = 1_790_000_000

    /// A dispatch message's body for a lane to FCM: whatever is valid becomes a request that is JSON, has the token as it stands,
    /// and our id.
    static let fcmBody = FuzzTarget("fcm-body", examples: "dispatch-message-fcm", dictionary: "json") { bytes in
        guard case .success(let batch) = fcmDecoder.decode(bytes, properties: MessageProperties()) else { return }
        for item in batch.items {
            switch item.content {
            case .invalid(let invalid):
                try require(!invalid.reason.isEmpty, "an invalid item without a reason")
                try require(
                    (invalid.deviceToken?.count ?? 0) <= InvalidItem.maxTokenBytes,
                    "a given token without a bound"
                )
            case .valid(let notification): try check(notification)
            }
        }
    }

    private static func check(_ notification: Notification) throws {
        let request = FCMRequest(notification, position: 0, notAfter: .max)
        let body = request.body(at: now)
        // A token may need escapes, each a byte more.
        try require(body.count <= request.bodySize + notification.deviceToken.count, "a body larger than its size")
        let message = try member("message", of: body, in: nil)
        let target = notification.note.isInstallation ? "fid" : "token"
        let token = try member(target, of: body, in: message)
        var text: [UInt8] = []
        let inner = body[token.lowerBound + 1..<token.upperBound - 1]
        inner.withUnsafeBufferPointer { JSONText.appendUnescaped($0, to: &text) }
        try require(text.elementsEqual(notification.deviceToken), "another token")
        let id = try member("wb_id", of: body, in: try member("data", of: body, in: message))
        try require(body[id].elementsEqual("\"\(notification.id)\"".utf8), "another id")
        guard notification.expiration != .absent, notification.note.lifePlace > 0 else { return }
        _ = try member("ttl", of: body, in: try member("android", of: body, in: message))
    }

    /// Where a member's value stands, of which there must be one.
    private static func member(_ name: String, of body: [UInt8], in range: Range<Int>?) throws -> Range<Int> {
        let range = try range ?? JSONReader.value(of: body)
        let found = (try JSONReader.members(of: body, in: range) ?? []).filter { $0.name == name }
        try require(found.count == 1, "\(found.count) times \(name)")
        return found[0].value
    }
}
