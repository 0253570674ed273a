import WaybillMongo

/// What a document of the statistics has counted of one kind, as far as a query asks for it.
struct StatisticsCell {
    /// What the value of the dimension is called, whichever it is.
    static let value: StaticString = "value"

    /// Of the outcomes, in milliseconds since 1970.
    private(set) var time: Int64 = 0
    /// Of the dimension; `nil` where there is none.
    private(set) var value: String?
    private(set) var outcome = ""
    private(set) var count = 0
    /// A count for each class of latency that occurs, named by its number.
    private(set) var latency: [(bucket: Int, count: Int)] = []

    /// Reads a cell; `nil` for one without an outcome.
    init?(_ document: BSONDocument) {
        // One look at every field: a query of hours has tens of thousands of cells.
        for (name, value) in document.fields {
            switch name {
            case Name.time: time = value.date ?? 0
            case Name.value: self.value = value.string
            case Name.outcome: outcome = value.string ?? ""
            case Name.count: count = value.amount ?? 0
            case Name.latency: latency = Self.latency(value.document ?? .empty)
            default: break
            }
        }
        guard !outcome.isEmpty else { return nil }
    }

    private static func latency(_ counts: BSONDocument) -> [(bucket: Int, count: Int)] {
        counts.fields.compactMap { name, value in
            guard let bucket = Int(name), (0..<LatencyBuckets.count).contains(bucket) else { return nil }
            return (bucket, value.amount ?? 0)
        }
    }

    private enum Name {
        static let time = "\(Statistics.Cell.minute)"
        static let value = "\(StatisticsCell.value)"
        static let outcome = "\(Statistics.Cell.outcome)"
        static let count = "\(Statistics.Cell.count)"
        static let latency = "\(Statistics.Cell.latency)"
    }
}

extension StatisticsRow {
    /// A row in which nothing is counted yet.
    init(start: Int64?, value: String?) {
        self.init(start: start, value: value, outcomes: [:], latency: Array(repeating: 0, count: LatencyBuckets.count))
    }

    /// Counts a cell, too.
    mutating func add(_ cell: StatisticsCell) {
        outcomes[cell.outcome, default: 0] += cell.count
        for (bucket, count) in cell.latency { latency[bucket] += count }
    }

    /// Counts what another row has, too.
    mutating func add(_ other: StatisticsRow) {
        for (outcome, count) in other.outcomes { outcomes[outcome, default: 0] += count }
        for bucket in latency.indices { latency[bucket] += other.latency[bucket] }
    }
}
