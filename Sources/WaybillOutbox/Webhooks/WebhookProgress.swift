import WaybillEncoding
package import WaybillMongo

/// Who reads the log for webhooks, or sends them, and how far: one process at a time for each of these.
///
/// *Thread:* its client's. *Blocking:* up to the limits of the pool and the time limit.
package struct WebhookProgress {
    package enum Work: String, Sendable {
        case log
        case sender
        /// As ``log``, of what devices say.
        case receipts
    }

    /// How far the log was read.
    package struct Place: Hashable, Sendable {
        /// As the log's tail gives it; `nil` for nowhere yet.
        package var position: String?
        /// The numbers of their last events.
        package var sequences: [WebhookOwner: Int64] = [:]

        package init() {}
    }

    private typealias Field = Webhooks.ProgressField

    /// How long who works is believed to be there without a word; milliseconds.
    package static let patience: Int64 = 15_000
    private static let maximumTime = Duration.seconds(5)

    private let collection: MongoCollection
    private let work: Work
    private let lease: String

    /// - Parameters:
    ///   - client: the store.
    ///   - database: where the collections are.
    ///   - work: which of them.
    ///   - lease: who asks: what it holds it may take again.
    package init(client: MongoClient, database: String, work: Work, lease: String = newLease()) {
        collection = client.collection(database: database, name: Webhooks.progress)
        self.work = work
        self.lease = lease
    }

    /// A name for somebody who works.
    package static func newLease() -> String { Hexadecimal.text(of: RandomBytes.take(8)) }

    /// Takes the work, or goes on with it.
    ///
    /// - Parameter now: milliseconds since 1970.
    /// - Returns: how far it is; `nil` while somebody else does it.
    /// - Throws: what the store says.
    package func hold(now: Int64) throws(MongoError) -> Place? {
        let filter = BSONDocument { writer in
            writer.append(Field.id, string: work.rawValue)
            writer.append(
                "$or",
                array: { array in
                    array.append(document: { $0.append(Field.lease, string: lease) })
                    array.append(document: { $0.append(Field.until) { $0.append("$lt", date: now) } })
                }
            )
        }
        let update = BSONDocument { writer in
            writer.append("$set") { set in
                set.append(Field.lease, string: lease)
                set.append(Field.until, date: now + Self.patience)
            }
        }
        if let held = try collection.findOneAndUpdate(filter, update: update, maximumTime: Self.maximumTime) {
            return Self.place(held)
        }
        // The first of all makes it; where somebody else has it, it is there already.
        let document = BSONWriter()
        document.append(Field.id, string: work.rawValue)
        document.append(Field.until, date: 0)
        let bulk = collection.bulk()
        try bulk.insert(document)
        let result = bulk.execute()
        if let failure = result.failure { throw failure }
        guard result.inserted == 1 else { return nil }
        return try collection.findOneAndUpdate(filter, update: update, maximumTime: Self.maximumTime)
            .map(Self.place)
    }

    /// Lets the next one have it at once.
    package func release() throws(MongoError) {
        _ = try write { $0.append(Field.until, date: 0) }
    }

    /// Notes how far the log was read, and goes on with it.
    ///
    /// - Returns: false if somebody else does it now.
    package func note(_ place: Place, now: Int64) throws(MongoError) -> Bool {
        try write { set in
            set.append(Field.position, string: place.position ?? "")
            set.append(
                Field.sequences,
                array: { array in
                    for (owner, last) in place.sequences.sorted(by: { $0.key.description < $1.key.description }) {
                        array.append(document: { entry in
                            switch owner {
                            case .client(let name): entry.append(Field.client, string: name)
                            case .service(let id): entry.append(Field.service, string: id)
                            }
                            entry.append(Field.last, int64: last)
                        })
                    }
                }
            )
            set.append(Field.until, date: now + Self.patience)
        }
    }

    private func write(_ build: (BSONWriter) -> Void) throws(MongoError) -> Bool {
        let filter = BSONDocument { writer in
            writer.append(Field.id, string: work.rawValue)
            writer.append(Field.lease, string: lease)
        }
        let update = BSONDocument { writer in writer.append("$set", document: build) }
        let bulk = collection.bulk()
        try bulk.updateOne(filter: filter, update: update, upsert: false)
        let result = bulk.execute()
        try result.requireDurable("write to \(Webhooks.progress)")
        return result.matched == 1
    }

    private static func place(_ document: BSONDocument) -> Place {
        var place = Place()
        place.position = document["\(Field.position)"]?.string.flatMap { $0.isEmpty ? nil : $0 }
        for entry in (document["\(Field.sequences)"]?.elements ?? []).compactMap(\.document) {
            let owner =
                entry["\(Field.service)"]?.string.map(WebhookOwner.service)
                ?? entry["\(Field.client)"]?.string.map(WebhookOwner.client)
            guard let owner else { continue }
            place.sequences[owner] = Int64(entry["\(Field.last)"]?.amount ?? 0)
        }
        return place
    }
}
