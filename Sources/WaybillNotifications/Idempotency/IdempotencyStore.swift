import WaybillMongo
import WaybillTLS

/// What a producer calls a request, so that asking twice makes one notification (draft-ietf-httpapi-idempotency-key-header-07).
package struct IdempotencyName: Hashable, Sendable {
    /// Says nothing of the name: a digest of key, method, path and name.
    let id: String
    /// Of the body's bytes: the same name with another body is another request.
    let fingerprint: String

    /// - Parameters:
    ///   - name: what the producer says, of 1 to 255 bytes.
    ///   - key: the id of the key that asks: names of one key mean nothing to another.
    ///   - request: method and path.
    ///   - body: its bytes as they came.
    package init(_ name: String, key: String, request: String, body: [UInt8]) {
        id = SHA256Hasher.digest(of: Array("\(key) \(request) \(name)".utf8)).hexadecimal
        fingerprint = SHA256Hasher.digest(of: body).hexadecimal
    }
}

/// The collection `idempotency`: which notification a producer's request has become, one document for each name.
///
/// | field | type | meaning |
/// |---|---|---|
/// | `_id` | string | SHA-256 of the key's id, the route and the producer's name for the request |
/// | `fingerprint` | string | SHA-256 of the body |
/// | `accepted_at` | date | when it was asked first: the time of its notification |
/// | `notification` | string | the id that its notification has, or will have |
/// | `expires_at` | date | when the TTL index erases it, after which the name is free |
package struct IdempotencyStore {
    enum Field {
        static let id: StaticString = "_id"
        static let fingerprint: StaticString = "fingerprint"
        static let acceptedAt: StaticString = "accepted_at"
        static let notification: StaticString = "notification"
        static let expiresAt: StaticString = "expires_at"
    }

    static let collection = "idempotency"
    static let indexes = [
        MongoIndex(name: "end", keys: [.ascending("\(Field.expiresAt)")], expireAfterSeconds: 0)
    ]
    /// How long a name is remembered, in milliseconds.
    package static let lifetime: Int64 = 48 * 3_600_000
    private static let maximumTime = Duration.seconds(5)

    private let collection: MongoCollection

    init(client: MongoClient, database: String) {
        collection = client.collection(database: database, name: Self.collection)
    }

    /// What a name stands for.
    enum Claim: Hashable {
        /// Nobody has asked it before.
        case new
        /// It was asked at this time, and has this id.
        case repeated(at: Int64, notification: String)
        /// The name is another body's.
        case other
    }

    /// Takes a name for a notification; of several who ask at once one is the first.
    ///
    /// - Parameters:
    ///   - name: what the producer says.
    ///   - notification: the id that it has if nobody was first.
    ///   - now: milliseconds since 1970.
    /// - Returns: what it stands for, in a majority's journal.
    /// - Throws: what the store says.
    func claim(_ name: IdempotencyName, for notification: String, now: Int64) throws(MongoError) -> Claim {
        let document = BSONWriter(capacity: 256)
        document.append(Field.id, string: name.id)
        document.append(Field.fingerprint, string: name.fingerprint)
        document.append(Field.acceptedAt, date: now)
        document.append(Field.notification, string: notification)
        document.append(Field.expiresAt, date: now + Self.lifetime)
        let bulk = collection.bulk()
        try bulk.insert(document)
        let result = bulk.execute()
        guard result.writeErrors.contains(where: \.isDuplicateID) else {
            try result.requireDurable("write to \(Self.collection)")
            return .new
        }
        let filter = BSONDocument { $0.append(Field.id, string: name.id) }
        let options = MongoFindOptions(limit: 1, maximumTime: Self.maximumTime, readsMajority: true)
        guard let found = try collection.findOne(filter, options: options) else {
            throw MongoError(
                code: .notDurable,
                operation: "write to \(Self.collection)",
                reason: "the same name is being stored"
            )
        }
        guard let at = found["\(Field.acceptedAt)"]?.date, let id = found["\(Field.notification)"]?.string,
            found["\(Field.fingerprint)"]?.string == name.fingerprint
        else { return .other }
        return .repeated(at: at, notification: id)
    }
}
