import WaybillMongo

/// The collection `account_events`: what has changed for people, one document for each event and person.
///
/// | field | type | meaning |
/// |---|---|---|
/// | `_id` | string | of the event: the same twice is one |
/// | `account` | string | who is told |
/// | `type` | string | `notification`, `read`, `acknowledged`, `service` or `membership` |
/// | `data` | string | an object, as JSON |
/// | `at` | date | when |
/// | `expires_at` | date | when the TTL index erases it |
enum AccountEventLayout {
    static let collection = "account_events"
    /// How long an event is kept, in milliseconds.
    static let lifetime: Int64 = 24 * 3_600_000

    enum Field {
        static let id: StaticString = "_id"
        static let account: StaticString = "account"
        static let type: StaticString = "type"
        static let data: StaticString = "data"
        static let at: StaticString = "at"
        static let expiresAt: StaticString = "expires_at"
    }

    static let indexes = [
        MongoIndex(name: "end", keys: [.ascending("\(Field.expiresAt)")], expireAfterSeconds: 0)
    ]
}

extension AccountEvent {
    private typealias Field = AccountEventLayout.Field

    /// Reads a document; `nil` for one that is not whole.
    init?(_ document: BSONDocument) {
        guard let id = document["\(Field.id)"]?.string, let account = document["\(Field.account)"]?.string,
            let kind = document["\(Field.type)"]?.string.flatMap(Kind.init), let at = document["\(Field.at)"]?.date,
            let data = document["\(Field.data)"]?.string
        else { return nil }
        self.init(id: id, account: account, kind: kind, at: at, data: data)
    }

    var document: BSONWriter {
        let writer = BSONWriter(capacity: 384)
        writer.append(Field.id, string: id)
        writer.append(Field.account, string: account)
        writer.append(Field.type, string: kind.rawValue)
        writer.append(Field.data, string: data)
        writer.append(Field.at, date: at)
        writer.append(Field.expiresAt, date: at + AccountEventLayout.lifetime)
        return writer
    }
}
