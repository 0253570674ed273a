package import WaybillFleet
package import WaybillMongo
package import WaybillNotifications
import WaybillThreads

/// What became of the documents in the collection `notifications` that an order is about, and of which nothing is decided yet.
package enum OrderedDocuments: Hashable, Sendable {
    /// So many end, or are sent after all.
    case changed(Int)
    /// Whoever ordered it may not read or change them: for those the order does not hold.
    case refused(reason: String)

    /// Whether there are some that end, or are sent after all.
    package var hasChanged: Bool { if case .changed(let count) = self { count > 0 } else { false } }

    /// Sends nothing of the documents that orders are about.
    ///
    /// - Throws: what the store says, but that it refuses access.
    package init(cancelling orders: [Cancellation], among posted: UndecidedDocuments) throws(MongoError) {
        try self.init { () throws(MongoError) in try posted.cancel(orders, now: WallClock.milliseconds()) }
    }

    /// - Parameter change: of the documents; returns how many there are.
    /// - Throws: what the store says, but that it refuses access.
    init(_ change: () throws(MongoError) -> Int) throws(MongoError) {
        do throws(MongoError) {
            self = .changed(try change())
        } catch {
            guard error.code == .accessRefused else { throw error }
            self = .refused(reason: error.reason)
        }
    }
}
