import WaybillCore
package import WaybillDeliveryLog
package import WaybillFleet
package import WaybillMongo

/// An order to send nothing more of a batch, as it was given.
///
/// A message is held against the order by the time that its producer gave it. So the order has the store's time, which all
/// share, and covers more where the log shows that the producer's clock is ahead.
package struct BatchCancellation: Sendable {
    /// As they hold now; as they were to hold where there are too many.
    package let orders: [Cancellation]
    /// Why nothing is cancelled; `nil` where it is.
    package let excess: OrderWriter.TooManyCancellations?
    /// Whether the log has any record of the batch yet, as far as the scope sees; `nil` if it did not say.
    package let isRecorded: Bool?
    /// How far the clock of the batch's producer is ahead of the dispatchers', in milliseconds, as far as the log shows.
    package let lead: Int64

    /// So many of the batch's newest records are looked at for the producer's clock.
    private static let looks = 100

    /// Gives the order, of one batch for each of some clients.
    ///
    /// *Thread:* the client's. *Blocking:* up to the limits of its pool.
    ///
    /// - Parameters:
    ///   - orders: all of one batch; their time is replaced.
    ///   - scope: whose records are looked at.
    ///   - store: where orders and log are.
    ///   - options: of the log.
    /// - Throws: when it is not known to be durable.
    package init(
        _ orders: [Cancellation],
        scope: DeliveryScope,
        store: MongoClient,
        options: DeliveryLogOptions
    ) throws(MongoError) {
        let reader = DeliveryLogReader(client: store, options: options, scope: scope)
        let query = orders.first.map { DeliveryQuery(batch: $0.batch, limit: Self.looks) }
        // The order is to hold, whether or not the log says what it knows.
        let records = query.flatMap { try? reader.page($0).records }
        isRecorded = records.map { !$0.isEmpty }
        lead = Self.lead(of: records ?? [])
        let now = try store.clock()
        let dated = orders.map { [lead] order in
            var source = order.source
            if let now { source.date = now }
            return Cancellation(batch: order.batch, client: order.client, source: source, lead: lead)
        }
        self.orders = dated
        excess = try OrderWriter(client: store, database: options.database).cancel(dated)
    }

    /// How far messages were ahead of the time at which they were recorded, in milliseconds; whole seconds, rounded up, and one
    /// more, since a record is written later than its message is published.
    static func lead(of records: [LoggedDelivery]) -> Int64 {
        let ahead = records.compactMap { record in record.messageTime.map { $0 - record.date } }.max() ?? 0
        return ahead > 0 ? (ahead + 1999) / 1000 * 1000 : 0
    }
}
