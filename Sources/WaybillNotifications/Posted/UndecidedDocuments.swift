import WaybillCore
import WaybillEncoding
package import WaybillFleet
package import WaybillMongo

/// The documents of which nothing is decided, as orders reach them: those that nobody has looked at, and those that wait for their time.
///
/// When they were inserted nobody knows: an `_id` may be anything. So an order is written into the documents that are there when it is
/// given, and whoever looks at one ends it. What is inserted later has none. What was claimed is held against the order by the time of
/// its audience message, as every audience is; so documents are to be changed before the order gets its time.
///
/// *Thread:* its client's. *Blocking:* up to the limits of the pool and the time limit.
package struct UndecidedDocuments {
    private typealias Field = NotificationLayout.Field

    private let collection: MongoCollection
    private let clients: PostedClients

    package init(client: MongoClient, database: String, clients: PostedClients) {
        collection = client.collection(database: database, name: NotificationLayout.collection)
        self.clients = clients
    }

    /// Sends nothing of the documents that orders are about.
    ///
    /// - Parameters:
    ///   - orders: as they are given.
    ///   - now: milliseconds since 1970.
    /// - Returns: how many there are.
    /// - Throws: what the store says.
    package func cancel(_ orders: [Cancellation], now: Int64) throws(MongoError) -> Int {
        try update(orders) { order, isWaiting in
            let update = BSONDocument { writer in
                writer.append("$addToSet") { sets in
                    sets.append(Field.cancelledBy) { one in
                        one.append(Field.order, string: order.id)
                        one.append(Field.given, date: order.source.date)
                        one.append(Field.by, string: order.source.name)
                    }
                }
                // Nobody waits for the time when it would be looked at otherwise.
                if isWaiting { writer.append("$set") { $0.append(Field.due, date: now) } }
            }
            return (BSONDocument { _ in }, update)
        }
    }

    /// Takes orders back, as they were given.
    ///
    /// - Parameter orders: as they were given.
    /// - Returns: how many documents they were about.
    /// - Throws: what the store says; the same may be done again.
    package func lift(_ orders: [Cancellation]) throws(MongoError) -> Int {
        let count = try update(orders) { order, _ in
            func given(_ writer: BSONWriter) {
                writer.append(Field.order, string: order.id)
                // One that was given anew meanwhile holds.
                writer.append(Field.given) { $0.append("$lte", date: order.source.date) }
            }
            let ordered = BSONDocument { writer in
                writer.append(Field.cancelledBy) { $0.append("$elemMatch") { given($0) } }
            }
            return (ordered, BSONDocument { $0.append("$pull") { $0.append(Field.cancelledBy) { given($0) } } })
        }
        guard count > 0 else { return 0 }
        _ = try update(orders) { _, _ in
            let empty = BSONDocument { $0.append(Field.cancelledBy) { $0.append("$size", int: 0) } }
            return (empty, BSONDocument { $0.append("$unset") { $0.append(Field.cancelledBy, int: 1) } })
        }
        return count
    }

    /// Changes the documents that orders are about.
    ///
    /// - Parameters:
    ///   - orders: which.
    ///   - change: what is to be done about an order's documents, those that wait for their time and the others, and what holds of them besides.
    /// - Returns: how many there are.
    /// - Throws: what the store says.
    private func update(
        _ orders: [Cancellation],
        _ change: (Cancellation, _ isWaiting: Bool) -> (condition: BSONDocument, update: BSONDocument)
    ) throws(MongoError) -> Int {
        let bulk = collection.bulk()
        let nameable = orders.filter { Self.canBeNamed($0.batch.name) }
        guard !nameable.isEmpty else { return 0 }
        for order in nameable {
            // One that nobody had looked at may wait meanwhile: it is met twice then, which changes nothing; the other way round it would be missed.
            for isWaiting in [false, true] {
                let (condition, update) = change(order, isWaiting)
                try bulk.updateMany(filter: filter(order, isWaiting: isWaiting, condition), update: update)
            }
        }
        let result = bulk.execute()
        try result.requireDurable("write to \(NotificationLayout.collection)")
        return result.matched
    }

    // MARK: - Which

    /// Whether a document may have such a name that is sent.
    private static func canBeNamed(_ name: String) -> Bool {
        BatchName.fault(of: name) == nil
    }

    /// The documents that an order is about.
    private func filter(_ order: Cancellation, isWaiting: Bool, _ condition: BSONDocument) -> BSONDocument {
        BSONDocument { writer in
            writer.append(
                "$and",
                array: { all in
                    all.append { NotificationLayout.named(order.batch, $0) }
                    all.append { isWaiting ? PostedStore.undecided($0) : PostedStore.unseen($0) }
                    if let client = order.client { all.append { clients.own([ExactName(client)], $0) } }
                    all.append(document: condition)
                }
            )
        }
    }
}
