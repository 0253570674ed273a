import WaybillAPNS

/// The code of "Relay payloads you do not know".
enum RelaySamples {
    /// What a relay is handed for one device.
    struct Push {
        var deviceToken: String
        var topic: String
        var pushType: String
        var json: [UInt8]
        var id: String?
    }

    static func notification(for push: Push) -> APNSNotification {
        var notification = APNSNotification(
            to: push.deviceToken,
            payload: push.json,
            pushType: APNSPushType(rawValue: push.pushType)
        )
        notification.topic = push.topic
        notification.expiration = .after(.seconds(24 * 3600))
        if let text = push.id, let id = APNSID(text) { notification.apnsID = id }
        return notification
    }

    static func refusals(_ pushes: [Push], configuration: APNSConfiguration) -> [Int: String] {
        var refusals: [Int: String] = [:]
        for (number, push) in pushes.enumerated() {
            do {
                try notification(for: push).validate(for: configuration)
            } catch {
                refusals[number] = error.field
            }
        }
        return refusals
    }

    static func campaign(json: [UInt8], deviceTokens: [String]) -> [APNSNotification] {
        let first = APNSNotification(to: deviceTokens[0], payload: json, pushType: .alert)
        let notifications = deviceTokens.map { first.addressed(to: $0) }
        return notifications
    }
}
