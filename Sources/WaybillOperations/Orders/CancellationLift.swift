import WaybillCore
package import WaybillDeliveryLog
package import WaybillFleet
package import WaybillMongo
package import WaybillNotifications

/// What became of an order to send a cancelled batch after all.
package struct CancellationLift: Hashable, Sendable {
    package let batch: String
    /// The cancellations that held until now; empty where there was nothing to lift.
    ///
    /// Where none held, those that somebody had lifted before who did not come to the documents, which are sent from now on.
    package let lifted: [Cancellation]
    /// Those that hold of the same messages, or of some of them, all the same: for all clients, of the whole batch that it is
    /// a part of, or of its parts.
    package let stillCancelled: [Cancellation]
    /// Who has taken them back.
    package let source: OrderSource
    /// Whether some of it has ended as cancelled already, and stays so; `nil` where the log does not say.
    package let hasEnded: Bool?
    /// The documents of such a name that nobody has claimed.
    package let documents: OrderedDocuments

    /// Takes back the cancellations of a batch.
    ///
    /// *Thread:* the client's. *Blocking:* up to the limits of its pool.
    ///
    /// - Parameters:
    ///   - batch: exactly as it was cancelled: a part of a batch that was cancelled whole stays cancelled.
    ///   - client: of this client alone; `nil` for all that the scope has.
    ///   - source: who orders it.
    ///   - scope: whose cancellations there are at all.
    ///   - store: where orders, documents and log are.
    ///   - options: of the log.
    ///   - clients: whose documents are that do not say so.
    /// - Throws: when it is not known to be durable; the same may be done again.
    package init(
        batch: String,
        client: String?,
        source: OrderSource,
        scope: DeliveryScope,
        store: MongoClient,
        options: DeliveryLogOptions,
        clients: PostedClients
    ) throws(MongoError) {
        let standing = try OrderReader(client: store, database: options.database).orders()
        let orders = standing.cancelled
        let isMeant = { (order: Cancellation) in
            order.batch.name.utf8.elementsEqual(batch.utf8) && scope.includes(client: order.client)
                && (client.map { order.client?.utf8.elementsEqual($0.utf8) ?? false } ?? true)
        }
        let held = orders.filter(isMeant)
        stillCancelled = orders.filter { order in
            guard !isMeant(order), order.batch.includes(batch) || BatchName(batch).includes(order.batch.name) else {
                return false
            }
            guard let own = order.client else { return client == nil || scope.includes(client: client) }
            return scope.includes(client: own) && (client.map { $0.utf8.elementsEqual(own.utf8) } ?? true)
        }
        try OrderWriter(client: store, database: options.database).lift(held, by: source)
        // Also what somebody has lifted who was killed, or had no answer, before this.
        let before = standing.lifted.map(\.cancellation).filter(isMeant)
        let documents = try OrderedDocuments { () throws(MongoError) in
            try UndecidedDocuments(client: store, database: options.database, clients: clients).lift(held + before)
        }
        let isGoneOnWith = if case .changed(1...) = documents { true } else { false }
        lifted = held.isEmpty && isGoneOnWith ? before : held
        self.documents = documents
        self.batch = batch
        self.source = source
        let query = DeliveryQuery(
            batch: BatchName(batch),
            client: TextFilter(client.map { [$0] } ?? []),
            outcomes: [.cancelled],
            limit: 1
        )
        let reader = DeliveryLogReader(client: store, options: options, scope: scope)
        // They are lifted, whether or not the log says what it knows.
        hasEnded = try? !reader.page(query).records.isEmpty
    }

    /// How many of those that still hold are told in words.
    private static let mostTold = 3

    /// What still holds, in words that follow "cancelled".
    ///
    /// - Parameter namingWho: whether it says who has ordered it.
    /// - Returns: such as `as the whole batch parcels, for all clients`; empty where nothing does.
    package func whatStillHolds(namingWho: Bool = false) -> String {
        let told = stillCancelled.prefix(Self.mostTold).map { order in
            let whose = order.client.map { "for \($0)" } ?? "for all clients"
            let who = namingWho ? ", by \(order.source.name)" : ""
            if order.batch.name.utf8.elementsEqual(batch.utf8) { return whose + who }
            let isWhole = order.batch.includes(batch)
            return "\(isWhole ? "as the whole batch" : "in its part") \(order.batch.name), \(whose)\(who)"
        }
        let left = stillCancelled.count - told.count
        return told.joined(separator: "; ") + (left > 0 ? "; and by \(left) more" : "")
    }
}
