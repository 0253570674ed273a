package import WaybillMongo

/// Tells people's apps and browsers what has changed; each write is in a majority's journal when it returns.
///
/// *Thread:* its client's. *Blocking:* up to the limits of the pool.
package struct AccountEventWriter {
    private let collection: MongoCollection

    package init(client: MongoClient, database: String) {
        collection = client.collection(database: database, name: AccountEventLayout.collection)
    }

    /// Tells of events; one that was told of before is not told again.
    package func append(_ events: [AccountEvent]) throws(MongoError) {
        guard !events.isEmpty else { return }
        let bulk = collection.bulk()
        for event in events { try bulk.insert(event.document) }
        try bulk.execute().requireDurableOrThere("write to \(AccountEventLayout.collection)")
    }

    /// The same, as steps of several.
    static func insertions(_ events: [AccountEvent]) -> [MongoInsertion] {
        MongoInsertion.pages(of: events.map(\.document.document), into: AccountEventLayout.collection)
    }
}
