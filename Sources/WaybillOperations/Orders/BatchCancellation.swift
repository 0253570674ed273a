package import WaybillDeliveryLog
package import WaybillFleet
package import WaybillMongo
package import WaybillNotifications

/// An order to send nothing more of a batch, as it was given.
///
/// A message is held against the order by the time that its producer gave it, and the order has the store's time, which all
/// share. When a message was published nobody but its producer knows: where that clock is ahead, whoever cancels says by how much.
package struct BatchCancellation: Sendable {
    /// As they hold now; as they were to hold where there are too many.
    package let orders: [Cancellation]
    /// Why nothing is cancelled; `nil` where it is.
    package let excess: OrderWriter.TooManyCancellations?
    /// Whether the log has any record of the batch yet, as far as the scope sees; `nil` if it did not say.
    package let isRecorded: Bool?
    /// How far the clock of the batch's producer is ahead, in milliseconds, where that is more than the order covers.
    ///
    /// As far as the log shows: at least so far. 0 where it shows nothing.
    package let seenAhead: Int64
    /// The documents of such a name that nobody has claimed; where there are too many cancellations, they are as they were.
    package let documents: OrderedDocuments

    /// How far an order may reach beyond its time.
    package static let mostLead = Duration.seconds(400 * 86_400)

    /// So many of the batch's newest records are looked at for the producer's clock.
    private static let looks = 100

    /// Gives the order, of one batch for each of some clients.
    ///
    /// An order that holds already, and reaches farther, is not made shorter.
    ///
    /// It is written first, so that documents end by an order that is there, and everybody follows it from then on. Then the documents are
    /// changed; what somebody has claimed until that was done is covered when the order is written once more, with a later time. Where
    /// the store fails in between, it holds from its first time on, and the same again does the rest.
    ///
    /// *Thread:* the client's. *Blocking:* up to the limits of its pool.
    ///
    /// - Parameters:
    ///   - orders: all of one batch; their time is replaced by the store's.
    ///   - scope: whose records are looked at.
    ///   - store: where orders, documents and log are.
    ///   - options: of the log.
    ///   - clients: whose documents are that do not say so.
    /// - Throws: when it is not known to be durable; the same may be done again.
    package init(
        _ orders: [Cancellation],
        scope: DeliveryScope,
        store: MongoClient,
        options: DeliveryLogOptions,
        clients: PostedClients
    ) throws(MongoError) {
        let now = try store.clock()
        var dated = orders.map { Self.dated($0, now) }
        let writer = OrderWriter(client: store, database: options.database)
        var documents = OrderedDocuments.changed(0)
        excess = try writer.cancel(dated)
        if excess == nil {
            let posted = UndecidedDocuments(client: store, database: options.database, clients: clients)
            documents = try OrderedDocuments(cancelling: dated, among: posted)
            // What was claimed until then has a time that the order covers.
            let now = try store.clock()
            let renewal = try writer.renew(orders.map { Self.dated($0, now) })
            dated = renewal.orders
            // Who has taken it back meanwhile may have come to the documents before it did.
            _ = try OrderedDocuments { () throws(MongoError) in try posted.lift(renewal.lifted) }
        }
        self.documents = documents
        self.orders = dated
        guard let first = dated.first else { (isRecorded, seenAhead) = (nil, 0); return }
        // The order holds, whether or not the log says what it knows.
        let reader = DeliveryLogReader(client: store, options: options, scope: scope)
        let query = DeliveryQuery(
            batch: first.batch,
            client: TextFilter(dated.compactMap(\.client)),
            limit: Self.looks
        )
        let records = try? reader.page(query).records
        isRecorded = records.map { !$0.isEmpty }
        let lead = dated.map(\.lead).min() ?? 0
        let ahead = Self.ahead(of: records ?? [])
        seenAhead = ahead > lead ? ahead : 0
    }

    /// The order at the store's time.
    private static func dated(_ order: Cancellation, _ now: Int64?) -> Cancellation {
        var dated = order
        if let now { dated.source.date = now }
        return dated
    }

    /// By how much messages were ahead of the time at which they were recorded, in milliseconds; whole seconds, rounded up.
    static func ahead(of records: [LoggedDelivery]) -> Int64 {
        let most = records.compactMap { record in record.messageTime.map { $0 - record.date } }.max() ?? 0
        // Timestamps of whole seconds, and clocks that agree as well as clocks do, are no news.
        return most > 2000 ? (most + 999) / 1000 * 1000 : 0
    }
}
