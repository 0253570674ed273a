package import WaybillAccounts
import WaybillMongo

/// What a notification is to one person: whether it went to their devices, and what they have done with it.
///
/// Times are milliseconds since 1970.
package struct Receipt: Hashable, Sendable {
    /// The notification's id.
    package let notification: String
    package let service: String
    /// The account's id.
    package let account: String
    /// When the service said it.
    package let at: Int64
    /// Why it did not go to their devices; `nil`: it went to those on which they were logged in.
    package let suppressed: ServiceAudience.Silence?
    package var readAt: Int64?
    package var acknowledgedAt: Int64?

    /// What the store calls it: `queued` or `suppressed`.
    package var state: String { suppressed == nil ? "queued" : "suppressed" }
}

extension Receipt {
    private typealias Field = ReceiptLayout.Field

    /// Reads a document; `nil` for one that is not whole.
    init?(_ document: BSONDocument) {
        guard let notification = document["\(Field.notification)"]?.string,
            let service = document["\(Field.service)"]?.string,
            let account = document["\(Field.account)"]?.string, let at = document["\(Field.at)"]?.date
        else { return nil }
        self.notification = notification
        self.service = service
        self.account = account
        self.at = at
        suppressed = document["\(Field.reason)"]?.string.flatMap(ServiceAudience.Silence.init)
        readAt = document["\(Field.readAt)"]?.date
        acknowledgedAt = document["\(Field.acknowledgedAt)"]?.date
    }

    func document(eraseAt: Int64) -> BSONWriter {
        let writer = BSONWriter(capacity: 384)
        writer.append(Field.id, string: ReceiptLayout.id(notification: notification, account: account))
        writer.append(Field.notification, string: notification)
        writer.append(Field.service, string: service)
        writer.append(Field.account, string: account)
        writer.append(Field.state, string: state)
        if let suppressed { writer.append(Field.reason, string: suppressed.rawValue) }
        writer.append(Field.at, date: at)
        writer.append(Field.eraseAt, date: eraseAt)
        return writer
    }
}
