package import WaybillCore
package import WaybillMongo

/// The collection `delivery_receipts`: what devices say of their notifications, one document for each notification and event, the
/// first of its kind (`schemas/delivery-receipt.schema.json`).
///
/// | field | type | meaning |
/// |---|---|---|
/// | `_id` | binary | the 16 bytes of the notification's id, one for the event, and the 8 of `content`, if there is one |
/// | `notification` | UUID | the notification's id: `_id` of its record, which may be written later |
/// | `content` | string | what the push is about, as its record has it, where its producer gave the id |
/// | `event` | string | what is said |
/// | `received_at` | date | when it came here |
/// | `device_time` | date | when it happened by the device's clock |
/// | `app` | string | the app's version |
/// | `priority`, `priority_asked` | string | with which priority it came, and was sent |
/// | `expires_at` | date | when the TTL index erases it; absent: never |
package enum ReceiptLayout {
    package static let collection = "delivery_receipts"

    enum Field {
        static let id: StaticString = "_id"
        static let notification: StaticString = "notification"
        static let content: StaticString = "content"
        static let event: StaticString = "event"
        static let receivedAt: StaticString = "received_at"
        static let deviceTime: StaticString = "device_time"
        static let app: StaticString = "app"
        static let priority: StaticString = "priority"
        static let priorityAsked: StaticString = "priority_asked"
        static let expiresAt: StaticString = "expires_at"
    }

    static let indexes = [
        MongoIndex(name: "expiry", keys: [.ascending("\(Field.expiresAt)")], expireAfterSeconds: 0)
    ]

    /// The key of what is said of a notification; with 0 and 255 in the event's place, what all of its keys lie between.
    ///
    /// The store puts all keys with a content behind all without.
    static func key(_ subject: ReceiptSubject, _ event: UInt8) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: 25) { bytes, count in
            let raw = UnsafeMutableRawBufferPointer(bytes)
            raw.storeBytes(of: subject.id.high.bigEndian, as: UInt64.self)
            raw.storeBytes(of: subject.id.low.bigEndian, toByteOffset: 8, as: UInt64.self)
            raw[16] = event
            count = 17
            guard let content = subject.content else { return }
            raw.storeBytes(of: content.bigEndian, toByteOffset: 17, as: UInt64.self)
            count = 25
        }
    }

    /// The first key with a content that there could be.
    static let firstWithContent = key(ReceiptSubject(NotificationID(high: 0, low: 0), content: 0), 0)

    /// What a key without a content is about; `nil` for any other.
    static func parts(ofKey bytes: [UInt8]) -> (id: NotificationID, event: ReceiptEvent)? {
        guard bytes.count == 17, let event = ReceiptEvent(rawValue: bytes[16]) else { return nil }
        let words = bytes.withUnsafeBytes { bytes in
            (
                UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)),
                UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
            )
        }
        return (NotificationID(high: words.0, low: words.1), event)
    }
}

extension DeliveryReceipt {
    private typealias Field = ReceiptLayout.Field

    /// Reads a document; `nil` for one that is not whole.
    package init?(_ document: BSONDocument) {
        guard case .uuid(let high, let low) = document["\(Field.notification)"],
            let event = document["\(Field.event)"]?.string.flatMap({ ReceiptEvent(name: $0) }),
            let receivedAt = document["\(Field.receivedAt)"]?.date
        else { return nil }
        self.init(
            id: NotificationID(high: high, low: low),
            content: document["\(Field.content)"]?.string.flatMap(Fingerprint.value),
            event: event,
            receivedAt: receivedAt,
            deviceTime: document["\(Field.deviceTime)"]?.date,
            app: document["\(Field.app)"]?.string,
            priority: document["\(Field.priority)"]?.string,
            priorityAsked: document["\(Field.priorityAsked)"]?.string
        )
    }

    /// Writes its document.
    ///
    /// - Parameters:
    ///   - writer: gets the fields.
    ///   - expiresAt: milliseconds since 1970; `nil` for never.
    func write(to writer: BSONWriter, expiresAt: Int64?) {
        writer.append(Field.id, binary: ReceiptLayout.key(subject, event.rawValue))
        writer.append(Field.notification, uuid: id.high, id.low)
        if let content { writer.append(Field.content, string: Fingerprint.text(content)) }
        writer.append(Field.event, string: "\(event.name)")
        writer.append(Field.receivedAt, date: receivedAt)
        if let deviceTime { writer.append(Field.deviceTime, date: deviceTime) }
        if let app { writer.append(Field.app, string: app) }
        if let priority { writer.append(Field.priority, string: priority) }
        if let priorityAsked { writer.append(Field.priorityAsked, string: priorityAsked) }
        if let expiresAt { writer.append(Field.expiresAt, date: expiresAt) }
    }
}
