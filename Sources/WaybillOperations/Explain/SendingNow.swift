import WaybillCore
import WaybillEncoding
package import WaybillFleet
package import WaybillMongo
import WaybillThreads

/// What dispatchers and orders in the store say of sending at this moment.
///
/// What waits in a queue, or in the hands of a dispatcher, has no record: only this tells of it.
package struct SendingNow {
    /// Of all processes, or why they cannot be read.
    let leases: Result<[Lease], MongoError>
    /// All that hold, or why they cannot be read.
    let orders: Result<StandingOrders, MongoError>
    /// The queues that dispatchers read; `nil` where nobody has asked the broker.
    let queues: [FleetHealth.Queue]?
    /// How many messages are in the delay queues; `nil` where nobody has asked the broker.
    let delayed: Int?
    /// The names of queues that the broker does not have; none where nobody has asked it.
    let missing: [String]
    /// Milliseconds since 1970.
    let now: Int64

    package init(
        leases: Result<[Lease], MongoError>,
        orders: Result<StandingOrders, MongoError>,
        queues: [FleetHealth.Queue]? = nil,
        delayed: Int? = nil,
        missing: [String] = [],
        now: Int64
    ) {
        self.leases = leases
        self.orders = orders
        self.queues = queues
        self.delayed = delayed
        self.missing = missing
        self.now = now
    }

    /// Asks the store; what it does not let be read is told in place of it.
    ///
    /// *Thread:* the client's. *Blocking:* up to the limits of its pool.
    ///
    /// - Parameters:
    ///   - client: asks.
    ///   - database: where it is.
    ///   - waiting: what the broker has said of its queues; `nil` where nobody has asked it.
    package init(client: MongoClient, database: String, waiting: RejectedGlance.Waiting? = nil) {
        queues = waiting?.consumed
        delayed = waiting?.delayed
        missing = waiting?.missing ?? []
        leases = Result { () throws(MongoError) in try LeaseReader(client: client, database: database).leases() }
        orders = Result { () throws(MongoError) in try OrderReader(client: client, database: database).orders() }
        // Leases are dated by the store.
        now = ((try? client.clock()) ?? nil) ?? WallClock.milliseconds()
    }

    /// The cancellations that are about a batch: of its name, or of the batch that it is a part of.
    package func cancellations(of batch: String) -> [Cancellation] {
        cancelled.filter { $0.batch.includes(batch) }
    }

    /// All cancellations that hold.
    var cancelled: [Cancellation] { (try? orders.get())?.cancelled ?? [] }

    /// What keeps notifications from being sent.
    ///
    /// - Parameters:
    ///   - lanes: the lanes that it is about; `nil` for all of them.
    ///   - isUnrecorded: whether nothing of it is recorded, as of what waited whole for a lane that was resumed since.
    ///   - published: when it was published: what came after a lane was resumed has not waited for it.
    ///   - ends: by when the delays are over of what waited for a lane, where records tell, in milliseconds since 1970.
    /// - Returns: each once; empty where nothing does.
    package func obstacles(
        lanes: Set<String>? = nil,
        isUnrecorded: Bool = false,
        published: PublishedTimes = PublishedTimes(),
        ends: [String: Int64] = [:]
    ) -> [Obstacle] {
        guard let dispatchers else { return missingQueues + unread }
        // That a lane was resumed concerns what is known to be of it, or of no lane, and nobody else.
        let stopped = self.lanes(dispatchers).compactMap { lane in
            let isConcerned = lanes?.contains(lane.name) ?? isUnrecorded
            return obstacle(
                lane,
                isConcerned: isConcerned && mayHaveWaited(published, for: lane),
                end: ends[lane.name]
            )
        }
        let silent = silent(dispatchers, published: published.unrecorded)
        let processes = missingQueues + presence(dispatchers, silent) + late(dispatchers) + lacks(dispatchers)
        // Of what is known to be of a lane, that lane's is the nearer cause.
        let near =
            lanes == nil ? processes + troubles(dispatchers) + stopped : stopped + troubles(dispatchers) + processes
        let found = near + bystanders(dispatchers, silent)
        return found.filter { obstacle in obstacle.lane.map { lanes?.contains($0) ?? true } ?? true } + unread
    }

    /// The lanes that every dispatcher that has them sends on.
    package var openLanes: Set<String> {
        guard let dispatchers else { return [] }
        let open = lanes(dispatchers).filter { lane in
            !lane.reports.isEmpty && lane.reports.allSatisfy { $0.state == "open" }
                && lane.order.map { $0.state == .open } ?? true
        }
        return Set(open.map(\.name))
    }

    /// What dispatchers have in hand, each in a sentence, with what may be among it; empty where none has anything.
    ///
    /// - Parameters:
    ///   - unrecorded: what may be among it.
    ///   - published: when that was published, in milliseconds since 1970; `nil` where nobody knows.
    /// - Returns: nothing of who should have been heard of since, and was not.
    func underWay(_ unrecorded: Unrecorded, published: Int64? = nil) -> [String] {
        let present = (dispatchers?.present ?? []).filter { lease in
            !isLate(lease) || published.map { $0 <= lease.seen } ?? true
        }
        let reports = present.map { ProcessReport($0) }
        let inHand = reports.compactMap { $0.inFlight?["messages"] }.reduce(0, +)
        let unstarted = reports.compactMap { $0.inFlight?["unstarted"] }.reduce(0, +)
        guard inHand + unstarted > 0 else { return [] }
        let who = reports.count == 1 ? "The dispatcher has" : "The \(reports.count) dispatchers have"
        let messages = inHand == 1 ? "1 message" : "\(inHand) messages"
        var times: [String: Int64] = [:]
        for (queue, text) in reports.compactMap(\.takenUpTo).joined() {
            if let time = TimeText.date(text) { times[queue] = max(time, times[queue] ?? time) }
        }
        let more = unstarted == 0 ? "" : ", and \(unstarted) more that wait for their turn"
        let begin = "\(who) \(messages) in hand\(more): \(unrecorded.subject) may be among them"
        // Nobody takes what is published now.
        guard !reports.allSatisfy(\.isStopping) else { return ["\(begin), or wait in the broker."] }
        return ["\(begin)."]
            + times.sorted { $0.key < $1.key }.map { queue, time in
                "What was published to \(queue) after \(TimeText.text(milliseconds: time)) may wait behind them."
            }
    }
}
