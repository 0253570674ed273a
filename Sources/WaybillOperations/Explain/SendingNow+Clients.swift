import WaybillFleet

extension SendingNow {
    /// What keeps the notifications of some clients from being sent, without a word on whose orders, hosts and messages there are
    /// besides: for keys of these clients.
    ///
    /// - Parameters:
    ///   - lanes: those that their notifications use.
    ///   - areConcerned: whether something is known to have waited for these: then that they were resumed is told, too.
    ///   - published: when that was published which is asked for.
    ///   - ends: by when the delays are over of what waited for a lane, where records tell, in milliseconds since 1970.
    /// - Returns: each once; empty where nothing does, and where it cannot be read.
    package func obstaclesForClients(
        lanes: Set<String>,
        areConcerned: Bool = true,
        published: PublishedTimes = PublishedTimes(),
        ends: [String: Int64] = [:]
    ) -> [Obstacle] {
        guard let reports = dispatcherReports else { return [] }
        var found: [Obstacle] = []
        if reports.isEmpty {
            found.append(
                hasSilentDispatcher
                    ? Obstacle(
                        "No dispatcher has said anything lately: what is published waits in the broker until one works.",
                        remedy: "Ask the operator what is wrong; nothing is lost meanwhile."
                    )
                    : Obstacle(
                        "No dispatcher runs: what is published waits in the broker until one does.",
                        remedy: "Ask the operator to start one; nothing is lost meanwhile."
                    )
            )
        } else if !reports.contains(where: \.ready) {
            found.append(
                Obstacle(
                    "No dispatcher can work at this moment: what is published waits until one can.",
                    remedy: "Ask the operator what is wrong; nothing is lost meanwhile."
                )
            )
        }
        let closed = states.filter { lane in
            guard lanes.contains(lane.name) else { return false }
            return resumption(lane) == nil || areConcerned && mayHaveWaited(published, for: lane)
        }
        return found + closed.compactMap { forClients($0, end: ends[$0.name]) }
            + silentLanes.intersection(lanes).sorted().map { lane in
                Obstacle(
                    "The push service does not answer, or is not reached, on the lane \(lane).",
                    remedy: "Ask the operator to look at the lane \(lane); nothing is lost meanwhile.",
                    lane: lane
                )
            }
    }

    private func forClients(_ lane: LaneState, end: Int64?) -> Obstacle? {
        let waits = "its messages wait in the delay queues"
        if let order = lane.order, order.state != .open {
            let word = order.state == .paused ? "paused" : "being drained"
            return Obstacle(
                "The lane \(lane.name) is \(word) since \(Self.time(order.source.date)): \(waits) until it is resumed.",
                remedy: "Ask the operator when the lane \(lane.name) is resumed.",
                lane: lane.name
            )
        }
        if let state = lane.closedState {
            let since = lane.closedSince.map { " since \($0)" } ?? ""
            return Obstacle(
                "The lane \(lane.name) is \(state)\(since): \(waits), and it is tried again by itself.",
                remedy: "Ask the operator to look at the lane \(lane.name).",
                lane: lane.name
            )
        }
        guard let back = resumption(lane, end: end) else { return nil }
        return Obstacle(
            "The lane \(lane.name) was resumed: what waited for it comes back by \(Self.time(back)).",
            lane: lane.name
        )
    }
}
