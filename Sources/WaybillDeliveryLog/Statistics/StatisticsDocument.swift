import WaybillMongo

/// What a document of the statistics says of itself, without what it has counted.
struct StatisticsDocument: Hashable {
    let id: String
    let minute: StatisticsMinute
    var state: Statistics.State
    let writer: String
    let flushes: Int
    /// How often the minute was recounted, where it is the minute's head.
    let version: Int?
    /// The documents that a head stands for, by id.
    let replaces: Set<String>

    var isHead: Bool { version != nil }

    /// Whether its counts are exact, and counted once.
    var isSettled: Bool { (state == .closed || state == .frozen) && replaces.isEmpty }

    /// Whether somebody must recount its minute; `live` are the writers that are there.
    func isInDoubt(_ live: Set<String>) -> Bool {
        switch state {
        case .open: !live.contains(writer)
        case .doubtful, .taken: true
        case .closed, .replaced, .frozen: false
        }
    }

    /// Reads a document; `nil` for one that counts nothing.
    init?(_ document: BSONDocument) {
        guard let id = document["_id"]?.string,
            let start = document["\(Statistics.Field.minute)"]?.date,
            let basis = document["\(Statistics.Field.basis)"]?.string.flatMap(StatisticsMinute.Basis.init),
            let state = document["\(Statistics.Field.state)"]?.string.flatMap(Statistics.State.init)
        else { return nil }
        self.id = id
        minute = StatisticsMinute(basis, number: start / StatisticsMinute.milliseconds)
        self.state = state
        writer = document["\(Statistics.Field.writer)"]?.string ?? ""
        flushes = Int(document["\(Statistics.Field.flushes)"]?.int ?? 0)
        version = document["\(Statistics.Field.version)"]?.amount
        replaces = Set((document["\(Statistics.Field.replaces)"]?.elements ?? []).compactMap(\.string))
    }
}
