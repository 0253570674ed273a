/// Reads a `goaway` object.
enum GoAwayReader {
    static func read(_ value: JSONValue, path: String) throws(RulesFileError) -> SimulatorGoAway {
        var members = try RuleMembers<RuleVocabulary.GoAway>(value, path: path)
        var goAway = SimulatorGoAway(reason: try members.string(.reason))
        goAway.errorCode = try members.errorCode(.errorCode) ?? .noError
        goAway.lastStream = try members.word(.lastStream) ?? .all
        goAway.closes = try members.flag(.close)
        goAway.closesAfter = try members.milliseconds(.closeAfter)
        if goAway.closes, goAway.closesAfter != nil {
            throw members.error(.closeAfter, "cannot go with close, which closes at once")
        }
        if let delay = try members.milliseconds(.then) {
            guard goAway.lastStream == .graceful else { throw members.error(.then, "goes with graceful only") }
            goAway.graceful = delay
        }
        goAway.debugData = try debugData(&members)
        if let second = members.take(.again) {
            goAway.second = try self.second(second, path: members.path(.again))
            if goAway.closes { throw members.error(.again, "cannot go with close, which closes at once") }
            if goAway.lastStream == .graceful {
                throw members.error(.again, "cannot go with graceful, which has its own second frame")
            }
        }
        if goAway.closes, goAway.lastStream == .graceful {
            throw members.error(.close, "cannot go with graceful, whose second frame would not leave")
        }
        try members.finish()
        return goAway
    }

    private static func debugData(
        _ members: inout RuleMembers<RuleVocabulary.GoAway>
    ) throws(RulesFileError) -> SimulatorGoAway.DebugData {
        let text = try members.string(.debugData)
        let count = try members.integer(.debugBytes, in: 1...SimulatorGoAway.maximumDebugData)
        guard text == nil || count == nil else {
            throw members.error(.debugBytes, "cannot go with debug_data, which is sent as it stands")
        }
        return text.map { .text($0) } ?? count.map { .padded(to: $0) } ?? .reason
    }

    private static func second(_ value: JSONValue, path: String) throws(RulesFileError) -> SimulatorGoAway.Second {
        var members = try RuleMembers<RuleVocabulary.SecondGoAway>(value, path: path)
        let second = SimulatorGoAway.Second(
            after: try members.milliseconds(.after) ?? .zero,
            lastStream: try members.word(.lastStream) ?? .all,
            errorCode: try members.errorCode(.errorCode) ?? .noError,
            reason: try members.string(.reason)
        )
        guard second.lastStream == .all || second.lastStream == .this else {
            throw members.error(.lastStream, "must be all or this in the second frame")
        }
        try members.finish()
        return second
    }
}
