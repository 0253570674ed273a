import WaybillCore
import WaybillEncoding
package import WaybillMongo

/// Tells a person's other phones that something was read, so that their apps take it away: a push that nobody sees or hears.
///
/// Nothing depends on it: an app that does not hear of it asks the next time it is opened.
package struct ReadPush: Sendable {
    /// What was read.
    package enum Read: Hashable, Sendable {
        /// - Parameters:
        ///   - id: the notification's.
        ///   - service: who said it.
        case one(id: String, service: String)
        /// - Parameters:
        ///   - service: all that it has said; `nil`: all services.
        ///   - until: in milliseconds since 1970.
        case all(service: String?, until: Int64)
    }

    /// How long a phone that is away may hear of it, in seconds.
    private static let lifetime: Int64 = 86_400

    private let read: Read
    /// The account's id.
    private let account: String
    private let device: String?

    /// - Parameters:
    ///   - read: what.
    ///   - account: who.
    ///   - device: the installation's id on which it was read, which need not hear of it; `nil`: all do.
    package init(_ read: Read, by account: String, except device: String? = nil) {
        self.read = read
        self.account = account
        self.device = device
    }

    /// The messages for the dispatchers; `nil` where there is no phone to tell.
    ///
    /// - Parameters:
    ///   - intake: knows the phones.
    ///   - notification: which phones of which kind were told of what was read; `nil`: all but those of test keys.
    ///   - now: milliseconds since 1970.
    /// - Returns: what is to be published; nil where the person has no other device.
    /// - Throws: what the store says.
    package func message(
        _ intake: NotificationIntake,
        as notification: NotificationRecord?,
        now: Int64
    ) throws(MongoError) -> StoredNotification? {
        // It goes where the notification went.
        let lanes =
            notification.map {
                NotificationLanes(apns: $0.lane ?? intake.route.lane, fcm: $0.fcmLane)
            } ?? intake.route.lanes
        let tokens = try intake.tokens(of: [account], over: lanes, except: device)
        guard !tokens.isEmpty else { return nil }
        // No part of the notification's own batch: its outcomes are those of what people see.
        let name =
            switch read {
            case .one(let id, _): ReadPushName.name(id)
            case .all: ReadPushName.name(NotificationName.random())
            }
        var messages = NotificationMessages(id: name, client: intake.route.client, service: service, lanes: lanes)
        messages.expiration = now / 1000 + Self.lifetime
        messages.pushType = "background"
        return StoredNotification(id: name, at: now, messages: messages.bodies(tokens, contents))
    }

    private var service: String? {
        switch read {
        case .one(_, let service): service
        case .all(let service, _): service
        }
    }

    /// What the apps read.
    var contents: NotificationMessages.Contents {
        var json = JSONWriter(capacity: 256)
        json.beginObject()
        json.beginObject("aps")
        json.member("content-available", 1)
        json.endObject()
        json.member("read", json: readText)
        json.endObject()
        var fields = JSONWriter(capacity: 256)
        fields.beginObject()
        fields.member("delivery_type", "silent")
        fields.beginObject("payload")
        fields.beginObject("data")
        // FCM's `data` holds texts alone.
        fields.member("read", String(decoding: readText, as: UTF8.self))
        fields.endObject()
        fields.endObject()
        fields.endObject()
        return NotificationMessages.Contents(
            payload: json.bytes,
            fields: Array(fields.bytes.dropFirst().dropLast())
        )
    }

    private var readText: [UInt8] {
        var json = JSONWriter(capacity: 128)
        json.beginObject()
        switch read {
        case .one(let id, let service):
            json.member("notification", id)
            json.member("serviceUUID", service)
        case .all(let service, let until):
            json.member("until", TimeText.text(milliseconds: until))
            json.member("serviceUUID", service)
        }
        json.endObject()
        return json.bytes
    }
}
