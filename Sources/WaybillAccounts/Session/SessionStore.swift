package import WaybillMongo

/// Begins, finds and ends sessions; each write is in a majority's journal when it returns.
///
/// *Thread:* its client's. *Blocking:* up to the limits of the pool and the time limit.
package struct SessionStore {
    private typealias Field = Accounts.SessionField

    private static let maximumTime = Duration.seconds(5)

    private let collection: MongoCollection
    private let keys: KeyReader

    package init(client: MongoClient, database: String) {
        collection = client.collection(database: database, name: Accounts.sessions)
        keys = KeyReader(client: client, database: database)
    }

    /// Begins a session: always under a new secret, whatever the browser has shown.
    ///
    /// - Parameters:
    ///   - key: with which somebody logs in; it is good.
    ///   - now: milliseconds since 1970.
    /// - Returns: the session, which ends no later than its key, and its secret, which nobody can read again.
    /// - Throws: when it is not known to be durable.
    package func begin(_ key: AccessKey, now: Int64) throws(MongoError) -> (session: Session, secret: SessionSecret) {
        let secret = SessionSecret.generate()
        let session = Session(
            id: secret.digest.hexadecimal,
            key: key.id,
            createdAt: now,
            expiresAt: min(key.expiresAt ?? .max, now + Session.lifetime)
        )
        let document = BSONWriter(capacity: 256)
        document.append(Field.id, string: session.id)
        document.append(Field.key, string: session.key)
        document.append(Field.createdAt, date: session.createdAt)
        document.append(Field.expiresAt, date: session.expiresAt)
        let bulk = collection.bulk()
        try bulk.insert(document)
        try bulk.execute().requireDurable("write to \(Accounts.sessions)")
        return (session, secret)
    }

    /// The session of a secret that somebody has shown, and its key, good or not; `nil` if nobody knows it.
    package func grant(_ digest: SecretDigest) throws(MongoError) -> AccessGrant? {
        let filter = BSONDocument { $0.append(Field.id, string: digest.hexadecimal) }
        let options = MongoFindOptions(limit: 1, maximumTime: Self.maximumTime, readsMajority: true)
        guard let document = try collection.findOne(filter, options: options), let session = Session(document),
            digest.isStored(as: session.id), let key = try keys.key(id: session.key)
        else { return nil }
        return AccessGrant(key: key, session: session)
    }

    /// Ends a session, which the TTL index erases then; one that has ended stays as it is.
    package func end(_ session: Session, now: Int64) throws(MongoError) {
        let filter = BSONDocument { writer in
            writer.append(Field.id, string: session.id)
            writer.append(Field.endedAt) { $0.append("$exists", bool: false) }
        }
        let update = BSONDocument { writer in
            writer.append("$set") { set in
                set.append(Field.endedAt, date: now)
                set.append(Field.expiresAt, date: now)
            }
        }
        let bulk = collection.bulk()
        try bulk.updateOne(filter: filter, update: update, upsert: false)
        try bulk.execute().requireDurable("write to \(Accounts.sessions)")
    }
}

extension Session {
    private typealias Field = Accounts.SessionField

    /// Reads a document; `nil` for one that is not whole.
    init?(_ document: BSONDocument) {
        guard let id = document["\(Field.id)"]?.string, let key = document["\(Field.key)"]?.string,
            let createdAt = document["\(Field.createdAt)"]?.date, let expiresAt = document["\(Field.expiresAt)"]?.date
        else { return nil }
        self.init(
            id: id,
            key: key,
            createdAt: createdAt,
            expiresAt: expiresAt,
            endedAt: document["\(Field.endedAt)"]?.date
        )
    }
}
