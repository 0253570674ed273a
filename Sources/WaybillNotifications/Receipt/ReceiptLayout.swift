import WaybillMongo

/// The collection `receipts`: what a notification is to a person, one document for each of both.
///
/// | field | type | meaning |
/// |---|---|---|
/// | `_id` | string | the notification's id and the account's, with a slash between |
/// | `notification`, `service`, `account` | string | `_id` of each |
/// | `state` | string | `queued`: for the person's devices; `suppressed`: not for them |
/// | `reason` | string | why it was suppressed: `level`, `muted` or `quiet_hours` |
/// | `at` | date | when the service said it |
/// | `read_at`, `acknowledged_at` | date | when the person first did; absent: not yet |
/// | `untold` | bool | true: webhooks are to be told that it was acknowledged; absent: there is nothing to tell, or it was |
/// | `erase_at` | date | when the TTL index erases it, with the notification |
enum ReceiptLayout {
    static let collection = "receipts"

    enum Field {
        static let id: StaticString = "_id"
        static let notification: StaticString = "notification"
        static let service: StaticString = "service"
        static let account: StaticString = "account"
        static let state: StaticString = "state"
        static let reason: StaticString = "reason"
        static let at: StaticString = "at"
        static let readAt: StaticString = "read_at"
        static let acknowledgedAt: StaticString = "acknowledged_at"
        static let untold: StaticString = "untold"
        static let eraseAt: StaticString = "erase_at"
    }

    static let indexes = [
        // What was this person told, the latest first?
        MongoIndex(
            name: "account_at",
            keys: [.ascending("\(Field.account)"), .descending("\(Field.at)"), .descending("\(Field.notification)")]
        ),
        // And by this service?
        MongoIndex(
            name: "account_service_at",
            keys: [
                .ascending("\(Field.account)"), .ascending("\(Field.service)"), .descending("\(Field.at)"),
                .descending("\(Field.notification)"),
            ]
        ),
        // Who was told this, and who has read it?
        MongoIndex(name: "notification", keys: [.ascending("\(Field.notification)")]),
        // What are webhooks to be told?
        MongoIndex(
            name: "untold",
            keys: [.ascending("\(Field.untold)")],
            partialFilter: BSONDocument { $0.append(Field.untold, bool: true) }
        ),
        MongoIndex(name: "end", keys: [.ascending("\(Field.eraseAt)")], expireAfterSeconds: 0),
    ]

    static func id(notification: String, account: String) -> String { "\(notification)/\(account)" }
}
