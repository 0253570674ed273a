package import WaybillMongo

/// What the events of endpoints are signed with; each write is in a majority's journal when it returns.
///
/// *Thread:* its client's. *Blocking:* up to the limits of the pool and the time limit.
package struct WebhookSecrets {
    /// A secret, and when it signs no more, in milliseconds since 1970; `nil` for the one that stays.
    package struct Live: Hashable, Sendable {
        package let secret: WebhookSecret
        package let until: Int64?
    }

    /// What became of a rotation.
    package enum Rotation: Hashable, Sendable {
        case rotated(WebhookSecret)
        /// There is no such endpoint, or somebody else rotates it at this moment.
        case changed
        /// As many secrets as may sign do so already; the first of them ends then, in milliseconds since 1970.
        case full(until: Int64)
    }

    private typealias Field = Webhooks.SecretField

    /// Each is a signature in the header of each event.
    package static let mostLive = 5

    private static let maximumTime = Duration.seconds(5)

    private let collection: MongoCollection

    package init(client: MongoClient, database: String) {
        collection = client.collection(database: database, name: Webhooks.secrets)
    }

    /// The secrets of all endpoints, by the endpoint's id, the newest first.
    package func all() throws(MongoError) -> [String: [Live]] {
        let options = MongoFindOptions(maximumTime: Self.maximumTime, readsMajority: true)
        let cursor = collection.find(.empty, options: options)
        var secrets: [String: [Live]] = [:]
        while let document = try cursor.next() {
            guard let id = document["\(Field.id)"]?.string else { continue }
            secrets[id] = Self.read(document)
        }
        return secrets
    }

    /// Gives an endpoint its first secret.
    ///
    /// - Returns: the secret.
    package func make(for endpoint: String) throws(MongoError) -> WebhookSecret {
        let secret = WebhookSecret.generate()
        let document = BSONWriter(capacity: 256)
        document.append(Field.id, string: endpoint)
        Self.write([Live(secret: secret, until: nil)], to: document)
        let bulk = collection.bulk()
        try bulk.insert(document)
        try bulk.execute().requireDurable("write to \(Webhooks.secrets)")
        return secret
    }

    /// Gives an endpoint another secret.
    ///
    /// The one before it signs, too, until its time is over, and so do older ones until theirs is: each was promised. Without an
    /// overlap none does any more.
    ///
    /// - Parameters:
    ///   - endpoint: its id.
    ///   - overlap: for how long the present secret still signs, in milliseconds.
    ///   - now: milliseconds since 1970.
    /// - Returns: the secret, or why there is none.
    /// - Throws: when it is not known to be durable.
    package func rotate(_ endpoint: String, overlap: Int64, now: Int64) throws(MongoError) -> Rotation {
        let named = BSONDocument { $0.append(Field.id, string: endpoint) }
        guard
            let document = try collection.findOne(
                named,
                options: MongoFindOptions(maximumTime: Self.maximumTime, readsMajority: true)
            )
        else { return .changed }
        let live = Self.read(document)
        guard let present = live.first else { return .changed }
        var former: [Live] = []
        if overlap > 0 {
            let older = live.dropFirst().filter { ($0.until ?? 0) > now }
            if older.count > Self.mostLive - 2 { return .full(until: older.compactMap(\.until).min() ?? now) }
            former = [Live(secret: present.secret, until: now + overlap)] + older
        }
        let secret = WebhookSecret.generate()
        let update = BSONDocument { writer in
            writer.append("$set") { Self.write([Live(secret: secret, until: nil)] + former, to: $0) }
        }
        return try write(Self.signing(endpoint, present.secret), update) ? .rotated(secret) : .changed
    }

    /// Takes a rotation back.
    ///
    /// - Parameters:
    ///   - endpoint: its id.
    ///   - former: what it had before.
    ///   - secret: what it was given instead.
    /// - Returns: whether it had that still.
    /// - Throws: when it is not known to be durable.
    package func restore(_ endpoint: String, to former: [Live], insteadOf secret: WebhookSecret) throws(MongoError)
        -> Bool
    {
        let update = BSONDocument { writer in
            writer.append("$set") { Self.write(former, to: $0) }
        }
        return try write(Self.signing(endpoint, secret), update)
    }

    /// Forgets an endpoint's secrets.
    package func remove(_ endpoint: String, now: Int64) throws(MongoError) {
        let update = BSONDocument { writer in
            writer.append("$set") { set in
                Self.write([], to: set)
                set.append(Field.expiresAt, date: now)
            }
        }
        _ = try write(BSONDocument { $0.append(Field.id, string: endpoint) }, update)
    }

    private func write(_ filter: BSONDocument, _ update: BSONDocument) throws(MongoError) -> Bool {
        let bulk = collection.bulk()
        try bulk.updateOne(filter: filter, update: update, upsert: false)
        let result = bulk.execute()
        try result.requireDurable("write to \(Webhooks.secrets)")
        return result.matched == 1
    }

    /// An endpoint, as long as this is the secret that stays.
    private static func signing(_ endpoint: String, _ secret: WebhookSecret) -> BSONDocument {
        BSONDocument { writer in
            writer.append(Field.id, string: endpoint)
            writer.append(name: "\(Field.secrets).0.\(Field.key)", string: secret.reveal())
        }
    }

    private static func write(_ secrets: [Live], to writer: BSONWriter) {
        writer.append(
            Field.secrets,
            array: { array in
                for live in secrets {
                    array.append(document: { entry in
                        entry.append(Field.key, string: live.secret.reveal())
                        if let until = live.until { entry.append(Field.until, date: until) }
                    })
                }
            }
        )
    }

    private static func read(_ document: BSONDocument) -> [Live] {
        (document["\(Field.secrets)"]?.elements ?? []).compactMap(\.document).compactMap { entry in
            entry["\(Field.key)"]?.string.flatMap(WebhookSecret.init).map { secret in
                Live(secret: secret, until: entry["\(Field.until)"]?.date)
            }
        }
    }
}

extension [WebhookSecrets.Live] {
    /// Signatures by every secret that is live, with blanks between, as they stand in the header.
    ///
    /// - Parameters:
    ///   - id: the event's.
    ///   - now: of the attempt, in milliseconds since 1970.
    ///   - body: as it is sent, to the byte.
    /// - Returns: the header's value.
    package func signatures(id: String, now: Int64, body: [UInt8]) -> String {
        filter { ($0.until ?? .max) > now }
            .map { $0.secret.sign(id: id, timestamp: now / 1000, body: body) }
            .joined(separator: " ")
    }
}
