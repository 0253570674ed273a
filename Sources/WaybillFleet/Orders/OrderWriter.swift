import WaybillCore
package import WaybillMongo

/// Writes orders, for every dispatcher to follow.
///
/// *Thread:* its client's. *Blocking:* up to the limits of the pool.
package struct OrderWriter {
    private let collection: MongoCollection

    package init(client: MongoClient, database: String) {
        collection = client.collection(database: database, name: Fleet.orders)
    }

    /// Puts an order in the place of the lane's last one.
    ///
    /// - Throws: when it is not known to be durable.
    package func write(_ order: LaneOrder) throws(MongoError) {
        try write(id: "lane/\(order.lane)", kind: OrderKind.lane, order.source) { document in
            document.append(Fleet.OrderField.lane, string: order.lane)
            document.append(Fleet.OrderField.state, string: order.state.rawValue)
        }
    }

    /// Cancels a batch; once more for what has come since the last time.
    ///
    /// - Throws: when it is not known to be durable.
    package func write(_ order: Cancellation) throws(MongoError) {
        // With its length, for both names may hold any character.
        let client = order.client.map { "\($0.utf8.count)/\($0)" } ?? "-"
        try write(id: "cancel/\(client)/\(order.batch.name)", kind: OrderKind.cancel, order.source) { document in
            document.append(Fleet.OrderField.batch, string: order.batch.name)
            if let client = order.client { document.append(Fleet.OrderField.client, string: client) }
            let keeping = Int64(Cancellation.keeping / .milliseconds(1))
            document.append(Fleet.OrderField.expiresAt, date: order.source.date + keeping)
        }
    }

    private func write(
        id: String,
        kind: String,
        _ source: OrderSource,
        _ fill: (BSONWriter) -> Void
    ) throws(MongoError) {
        let filter = BSONWriter(capacity: 128)
        filter.append(Fleet.OrderField.id, string: id)
        let document = BSONWriter(capacity: 512)
        document.append(Fleet.OrderField.id, string: id)
        document.append(Fleet.OrderField.kind, string: kind)
        fill(document)
        document.append(Fleet.OrderField.source, string: source.name)
        document.append(Fleet.OrderField.given, date: source.date)
        if let note = source.note { document.append(Fleet.OrderField.note, string: note) }
        let bulk = collection.bulk()
        try bulk.replaceOne(filter: filter, with: document, upsert: true)
        try bulk.execute().requireDurable("write to \(Fleet.orders)")
    }
}

/// What an order is about.
enum OrderKind {
    static let lane = "lane"
    static let cancel = "cancel"
}
