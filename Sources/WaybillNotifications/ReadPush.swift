import WaybillEncoding
import WaybillMessages
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

    /// The message for the dispatchers; `nil` where there is no phone to tell.
    ///
    /// - Parameters:
    ///   - intake: knows the phones.
    ///   - lane: where the notification went; `nil`: where all but those of test keys go.
    ///   - now: milliseconds since 1970.
    /// - Returns: what is to be published; nil where the person has no other device.
    /// - Throws: what the store says.
    package func message(
        _ intake: NotificationIntake,
        lane: String?,
        now: Int64
    ) throws(MongoError) -> StoredNotification? {
        let tokens = try intake.tokens(of: [account], except: device)
        guard !tokens.isEmpty else { return nil }
        var json: [UInt8] = []
        // No part of the notification's own batch: its outcomes are those of what people see.
        let name =
            switch read {
            case .one(let id, _): "\(id).read"
            case .all: NotificationName.random() + ".read"
            }
        DispatchMessage.appendNames(
            batchID: name,
            client: intake.route.client,
            lane: lane ?? intake.route.lane,
            service: service,
            to: &json
        )
        DispatchMessage.appendDelivery(
            pushType: "background",
            expiration: now / 1000 + Self.lifetime,
            collapseID: nil,
            to: &json
        )
        DispatchMessage.appendPayload(payload, to: &json)
        DispatchMessage.appendOpening(of: .deviceTokens, to: &json)
        for (place, token) in tokens.prefix(NotificationIntake.tokensOfOne).enumerated() {
            if place > 0 { json.append(UInt8(ascii: ",")) }
            JSONText.appendString(token.utf8, to: &json)
        }
        DispatchMessage.appendClosing(to: &json)
        return StoredNotification(id: name, at: now, messages: [json])
    }

    private var service: String? {
        switch read {
        case .one(_, let service): service
        case .all(let service, _): service
        }
    }

    /// What the app reads.
    var payload: [UInt8] {
        var json = JSONWriter(capacity: 256)
        json.beginObject()
        json.beginObject("aps")
        json.member("content-available", 1)
        json.endObject()
        json.beginObject("read")
        switch read {
        case .one(let id, let service):
            json.member("notification", id)
            json.member("serviceUUID", service)
        case .all(let service, let until):
            json.member("until", TimeText.text(milliseconds: until))
            json.member("serviceUUID", service)
        }
        json.endObject()
        json.endObject()
        return json.bytes
    }
}
