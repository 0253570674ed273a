import WaybillAudience
import WaybillCore
import WaybillFleet
import WaybillMongo

/// Audiences that wait for longer than the order lasts that cancels them.
extension Expansion {
    /// For how long before its end an order is carried out ahead of the audience's time; in milliseconds.
    ///
    /// Until then it can be lifted. Fan-out may be away for less than this, and none is forgotten.
    static let carriedOutAhead: Int64 = 7 * 86_400_000
    private static let interval: Int64 = 60_000

    /// Ends what waits and is cancelled by an order that ends soon: nobody would know of the order when its time comes.
    mutating func endWhatOutlivesItsOrder(now: Int64) throws(MongoError) {
        guard now - outlivedAt >= Self.interval || now < outlivedAt else { return }
        outlivedAt = now
        var ending = StandingOrders()
        for order in orders.cancellations(endingBefore: now + Self.carriedOutAhead) { ending.add(order) }
        guard ending.hasCancellations else { return }
        for record in try store.waiting(named: ending.cancelled.map(\.batch.name)) {
            guard let order = record.cancellation(by: ending) else { continue }
            do throws(MongoError) {
                guard try store.cancelWaiting(record.key, reason: order.reason, now: now) else { continue }
                noteEnd(record, .cancelled, order.reason)
            } catch {
                guard error.isAboutTheQuery else { throw error }
                if let refused = try store.failWaiting(record.key, error, now: now) { note(refused) }
            }
        }
    }
}
