import WaybillCore
import WaybillEncoding
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
        _ = try write(id: OrderID.of(order), kind: OrderKind.lane, order.source) { document in
            document.append(Fleet.OrderField.lane, string: order.lane)
            document.append(Fleet.OrderField.state, string: order.state.rawValue)
        }
    }

    /// Why a batch is not cancelled.
    package struct TooManyCancellations: Hashable, Sendable, CustomStringConvertible {
        /// Whose limit it is; `nil` for that of all together.
        package let client: String?
        package let limit: Int

        package var description: String {
            let whose = client == nil ? "" : " of this client"
            return "\(limit) cancellations\(whose) hold already; each ends after 35 days"
        }
    }

    /// Cancels batches, all or none; once more for what has come since the last time.
    ///
    /// - Parameter orders: of one moment.
    /// - Returns: why not, where too many hold already; `nil` when it is done.
    /// - Throws: when it is not known to be durable: the same may be done again.
    package func cancel(_ orders: [Cancellation]) throws(MongoError) -> TooManyCancellations? {
        let most = orders.contains { $0.client != nil } ? Cancellation.mostOfClients : Cancellation.most
        guard try standing(besides: orders, of: nil) + orders.count <= most else {
            return TooManyCancellations(client: nil, limit: most)
        }
        for client in Set(exactly: orders.compactMap(\.client)).sortedTexts {
            let count = orders.count { $0.client.isExactly(client) }
            guard try standing(besides: orders, of: client) + count <= Cancellation.mostOfOneClient else {
                return TooManyCancellations(client: client, limit: Cancellation.mostOfOneClient)
            }
        }
        for order in orders { _ = try write(order) }
        return nil
    }

    /// What became of cancellations that were given another time.
    package struct Renewal: Hashable, Sendable {
        /// As they hold, in their order; as they were to hold where somebody has taken one back.
        package var orders: [Cancellation] = []
        /// Those that hold no more, because somebody has taken them back: they stay so.
        package var lifted: [Cancellation] = []
    }

    /// Gives cancellations that hold another time, so that they hold for what has come since.
    ///
    /// - Parameter orders: as they are to hold; one that holds for later messages goes on to.
    /// - Returns: as they hold then.
    /// - Throws: when it is not known to be durable: they hold as before, or as they are to; the same may be done again.
    package func renew(_ orders: [Cancellation]) throws(MongoError) -> Renewal {
        var renewal = Renewal()
        for order in orders {
            let standing = try write(order, onlyIfHolding: true)
            renewal.orders.append(standing ?? order)
            if standing == nil { renewal.lifted.append(order) }
        }
        return renewal
    }

    /// Takes cancellations back: what waits is sent again, and what has ended stays ended.
    ///
    /// The documents stay and say who has done so, until they expire or there are too many of them. A cancellation that takes the
    /// place of one meanwhile holds.
    ///
    /// - Parameters:
    ///   - cancellations: as they were read.
    ///   - source: who takes them back.
    /// - Throws: when it is not known to be durable; the same may be done again.
    package func lift(_ cancellations: [Cancellation], by source: OrderSource) throws(MongoError) {
        guard !cancellations.isEmpty else { return }
        let kept = try collection.countDocuments(
            BSONDocument { $0.append(Fleet.OrderField.kind, string: OrderKind.lifted) },
            maximumTime: .seconds(5)
        )
        let bulk = collection.bulk()
        for cancellation in cancellations {
            let filter = BSONDocument { filter in
                filter.append(Fleet.OrderField.id, string: OrderID.of(cancellation))
                filter.append(Fleet.OrderField.given, date: cancellation.source.date)
            }
            let update = BSONDocument { update in
                update.append("$set") { fields in
                    // A release that knows nothing of this kind follows no order of it.
                    fields.append(Fleet.OrderField.kind, string: OrderKind.lifted)
                    fields.append(Fleet.OrderField.liftedBy, string: source.name)
                    fields.append(Fleet.OrderField.liftedAt, date: source.date)
                    if let note = source.note { fields.append(Fleet.OrderField.liftedNote, string: note) }
                    // Every dispatcher reads them every second: beyond these, the dispatchers' own log alone has the trace.
                    if kept >= Cancellation.mostLifted { fields.append(Fleet.OrderField.expiresAt, date: source.date) }
                }
            }
            try bulk.updateOne(filter: filter, update: update, upsert: false)
        }
        try bulk.execute().requireDurable("write to \(Fleet.orders)")
    }

    /// How many cancellations hold that these orders do not replace.
    private func standing(besides orders: [Cancellation], of client: String?) throws(MongoError) -> Int {
        let filter = BSONDocument { writer in
            writer.append(Fleet.OrderField.kind, string: OrderKind.cancel)
            if let client { writer.append(Fleet.OrderField.client, string: client) }
            writer.append(Fleet.OrderField.id) { condition in
                condition.append(
                    "$nin",
                    array: { array in for order in orders { array.append(string: OrderID.of(order)) } }
                )
            }
            // The TTL index erases within a minute or so.
            let now = orders.map(\.source.date).max() ?? 0
            writer.append(Fleet.OrderField.expiresAt) { $0.append("$gt", date: now) }
        }
        return try collection.countDocuments(filter, maximumTime: .seconds(5))
    }

    /// Puts a cancellation in the place of the one before it; where that holds for later messages, this one does, too.
    ///
    /// - Returns: as it holds; `nil` where it is to be written in the place of one that holds, and none does.
    private func write(_ order: Cancellation, onlyIfHolding: Bool = false) throws(MongoError) -> Cancellation? {
        var order = order
        for _ in 0..<Self.turns {
            let result = try write(
                id: OrderID.of(order),
                kind: OrderKind.cancel,
                order.source,
                onlyIfHolding: onlyIfHolding,
                unless: { Self.appendFarther(than: order, to: $0) }
            ) { document in
                document.append(Fleet.OrderField.batch, string: order.batch.name)
                if let client = order.client { document.append(Fleet.OrderField.client, string: client) }
                // A release that knows nothing of this field follows no order that has it.
                if order.lead > 0 {
                    document.append(Fleet.OrderField.coversUntil, date: order.coversUntil)
                }
                document.append(Fleet.OrderField.expiresAt, date: order.end)
            }
            if result.matched > 0 || result.upserted > 0 { return order }
            guard let reach = try reach(fartherThan: order) else {
                if onlyIfHolding { return nil }
                continue
            }
            order.lead = reach - order.source.date
        }
        throw MongoError(
            code: .notDurable,
            operation: "write to \(Fleet.orders)",
            reason: "others keep cancelling this batch"
        )
    }

    /// How often others may be faster with the same order.
    private static let turns = 8

    /// The condition on a document that it holds for later messages than an order would: since it was given, or for longer.
    private static func appendFarther(than order: Cancellation, to writer: BSONWriter) {
        writer.append(Fleet.OrderField.kind, string: OrderKind.cancel)
        writer.append(Fleet.OrderField.expiresAt) { $0.append("$gt", date: order.source.date) }
        writer.append(
            "$or",
            array: { either in
                for field in [Fleet.OrderField.coversUntil, Fleet.OrderField.given] {
                    either.append { one in
                        one.append(field) { condition in
                            condition.append("$gt", date: order.coversUntil)
                            // A date inside of an array matches, and is nobody's.
                            condition.append("$not") { $0.append("$type", string: "array") }
                        }
                    }
                }
            }
        )
    }

    /// The latest time that a message may have for the order that stands, where that is later than for this one, in milliseconds
    /// since 1970.
    private func reach(fartherThan order: Cancellation) throws(MongoError) -> Int64? {
        let filter = BSONDocument { writer in
            writer.append(Fleet.OrderField.id, string: OrderID.of(order))
            Self.appendFarther(than: order, to: writer)
        }
        let found = try collection.findOne(filter, options: MongoFindOptions(readsMajority: true))
        return found.flatMap { document in
            [Fleet.OrderField.coversUntil, Fleet.OrderField.given].compactMap { document["\($0)"]?.date }.max()
        }
    }

    /// Puts a document in the place of the one that has its id; with `onlyIfHolding` only where that is of its kind, and never of one
    /// for which `stands` holds.
    private func write(
        id: String,
        kind: String,
        _ source: OrderSource,
        onlyIfHolding: Bool = false,
        unless stands: ((BSONWriter) -> Void)? = nil,
        _ fill: (BSONWriter) -> Void
    ) throws(MongoError) -> MongoBulkResult {
        let filter = BSONWriter(capacity: 128)
        filter.append(Fleet.OrderField.id, string: id)
        if onlyIfHolding { filter.append(Fleet.OrderField.kind, string: kind) }
        if let stands { filter.append("$nor", array: { none in none.append { stands($0) } }) }
        let document = BSONWriter(capacity: 512)
        document.append(Fleet.OrderField.id, string: id)
        document.append(Fleet.OrderField.kind, string: kind)
        fill(document)
        document.append(Fleet.OrderField.source, string: source.name)
        document.append(Fleet.OrderField.given, date: source.date)
        if let note = source.note { document.append(Fleet.OrderField.note, string: note) }
        let bulk = collection.bulk()
        try bulk.replaceOne(filter: filter, with: document, upsert: !onlyIfHolding)
        let result = bulk.execute()
        // Where the one that is there stays, there is no room for another.
        if stands != nil, result.writeErrors.contains(where: \.isDuplicateKey) { return result }
        try result.requireDurable("write to \(Fleet.orders)")
        return result
    }
}

/// What an order is about.
enum OrderKind {
    static let lane = "lane"
    static let cancel = "cancel"
    static let lifted = "lifted"
}
