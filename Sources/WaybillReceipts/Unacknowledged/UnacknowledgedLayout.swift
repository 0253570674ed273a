import WaybillMongo

/// The collection `unacknowledged`: notifications that are sent again until somebody acknowledges them, one document for each family.
///
/// | field | type | meaning |
/// |---|---|---|
/// | `_id` | UUID | the first one's id, which is the family's name |
/// | `content` | string | what the first one is about, as its record has it, where its producer gave the id |
/// | `client`, `lane` | string | the first one's |
/// | `begins` | date | the first one's own time |
/// | `interval`, `limit` | int | seconds from one push to the next; how many repeats there are at the most |
/// | `number` | int | the last repeat that the broker has; 0: none yet |
/// | `ends` | date | from when on it is too late; absent: never |
/// | `due` | date | when somebody looks at it next; absent: it has ended |
/// | `claimed_by`, `claims` | string, int | who looks at it, and how often somebody began to since it was noted last |
/// | `body`, `message_id`, `timestamp`, `producer`, `bulk` | | the message that a repeat is, until the end |
/// | `ended_at`, `end` | date, string | when it has ended, and why (``FamilyEnd``) |
/// | `acknowledged`, `acknowledged_at` | UUID, date | which of the family was acknowledged, and when that came here |
/// | `expires_at` | date | when the TTL index erases it; absent: never |
enum UnacknowledgedLayout {
    static let collection = "unacknowledged"

    enum Field {
        static let id: StaticString = "_id"
        static let content: StaticString = "content"
        static let client: StaticString = "client"
        static let lane: StaticString = "lane"
        static let begins: StaticString = "begins"
        static let interval: StaticString = "interval"
        static let limit: StaticString = "limit"
        static let number: StaticString = "number"
        static let ends: StaticString = "ends"
        static let due: StaticString = "due"
        static let claimedBy: StaticString = "claimed_by"
        static let claims: StaticString = "claims"
        static let body: StaticString = "body"
        static let messageID: StaticString = "message_id"
        static let timestamp: StaticString = "timestamp"
        static let producer: StaticString = "producer"
        static let bulk: StaticString = "bulk"
        static let endedAt: StaticString = "ended_at"
        static let end: StaticString = "end"
        static let acknowledged: StaticString = "acknowledged"
        static let acknowledgedAt: StaticString = "acknowledged_at"
        static let expiresAt: StaticString = "expires_at"
    }

    static let indexes = [
        MongoIndex(name: "due", keys: [.ascending("\(Field.due)")], partialFilter: isUnderWay),
        MongoIndex(name: "expiry", keys: [.ascending("\(Field.expiresAt)")], expireAfterSeconds: 0),
    ]

    private static let isUnderWay = BSONDocument { filter in
        filter.append(Field.due) { $0.append("$exists", bool: true) }
    }
}
