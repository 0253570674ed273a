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
    private let leases: Result<[Lease], MongoError>
    /// All that hold, or why they cannot be read.
    private let orders: Result<StandingOrders, MongoError>
    /// Milliseconds since 1970.
    private let now: Int64

    package init(leases: Result<[Lease], MongoError>, orders: Result<StandingOrders, MongoError>, now: Int64) {
        self.leases = leases
        self.orders = orders
        self.now = now
    }

    /// Asks the store; what it does not let be read is told in place of it.
    ///
    /// *Thread:* the client's. *Blocking:* up to the limits of its pool.
    package init(client: MongoClient, database: String) {
        leases = Result { () throws(MongoError) in try LeaseReader(client: client, database: database).leases() }
        orders = Result { () throws(MongoError) in try OrderReader(client: client, database: database).orders() }
        // Leases are dated by the store.
        now = ((try? client.clock()) ?? nil) ?? WallClock.milliseconds()
    }

    /// The cancellations that are about a batch: of its name, or of the batch that it is a part of.
    package func cancellations(of batch: String) -> [Cancellation] {
        (try? orders.get())?.cancelled.filter { $0.batch.includes(batch) } ?? []
    }

    /// What keeps notifications from being sent.
    ///
    /// - Parameter lane: the lane that it is about; `nil` for all of them.
    /// - Returns: a sentence for each; empty where nothing does.
    package func obstacles(lane: String? = nil) -> [String] {
        guard let dispatchers else { return unread }
        return presence(dispatchers) + lacks(dispatchers)
            + lanes(dispatchers).filter {
                lane == nil || $0.name == lane
            }.compactMap(text) + unread
    }

    /// What is under way where nothing is recorded, each in a sentence; empty where no dispatcher tells.
    package var underWay: [String] {
        let reports = (dispatchers?.present ?? []).map { ProcessReport($0) }
        guard !reports.isEmpty else { return [] }
        let inHand = reports.compactMap { $0.inFlight?["messages"] }.reduce(0, +)
        let unstarted = reports.compactMap { $0.inFlight?["unstarted"] }.reduce(0, +)
        let who = reports.count == 1 ? "The dispatcher has" : "The \(reports.count) dispatchers have"
        let messages = inHand == 1 ? "1 message" : "\(inHand) messages"
        var sentences = ["\(who) \(messages) in hand, and \(unstarted) more that wait for their turn."]
        var times: [String: Int64] = [:]
        for (queue, text) in reports.compactMap(\.takenUpTo).joined() {
            if let time = TimeText.date(text) { times[queue] = max(time, times[queue] ?? time) }
        }
        for (queue, time) in times.sorted(by: { $0.key < $1.key }) {
            sentences.append(
                "The latest message that was taken from \(queue) was published at \(TimeText.text(milliseconds: time)): "
                    + "what was published there later, still waits in it."
            )
        }
        return sentences
    }
}

extension SendingNow {
    private struct Dispatchers {
        var present: [Lease] = []
        /// Silent for too long, and not replaced.
        var silent: [Lease] = []
        /// The one that was heard of last.
        var last: Lease?
    }

    /// `nil` where they cannot be read.
    private var dispatchers: Dispatchers? {
        guard let leases = try? leases.get() else { return nil }
        let all = leases.filter { $0.role == "dispatch" }
        return Dispatchers(
            present: all.filter { FleetHealth.isPresent($0, now: now) },
            silent: all.filter {
                !FleetHealth.isPresent($0, now: now) && !FleetHealth.isPast($0, among: all, now: now)
            },
            last: all.max { $0.seen < $1.seen }
        )
    }

    private func presence(_ dispatchers: Dispatchers) -> [String] {
        let silent = dispatchers.silent.map { lease in
            "\(FleetHealth.name(lease)) has said nothing since \(TimeText.text(milliseconds: lease.seen)): it hangs, was "
                + "killed, or cannot reach the store."
        }
        guard dispatchers.present.isEmpty else { return silent }
        let ended = dispatchers.last.flatMap { lease in
            lease.isEnded
                ? ": \(FleetHealth.name(lease)), the last one, ended at \(TimeText.text(milliseconds: lease.seen))"
                : nil
        }
        return silent + ["No dispatcher runs\(ended ?? ""). What is published waits in the broker until one does."]
    }

    private func lacks(_ dispatchers: Dispatchers) -> [String] {
        dispatchers.present.flatMap { lease in
            (ProcessReport(lease).checks ?? []).filter { !$0.ok }.map { check in
                let since = check.since.map { " since \($0)" } ?? ""
                return
                    "\(FleetHealth.name(lease)) \(FleetHealth.words(for: check.name))\(since): \(check.cause ?? "missing")."
            }
        }
    }

    /// What is not to be known.
    private var unread: [String] {
        var sentences: [String] = []
        if case .failure(let error) = leases {
            sentences.append("What the dispatchers do now is not readable (find on processes): \(error)")
        }
        if case .failure(let error) = orders {
            sentences.append("What operators have ordered is not readable (find on orders): \(error)")
        }
        return sentences
    }
}

extension SendingNow {
    /// One lane in all dispatchers.
    private struct Lane {
        let name: String
        /// Each dispatcher's own.
        var reports: [ProcessReport.Lane]
        let order: LaneOrder?
    }

    private func lanes(_ dispatchers: Dispatchers) -> [Lane] {
        var reports: [String: [ProcessReport.Lane]] = [:]
        for lease in dispatchers.present {
            for lane in ProcessReport(lease).lanes ?? [] { reports[lane.name, default: []].append(lane) }
        }
        let orders = (try? orders.get())?.lanes ?? [:]
        return Set(reports.keys).union(orders.keys).sorted().map {
            Lane(name: $0, reports: reports[$0] ?? [], order: orders[$0])
        }
    }

    /// Why a lane does not send; `nil` where it does.
    private func text(_ lane: Lane) -> String? {
        if let order = lane.order, order.state != .open {
            let at = TimeText.text(milliseconds: order.source.date)
            let note = order.source.note.map { " (\($0))" } ?? ""
            let word = order.state == .paused ? "paused" : "being drained"
            return
                "The lane \(lane.name) is \(word) by \(order.source.name) since \(at)\(note): its messages wait in the "
                + "delay queues until it is resumed."
        }
        let closed = lane.reports.filter { $0.state != "open" }
        guard let first = closed.first else { return nil }
        let share = closed.count == lane.reports.count ? "" : " in \(closed.count) of \(lane.reports.count) dispatchers"
        let since = closed.compactMap(\.since).min().map { " since \($0)" } ?? ""
        let cause = first.cause.map { " for \($0)" } ?? ""
        return
            "The lane \(lane.name) is \(first.state)\(share)\(since)\(cause): its messages wait in the delay queues, and it "
            + "is tried again by itself."
    }
}
