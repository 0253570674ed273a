/// Reads one element of `connections`.
enum ConnectionRuleReader {
    private typealias Name = RuleVocabulary.Connection
    private typealias Members = RuleMembers<RuleVocabulary.Connection>

    /// What a connection does that is allowed to speak HTTP/2.
    private static let speaking: [Name] = [
        .initialStreams, .streamSchedule, .connectionWindow, .holdWindows, .hold, .muteAfter, .unansweredAfter,
        .goAwayAfter, .goAway, .idleTimeout, .ping, .flood,
    ]
    private static let counts = 0...1_000_000_000

    static func read(_ value: JSONValue, path: String) throws(RulesFileError) -> SimulatorConnectionRule {
        var members = try Members(value, path: path)
        try checkStages(members)
        var rule = SimulatorConnectionRule()
        rule.times = try members.integer(.times, in: 1...1_000_000_000)
        rule.skip = try members.integer(.skip, in: counts) ?? 0
        rule.probability = try members.probability(.probability) ?? 1
        rule.refuses = try members.flag(.refuse)
        rule.handshake = try members.word(.tls) ?? .regular
        try readSettings(&members, into: &rule)
        try readWindows(&members, into: &rule)
        try readEnds(&members, into: &rule)
        rule.idleTimeout = try members.milliseconds(.idleTimeout, from: 1)
        rule.pingInterval = try members.milliseconds(.ping, from: 1)
        rule.flood = try flood(&members)
        if rule.flood?.frames == .windowUpdate, rule.connectionWindow != nil || rule.windows != .regular {
            throw members.error(.flood, "of window_update makes the connection's window by itself")
        }
        try members.finish()
        return rule
    }

    /// A connection that ends at one stage does nothing at a later one.
    private static func checkStages(_ members: Members) throws(RulesFileError) {
        let late = speaking + [.settings, .closeAfter, .tcpReset]
        var members = members
        if try members.flag(.refuse), let name = members.first(of: late + [.tls]) {
            throw members.error(name, "never happens: the connection is refused")
        }
        if let handshake = try members.word(.tls, SimulatorConnectionRule.Handshake.self), handshake != .regular,
            let name = members.first(of: late)
        {
            throw members.error(name, "never happens: tls ends the connection before")
        }
        if case .string = members.take(.settings), let name = members.first(of: speaking) {
            throw members.error(name, "never happens: settings is silence, which nothing breaks")
        }
    }

    private static func readSettings(
        _ members: inout Members,
        into rule: inout SimulatorConnectionRule
    ) throws(RulesFileError) {
        switch members.take(.settings) {
        case nil: break
        case .string("silence"): rule.isSilent = true
        case .object(let settings): rule.settings = try self.settings(.object(settings), path: members.path(.settings))
        case .some: throw members.error(.settings, "must be \"silence\" or an object")
        }
        rule.initialStreams = try members.integer(.initialStreams, in: 0...1_000_000)
        if rule.initialStreams != nil, rule.settings.maxConcurrentStreams != nil {
            throw members.error(
                .initialStreams,
                "cannot go with settings.max_concurrent_streams, which stands for good"
            )
        }
        for (value, path) in try members.elements(.streamSchedule) ?? [] {
            var step = try RuleMembers<RuleVocabulary.StreamStep>(value, path: path)
            let after = try step.requiredInteger(.after, in: counts)
            if let last = rule.streamSchedule.last, last.after >= after {
                throw step.error(.after, "must be higher than in the step before")
            }
            let streams = try step.requiredInteger(.streams, in: 0...1_000_000)
            rule.streamSchedule.append(SimulatorConnectionRule.StreamStep(after: after, streams: streams))
            try step.finish()
        }
    }

    private static func settings(_ value: JSONValue, path: String) throws(RulesFileError) -> SettingsRule {
        var members = try RuleMembers<RuleVocabulary.Settings>(value, path: path)
        var settings = SettingsRule()
        settings.maxConcurrentStreams = try members.integer(.maxConcurrentStreams, in: 0...1_000_000)
        settings.initialWindowSize = try members.integer(.initialWindowSize, in: 0...0x7FFF_FFFF)
        settings.maxHeaderListSize = try members.integer(.maxHeaderListSize, in: 0...16_777_216)
        settings.headerTableSize = try members.integer(.headerTableSize, in: 0...1_048_576)
        settings.maxFrameSize = try members.integer(.maxFrameSize, in: 16_384...16_777_215)
        try members.finish()
        return settings
    }

    private static func readWindows(
        _ members: inout Members,
        into rule: inout SimulatorConnectionRule
    ) throws(RulesFileError) {
        rule.connectionWindow = try members.integer(.connectionWindow, in: 1...0x7FFF_FFFF)
        let holds = try members.flag(.holdWindows)
        let time = try members.milliseconds(.hold, from: 1)
        if time != nil, !holds { throw members.error(.hold, "goes with hold_windows only") }
        if holds { rule.windows = time.map { .held($0) } ?? .withheld }
    }

    private static func readEnds(
        _ members: inout Members,
        into rule: inout SimulatorConnectionRule
    ) throws(RulesFileError) {
        rule.mutesAfter = try members.integer(.muteAfter, in: counts)
        rule.stopsAnsweringAfter = try members.integer(.unansweredAfter, in: counts)
        rule.closesAfter = try members.integer(.closeAfter, in: counts)
        rule.closesByReset = try members.flag(.tcpReset)
        if rule.closesByReset, rule.closesAfter == nil { throw members.error(.tcpReset, "goes with close_after only") }
        rule.goesAwayAfter = try members.integer(.goAwayAfter, in: counts)
        if let goAway = members.take(.goAway) {
            guard rule.goesAwayAfter != nil else { throw members.error(.goAway, "goes with goaway_after only") }
            rule.goAway = try GoAwayReader.read(goAway, path: members.path(.goAway))
            guard rule.goAway.lastStream != .none else {
                throw members.error(
                    .goAway,
                    "cannot leave out a request that is served; use this, and one request fewer"
                )
            }
        }
    }

    private static func flood(_ members: inout Members) throws(RulesFileError) -> SimulatorConnectionRule.Flood? {
        guard let value = members.take(.flood) else { return nil }
        var flood = try RuleMembers<RuleVocabulary.Flood>(value, path: members.path(.flood))
        guard let frames = try flood.word(.frames, SimulatorConnectionRule.Flood.Frames.self) else {
            throw flood.error(.frames, "is missing")
        }
        let count = try flood.requiredInteger(.count, in: 1...1_000_000)
        let after = try flood.integer(.after, in: frames.earliest...1_000_000_000)
        try flood.finish()
        if frames == .windowUpdate, after != nil {
            throw flood.error(.after, "cannot be chosen: these frames come as the client connects")
        }
        return SimulatorConnectionRule.Flood(frames, count: count, after: after)
    }
}
