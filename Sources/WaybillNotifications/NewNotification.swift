import WaybillAccounts
import WaybillMongo

/// A notification that is not stored yet.
///
/// Times are milliseconds since 1970.
struct NewNotification {
    var id: String
    var service: String
    /// Whose it is in the delivery log.
    var client: String
    var lanes: NotificationLanes
    /// The id of the key that it is sent with; `nil`: by the thesis' API.
    var key: String?
    var content: ServiceNotification
    var at: Int64
    var eraseAt: Int64
    var digest: String
    /// One for each person of the service.
    var receipts: [Receipt]
    var devices: Int
    var messages: [[UInt8]]
    /// The same with a token that any lane takes, one for each kind of phone that there are lanes for.
    var samples: [[UInt8]] = []
    /// Where its messages go, in the form of the thesis' queue; `nil`: to the dispatchers.
    var queue: String?

    private typealias Field = NotificationLayout.Field

    /// How many of the service's people are not told.
    var suppressed: Int { receipts.count { $0.suppressed != nil } }

    var receiptDocuments: [BSONDocument] { receipts.map { $0.document(eraseAt: eraseAt).document } }

    /// The document, claimed for whoever stores it at this moment.
    func document(claimedBy owner: String, now: Int64) -> BSONWriter {
        let writer = BSONWriter(capacity: 2048)
        writer.append(Field.id, string: id)
        writer.append(Field.service, string: service)
        writer.append(Field.client, string: client)
        writer.append(Field.lane, string: lanes.apns)
        if let lane = lanes.fcm { writer.append(Field.fcmLane, string: lane) }
        if let key { writer.append(Field.key, string: key) }
        if let queue { writer.append(Field.queue, string: queue) }
        append(content, to: writer)
        writer.append(Field.at, date: at)
        writer.append(Field.eraseAt, date: eraseAt)
        writer.append(Field.digest, string: digest)
        writer.append(Field.state, string: NotificationLayout.State.claimed.rawValue)
        writer.append(Field.sent, bool: false)
        writer.append(Field.claimedBy, string: owner)
        writer.append(Field.claimedUntil, date: now + NotificationStore.lease)
        writer.append(Field.recipients, int: receipts.count - suppressed)
        writer.append(Field.suppressed, int: suppressed)
        if suppressed > 0 { writer.append(Field.untold, bool: true) }
        writer.append(Field.devices, int: devices)
        writer.append(
            Field.people,
            array: { array in
                for receipt in receipts {
                    array.append { person in
                        person.append(Field.account, string: receipt.account)
                        if let reason = receipt.suppressed { person.append(Field.reason, string: reason.rawValue) }
                    }
                }
            }
        )
        writer.append(
            Field.messages,
            array: { array in
                for message in messages { array.append(string: String(decoding: message, as: UTF8.self)) }
            }
        )
        return writer
    }

    private func append(_ content: ServiceNotification, to writer: BSONWriter) {
        writer.append(Field.level, string: content.level.name)
        if let title = content.title { writer.append(Field.title, string: title) }
        writer.append(Field.body, string: content.body)
        if let text = content.text { writer.append(Field.text, string: text) }
        if let url = content.url { writer.append(Field.url, string: url) }
        if let collapse = content.collapseID { writer.append(Field.collapseID, string: collapse) }
        if let expiration = content.expiration { writer.append(Field.expiration, int64: expiration) }
        if let data = content.data { writer.append(Field.data, string: String(decoding: data, as: UTF8.self)) }
    }
}
