import WaybillDeliveryLog
import WaybillMongo
import WaybillThreads

/// What the store tells of itself beside its answers, for the metrics.
///
/// Written by `wb-stats` every few seconds, read by anyone; the last known stands while the store is away.
final class StoreFigures: Sendable {
    struct Snapshot: Equatable, Sendable {
        /// How many seconds the majority is behind the primary; 0 where there is no replica set.
        var lag: Int64 = 0
        /// For how many seconds the oldest record should have gone; 0 when none should.
        var overdue: Int64 = 0
    }

    private let last = Guarded(Snapshot())

    var snapshot: Snapshot { last.withLock { $0 } }

    /// Asks the store.
    ///
    /// *Thread:* the client's. *Blocking:* up to the limits of the pool.
    func ask(_ client: MongoClient, database: String) throws(MongoError) {
        let lag = try client.majorityLag() ?? .zero
        let expiry = try DeliveryLogSize(client: client, database: database).nextExpiry()
        let overdue = expiry.map { max(0, WallClock.milliseconds() - $0) / 1000 } ?? 0
        last.withLock { $0 = Snapshot(lag: lag.components.seconds, overdue: overdue) }
    }
}
