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
    /// Milliseconds since 1970.
    let now: Int64

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
        guard let dispatchers else { return unread }
        // That a lane was resumed concerns what is known to be of it, or of no lane, and nobody else.
        let stopped = self.lanes(dispatchers).compactMap { lane in
            let isConcerned = lanes?.contains(lane.name) ?? isUnrecorded
            return obstacle(
                lane,
                isConcerned: isConcerned && mayHaveWaited(published, for: lane),
                end: ends[lane.name]
            )
        }
        let processes = presence(dispatchers) + late(dispatchers) + lacks(dispatchers)
        // Of what is known to be of a lane, that lane's is the nearer cause.
        let found =
            lanes == nil ? processes + troubles(dispatchers) + stopped : stopped + troubles(dispatchers) + processes
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
    func underWay(_ unrecorded: Unrecorded) -> [String] {
        let reports = (dispatchers?.present ?? []).map { ProcessReport($0) }
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

extension SendingNow {
    struct Dispatchers {
        var present: [Lease] = []
        /// Since when what they lack is away, by whatever process noticed it first.
        var outages = Outages([])
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
            outages: Outages(leases.filter { FleetHealth.isPresent($0, now: now) }.map { ProcessReport($0) }),
            silent: all.filter {
                !FleetHealth.isPresent($0, now: now) && !FleetHealth.isPast($0, among: all, now: now)
            },
            last: all.max { $0.seen < $1.seen }
        )
    }

    private func lacks(_ dispatchers: Dispatchers) -> [Obstacle] {
        dispatchers.present.flatMap { lease in
            ProcessLack.all(of: ProcessReport(lease), dispatchers.outages).map { lack in
                let begin = dispatchers.outages.begin(of: lack)
                let since = begin.map { " since \(TimeText.text(milliseconds: $0))" } ?? ""
                return Obstacle(
                    "\(FleetHealth.name(lease)) \(lack.words)\(since): \(lack.cause).",
                    remedy: lack.advice,
                    subject: lack.subject
                )
            }
        }
    }

    /// Of what goes wrong though nothing is missing, that which keeps from being sent: dead tokens do not.
    private func troubles(_ dispatchers: Dispatchers) -> [Obstacle] {
        dispatchers.present.flatMap { lease in
            let (name, report) = (FleetHealth.name(lease), ProcessReport(lease))
            // What a lane, the store or the broker keeps is told with these, and with the lane's own notifications only.
            let told = report.toldTroubles
            let ofLanes = told.filter(\.stopsLane)
            let unexplained = told.filter(\.isStandstill)
            return ofLanes.map { trouble in
                let since = trouble.since.map { " (since \($0))" } ?? ""
                return Obstacle("\(name): \(trouble.text)\(since).", remedy: trouble.advice, lane: trouble.lane)
            }
                + unexplained.map { trouble in
                    Obstacle(
                        "\(name) \(trouble.text).",
                        remedy:
                            "Look at the log of \(name), and restart it if it finishes nothing for two minutes: what it holds "
                            + "is delivered again."
                    )
                }
        }
    }
}

extension SendingNow {
    /// Whether a dispatcher is silent that nobody has replaced, and may be there.
    var hasSilentDispatcher: Bool { dispatchers?.silent.isEmpty == false }

    /// What the dispatchers that are up say of themselves; `nil` where it cannot be read.
    var dispatcherReports: [ProcessReport]? { dispatchers.map { $0.present.map { ProcessReport($0) } } }

    /// Every lane that is known.
    var states: [LaneState] { dispatchers.map(lanes) ?? [] }

    /// The lanes that stand still though no breaker is open.
    var silentLanes: Set<String> { Set(dispatchers.map { troubles($0).compactMap(\.lane) } ?? []) }

    static func time(_ milliseconds: Int64) -> String { TimeText.text(milliseconds: milliseconds) }

    /// By when all is back that waited for a lane which sends again, in milliseconds since 1970; `nil` where that is over.
    ///
    /// - Parameters:
    ///   - lane: which.
    ///   - end: by when that is known to be over; `nil` where it has no record, and may have been put off until a moment before.
    /// - Returns: the time.
    func resumption(_ lane: LaneState, end: Int64? = nil) -> Int64? {
        guard let order = lane.order, order.state == .open else { return nil }
        let back = end ?? order.source.date + Self.longestWait
        return now < back ? back : nil
    }

    /// Whether something of what was published may have waited for a lane before its last order.
    func mayHaveWaited(_ published: PublishedTimes, for lane: LaneState) -> Bool {
        lane.order.map { published.mayHaveWaited(for: lane.name, until: $0.source.date) } ?? true
    }

    /// One lane in all dispatchers.
    struct LaneState {
        let name: String
        /// Each dispatcher's own.
        var reports: [ProcessReport.Lane]
        /// When the dispatchers that tell of it began, in milliseconds since 1970, in the same order.
        var starts: [Int64]
        let order: LaneOrder?

        /// What it is in a dispatcher that does not send on it; `nil` where all do.
        var closedState: String? { reports.first { $0.state != "open" }?.state }

        /// Since when some dispatcher has not sent on it, as far as that is known.
        var closedSince: String? {
            let times = zip(reports, starts).compactMap { report, start -> (time: String, isAtLeast: Bool)? in
                guard report.state != "open", let since = report.since else { return nil }
                return (since, report.mayBeOlder(thanStart: start))
            }
            return times.min { $0.time < $1.time }.map { $0.isAtLeast ? "at least \($0.time)" : $0.time }
        }
    }

    private func lanes(_ dispatchers: Dispatchers) -> [LaneState] {
        var reports: [String: [ProcessReport.Lane]] = [:]
        var starts: [String: [Int64]] = [:]
        for lease in dispatchers.present {
            for lane in ProcessReport(lease).lanes ?? [] {
                reports[lane.name, default: []].append(lane)
                starts[lane.name, default: []].append(lease.started)
            }
        }
        let orders = ((try? orders.get())?.lanes ?? [:]).filter { name, _ in
            // An order outlives its lane; where no dispatcher tells its lanes, any may be configured.
            reports.isEmpty || reports[name] != nil
        }
        return Set(reports.keys).union(orders.keys).sorted().map {
            LaneState(name: $0, reports: reports[$0] ?? [], starts: starts[$0] ?? [], order: orders[$0])
        }
    }

    /// Why a lane does not send, or what of it is not back yet; `nil` where all of it is sent.
    ///
    /// - Parameters:
    ///   - lane: the lane.
    ///   - isConcerned: whether something is known to have waited for it.
    ///   - end: by when that is back, where it is known.
    /// - Returns: the reason.
    private func obstacle(_ lane: LaneState, isConcerned: Bool, end: Int64?) -> Obstacle? {
        if let order = lane.order, order.state != .open { return stopped(lane.name, by: order) }
        let closed = lane.reports.filter { $0.state != "open" }
        guard let first = closed.first else {
            return isConcerned ? resumed(lane, end: end) : nil
        }
        let share = closed.count == lane.reports.count ? "" : " in \(closed.count) of \(lane.reports.count) dispatchers"
        let since = lane.closedSince.map { " since \($0)" } ?? ""
        let cause = first.cause.map { " for \($0)" } ?? ""
        return Obstacle(
            "The lane \(lane.name) is \(first.state)\(share)\(since)\(cause): its messages wait in the delay queues, and it "
                + "is tried again by itself.",
            remedy: first.advice.map { "The lane \(lane.name): \($0)" },
            lane: lane.name
        )
    }

    private func stopped(_ lane: String, by order: LaneOrder) -> Obstacle {
        let at = TimeText.text(milliseconds: order.source.date)
        let note = order.source.note.map { " (\($0))" } ?? ""
        let word = order.state == .paused ? "paused" : "being drained"
        return Obstacle(
            "The lane \(lane) is \(word) by \(order.source.name) since \(at)\(note): its messages wait in the "
                + "delay queues until it is resumed.",
            remedy:
                "To send what waits for the lane \(lane), which is \(word) by \(order.source.name)\(note): "
                + "`waybill lanes resume \(ShellWord.quoted(lane))`.",
            lane: lane
        )
    }

    /// What waited for a lane that sends again comes back when its delay is over, and not before.
    private func resumed(_ lane: LaneState, end: Int64?) -> Obstacle? {
        guard let back = resumption(lane, end: end), let order = lane.order else { return nil }
        let what = end == nil ? "if anything waited for it, that" : "what waited for it"
        return Obstacle(
            "The lane \(lane.name) was resumed by \(order.source.name) at \(Self.time(order.source.date)): \(what) "
                + "is in the delay queues, and comes back by \(Self.time(back)).",
            lane: lane.name
        )
    }

    /// For how long a message of a lane that does not send waits at a time, at the most, in milliseconds.
    private static let longestWait: Int64 = 900_000
}
