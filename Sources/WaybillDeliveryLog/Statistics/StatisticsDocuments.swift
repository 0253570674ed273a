import WaybillMongo

/// Finds the documents of the statistics, without what they have counted.
struct StatisticsDocuments {
    let collection: MongoCollection

    /// What is not replaced of a minute, in an order that stays the same.
    func of(_ minute: StatisticsMinute) throws(MongoError) -> [StatisticsDocument] {
        let found = try find { filter in
            filter.append(Statistics.Field.minute, date: minute.start)
            filter.append(Statistics.Field.basis, string: minute.basis.rawValue)
            filter.append(Statistics.Field.state) { $0.append("$ne", string: Statistics.State.replaced.rawValue) }
        }
        return found.sorted { $0.id < $1.id }
    }

    /// The same of some minutes, since 1970.
    func of(minutes: Range<Int64>) throws(MongoError) -> [StatisticsDocument] {
        try find { filter in
            filter.append(Statistics.Field.minute) { condition in
                condition.append("$gte", date: minutes.lowerBound * StatisticsMinute.milliseconds)
                condition.append("$lt", date: minutes.upperBound * StatisticsMinute.milliseconds)
            }
            filter.append(Statistics.Field.state) { $0.append("$ne", string: Statistics.State.replaced.rawValue) }
        }
    }

    /// What is open, in doubt, or hides others, the earliest minutes first: of more than one round can look at, those.
    func unresolved() throws(MongoError) -> [StatisticsDocument] {
        let found = try find(limit: Self.atOnce) { $0.append(Statistics.Field.unresolved, bool: true) }
        guard found.count == Self.atOnce, let last = found.last?.minute.number, last != found[0].minute.number else {
            return found
        }
        // The last minute may be cut, and is looked at whole the next time.
        return found.filter { $0.minute.number != last }
    }

    /// The same of some minutes, all of it.
    func unresolved(of numbers: ClosedRange<Int64>) throws(MongoError) -> [StatisticsDocument] {
        try find { filter in
            filter.append(Statistics.Field.unresolved, bool: true)
            filter.append(Statistics.Field.minute) { condition in
                condition.append("$gte", date: numbers.lowerBound * StatisticsMinute.milliseconds)
                condition.append("$lte", date: numbers.upperBound * StatisticsMinute.milliseconds)
            }
        }
    }

    /// Whether a minute is to be recounted, by its unresolved documents and the writers that are there.
    static func areInDoubt(_ documents: [StatisticsDocument], _ live: Set<String>) -> Bool {
        // What a head stands for is settled, and only waits to be marked.
        let settled = documents.reduce(into: Set<String>()) { $0.formUnion($1.replaces) }
        return documents.contains { $0.isInDoubt(live) && !settled.contains($0.id) }
    }

    /// The writers that were seen lately, by the store's clock.
    func liveWriters(patience: Duration) throws(MongoError) -> Set<String> {
        try writers { StatisticsClock.isOlder(Statistics.Field.seen, than: patience, in: $0) }
    }

    /// The writers that have written within ``StatisticsPace/silence`` of their own intervals.
    func heardWriters() throws(MongoError) -> Set<String> {
        try writers { expression in
            StatisticsClock.isOlder(Statistics.Field.seen, in: expression) { age in
                age.append(
                    "$multiply",
                    array: { factors in
                        factors.append(int64: Int64(StatisticsPace.silence))
                        factors.append { interval in
                            interval.append(
                                "$ifNull",
                                array: { values in
                                    values.append(string: "$\(Statistics.Field.interval)")
                                    // Of an earlier release.
                                    values.append(int64: Int64(StatisticsPace().interval / .milliseconds(1)))
                                }
                            )
                        }
                    }
                )
            }
        }
    }

    /// - Parameter isGone: the condition on those that are left out.
    /// - Returns: the others, by name.
    /// - Throws: what the store says.
    private func writers(isGone: (BSONWriter) -> Void) throws(MongoError) -> Set<String> {
        let filter = BSONDocument { filter in
            // The ids of writers, and nothing else.
            filter.append(Statistics.Field.id) { condition in
                condition.append("$gte", string: Statistics.presence(of: ""))
                condition.append("$lt", string: Statistics.presence(of: "~"))
            }
            filter.append("$expr") { expression in
                expression.append(
                    "$not",
                    array: { array in
                        array.append(document: isGone)
                    }
                )
            }
        }
        let cursor = collection.find(filter, options: MongoFindOptions(maximumTime: StatisticsLogCount.maximumTime))
        let prefix = Statistics.presence(of: "").count
        var writers: Set<String> = []
        while let document = try cursor.next() {
            if let id = document["_id"]?.string { writers.insert(String(id.dropFirst(prefix))) }
        }
        return writers
    }

    /// What documents have counted, by client, but for one outcome.
    func counts(of ids: [String], except outcome: String) throws(MongoError) -> [String?: Int] {
        let stages = [
            BSONDocument { stage in
                stage.append("$match") { match in
                    match.append(Statistics.Field.id) { condition in
                        condition.append(anyOf: ids)
                    }
                }
            },
            BSONDocument { $0.append("$unwind", string: "$\(Statistics.Field.cells)") },
            BSONDocument { stage in
                stage.append("$match") { match in
                    match.append(
                        name: "\(Statistics.Field.cells).\(Statistics.Cell.outcome)",
                        document: { $0.append("$ne", string: outcome) }
                    )
                }
            },
            BSONDocument { stage in
                stage.append("$group") { group in
                    group.append(
                        Statistics.Field.id,
                        string: "$\(Statistics.Field.cells).\(Statistics.Cell.client)"
                    )
                    group.append(Statistics.Cell.count) {
                        $0.append("$sum", string: "$\(Statistics.Field.cells).\(Statistics.Cell.count)")
                    }
                }
            },
        ]
        let cursor = collection.aggregate(stages, maximumTime: StatisticsLogCount.maximumTime, readsMajority: true)
        var counts: [String?: Int] = [:]
        while let row = try cursor.next() {
            counts[row["\(Statistics.Field.id)"]?.string, default: 0] += row["\(Statistics.Cell.count)"]?.amount ?? 0
        }
        return counts
    }

    /// Documents that one round looks at.
    private static let atOnce = 10_000

    private func find(limit: Int? = nil, _ filter: (BSONWriter) -> Void) throws(MongoError) -> [StatisticsDocument] {
        let options = MongoFindOptions(
            sort: BSONDocument { $0.append(Statistics.Field.minute, int: 1) },
            limit: limit,
            projection: BSONDocument { $0.append(Statistics.Field.cells, int: 0) },
            maximumTime: StatisticsLogCount.maximumTime,
            readsMajority: true
        )
        var found: [StatisticsDocument] = []
        let cursor = collection.find(BSONDocument(filter), options: options)
        while let document = try cursor.next() {
            if let document = StatisticsDocument(document) { found.append(document) }
        }
        return found
    }
}
