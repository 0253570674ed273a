import WaybillEncoding
import WaybillFleet

/// The lanes that do not send, or have not sent for a while, and what waits for them.
extension SendingNow {
    /// Every lane that is known.
    var states: [LaneState] { dispatchers.map(lanes) ?? [] }

    static func time(_ milliseconds: Int64) -> String { TimeText.text(milliseconds: milliseconds) }

    /// By when all is back that waited for a lane which sends again, in milliseconds since 1970; `nil` where that is over.
    ///
    /// - Parameters:
    ///   - lane: which.
    ///   - end: by when that is known to be over; `nil` where it has no record, and may have been put off just before.
    /// - Returns: the time.
    func resumption(_ lane: LaneState, end: Int64? = nil) -> Int64? {
        // What has left the delay queues is back.
        guard delayed != 0, let order = lane.order, order.state == .open else { return nil }
        let back = end ?? order.source.date + Self.longestWait
        return now < back ? back : nil
    }

    /// Whether something of what was published may have waited for a lane before its last order.
    func mayHaveWaited(_ published: PublishedTimes, for lane: LaneState) -> Bool {
        lane.order.map { published.mayHaveWaited(for: lane.name, until: $0.source.date) } ?? true
    }

    func lanes(_ dispatchers: Dispatchers) -> [LaneState] {
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
    func obstacle(_ lane: LaneState, isConcerned: Bool, end: Int64?) -> Obstacle? {
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
