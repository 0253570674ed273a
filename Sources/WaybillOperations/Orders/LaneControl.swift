package import WaybillFleet
package import WaybillMongo
import WaybillThreads

/// Lanes as their dispatchers have them, and orders for them.
///
/// *Thread:* its client's. *Blocking:* up to the limits of the pool.
package struct LaneControl {
    /// What became of an order.
    package enum Answer: Hashable, Sendable {
        /// It is written, and the lane as it is shown from now on.
        case given(LaneOverview)
        /// Nobody has such a lane, and nothing is written.
        case unknown(UnknownLane)
    }

    /// How long a dispatcher may take to read an order and to say so: its orders it reads every second, and its lease is
    /// renewed every two.
    private static let patience = Duration.seconds(5)

    private let leases: LeaseReader
    private let orders: OrderReader
    private let writer: OrderWriter

    package init(client: MongoClient, database: String) {
        leases = LeaseReader(client: client, database: database)
        orders = OrderReader(client: client, database: database)
        writer = OrderWriter(client: client, database: database)
    }

    /// Every lane that a dispatcher has or somebody has given an order for, by name.
    package func lanes() throws(MongoError) -> [LaneOverview] {
        let found = try leases.leases()
        return LaneOverview.all(leases: found, orders: try orders.orders(), now: WallClock.milliseconds())
    }

    /// Puts an order in the place of the lane's last one.
    ///
    /// - Parameters:
    ///   - order: which lane, and what of it.
    ///   - configured: the lanes of the configuration of whoever gives it: while no dispatcher runs, they are known, too.
    ///   - isAhead: whether it is given for a dispatcher that has the lane and starts later, whoever runs now.
    /// - Returns: what became of it.
    /// - Throws: when it is not known to be durable.
    package func give(
        _ order: LaneOrder,
        configured: [String],
        ahead isAhead: Bool = false
    ) throws(MongoError) -> Answer {
        let found = try leases.leases()
        let lanes = LaneOverview.all(leases: found, orders: try orders.orders(), now: WallClock.milliseconds())
        if !isAhead, let unknown = UnknownLane(order.lane, leases: found, lanes: lanes, configured: configured) {
            return .unknown(unknown)
        }
        let lane = lanes.first { $0.name == order.lane }
        try writer.write(order)
        return .given(LaneOverview(name: order.lane, places: lane?.places ?? [], order: order))
    }

    /// Waits until every dispatcher follows an order, for five seconds at the most.
    ///
    /// *Blocking:* as long.
    ///
    /// - Parameter order: one that was given.
    /// - Returns: the lane at the end, with this order, also where another one has taken its place.
    /// - Throws: when the store does not say.
    package func confirmation(of order: LaneOrder) throws(MongoError) -> LaneOverview {
        let deadline = MonotonicTime.now().advanced(by: Self.patience)
        while true {
            let places = try lanes().first { $0.name == order.lane }?.places ?? []
            let lane = LaneOverview(name: order.lane, places: places, order: order)
            guard !lane.unconfirmed.isEmpty, MonotonicTime.now() < deadline else { return lane }
            NamedThread.sleep(for: .milliseconds(500)) { false }
        }
    }
}
