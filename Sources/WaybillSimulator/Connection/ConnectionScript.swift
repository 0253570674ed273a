/// When a connection's rule does something, counted in requests; pure.
///
/// The connection tells what happens to it and does what it is told.
package struct ConnectionScript: Sendable {
    /// Something to do.
    package enum Action: Hashable, Sendable {
        case mute
        case close(byReset: Bool)
        case goAway(SimulatorGoAway)
        case limitStreams(Int)
        case flood(SimulatorConnectionRule.Flood)
    }

    /// The rule; `nil` for a connection that is served as usual.
    package let rule: SimulatorConnectionRule?
    private var requests = 0
    private var answers = 0

    package init(rule: SimulatorConnectionRule?) {
        self.rule = rule
    }

    /// The connection's first SETTINGS wait to be sent.
    package func began() -> [Action] {
        actions(at: 0) + streamStep(after: 0)
    }

    /// A request has come, and has been served as far as that can be done at once.
    package mutating func requestCame() -> [Action] {
        guard rule != nil else { return [] }
        requests += 1
        return actions(at: requests)
    }

    /// A request is answered.
    package mutating func answered() -> [Action] {
        guard rule != nil else { return [] }
        answers += 1
        return streamStep(after: answers)
    }

    /// The empty frames that go ahead of the answer to the request that is being served.
    package var emptyFrames: Int {
        guard let flood = rule?.flood, flood.frames == .emptyData, flood.after == requests + 1 else { return 0 }
        return flood.count
    }

    /// Whether a flood stands in place of the answer to the request that is being served.
    package var replacesAnswer: Bool {
        guard let flood = rule?.flood else { return false }
        return flood.frames == .continuation && flood.after == requests + 1
    }

    /// Whether the request that is being served, and those behind it, are left without an answer.
    package var answersNoMore: Bool {
        guard let limit = rule?.stopsAnsweringAfter else { return false }
        return requests >= limit
    }

    private func actions(at count: Int) -> [Action] {
        guard let rule else { return [] }
        var actions: [Action] = []
        if let flood = rule.flood, flood.after == count, flood.frames != .emptyData, flood.frames != .windowUpdate {
            actions.append(.flood(flood))
        }
        if rule.goesAwayAfter == count { actions.append(.goAway(rule.goAway)) }
        if rule.mutesAfter == count { actions.append(.mute) }
        if rule.closesAfter == count { actions.append(.close(byReset: rule.closesByReset)) }
        return actions
    }

    private func streamStep(after count: Int) -> [Action] {
        rule?.streamSchedule.last { $0.after == count }.map { [.limitStreams($0.streams)] } ?? []
    }
}
