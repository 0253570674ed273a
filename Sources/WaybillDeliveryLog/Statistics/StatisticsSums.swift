import WaybillMongo

/// What is known of one hour's sum, or one day's, without its counts.
struct StatisticsSum: Hashable {
    /// The minute in which the hour or day begins.
    let start: Int64
    /// What it is made of may be gone: nothing is summed up anew.
    let isSealed: Bool
    /// Of an hour: whether its day's sum has it.
    let isSummed: Bool
}

/// Finds the sums that there are, and what no sum has yet.
struct StatisticsSums {
    let collection: MongoCollection

    /// The sums of hours, or of days, that begin in this time, from the index alone.
    ///
    /// - Parameters:
    ///   - period: of what.
    ///   - minutes: since 1970; `nil` for all that there are.
    /// - Returns: what is known of them.
    /// - Throws: what the store says.
    func of(_ period: StatisticsPeriod, in minutes: Range<Int64>?) throws(MongoError) -> [StatisticsSum] {
        let options = MongoFindOptions(
            projection: BSONDocument { fields in
                fields.append(Statistics.Field.id, int: 0)
                fields.append(Statistics.Field.start, int: 1)
                fields.append(Statistics.Field.sealed, int: 1)
                fields.append(Statistics.Field.summed, int: 1)
            },
            maximumTime: StatisticsLogCount.maximumTime,
            readsMajority: true
        )
        let filter = BSONDocument { filter in
            filter.append(Statistics.Field.level, string: period.rawValue)
            if let minutes {
                filter.append(Statistics.Field.start) { condition in
                    condition.append("$gte", date: minutes.lowerBound * StatisticsMinute.milliseconds)
                    condition.append("$lt", date: minutes.upperBound * StatisticsMinute.milliseconds)
                }
            }
        }
        var found: [StatisticsSum] = []
        let cursor = collection.find(filter, options: options)
        while let document = try cursor.next() {
            guard let start = document["\(Statistics.Field.start)"]?.date else { continue }
            found.append(
                StatisticsSum(
                    start: start / StatisticsMinute.milliseconds,
                    isSealed: document["\(Statistics.Field.sealed)"]?.bool == true,
                    isSummed: document["\(Statistics.Field.summed)"]?.bool == true
                )
            )
        }
        return found
    }

    /// The hours with minutes that their sums do not have, and the last such minute of each.
    ///
    /// - Parameter minutes: since 1970; `nil` for all that there are.
    /// - Returns: the last minutes, by the minute in which each hour begins.
    /// - Throws: what the store says.
    func unsummedHours(in minutes: Range<Int64>?) throws(MongoError) -> [Int64: Int64] {
        let match = BSONDocument { stage in
            stage.append("$match") { match in
                match.append(Statistics.Field.unsummed, bool: true)
                if let minutes {
                    match.append(Statistics.Field.minute) { condition in
                        condition.append("$gte", date: minutes.lowerBound * StatisticsMinute.milliseconds)
                        condition.append("$lt", date: minutes.upperBound * StatisticsMinute.milliseconds)
                    }
                }
            }
        }
        return try starts(of: .hour, from: Statistics.Field.minute, match)
    }

    /// The periods of documents that are found by a condition, and the last time in each; all in minutes since 1970.
    func starts(
        of level: StatisticsLevel,
        from field: StaticString,
        _ match: BSONDocument
    ) throws(MongoError) -> [Int64: Int64] {
        let group = BSONDocument { stage in
            stage.append("$group") { group in
                group.append(Statistics.Field.id) {
                    StatisticsExpression.floor(
                        "$\(field)",
                        to: level.length * StatisticsMinute.milliseconds,
                        in: $0
                    )
                }
                group.append("last") { $0.append("$max", string: "$\(field)") }
            }
        }
        let cursor = collection.aggregate(
            [match, group],
            maximumTime: StatisticsLogCount.maximumTime,
            readsMajority: true
        )
        var starts: [Int64: Int64] = [:]
        while let row = try cursor.next() {
            guard let start = row["_id"]?.int, let last = row["last"]?.date else { continue }
            starts[start / StatisticsMinute.milliseconds] = last / StatisticsMinute.milliseconds
        }
        return starts
    }

    /// The days of messages of which anything is known, in minutes since 1970; `nil` without any.
    func span() throws(MongoError) -> Range<Int64>? {
        var span: Range<Int64>?
        for level in StatisticsLevel.allCases {
            guard let first = try end(of: level, 1), let last = try end(of: level, -1) else { continue }
            let day = StatisticsLevel.day
            let days = day.floor(first)..<day.floor(last) + day.length
            span =
                min(
                    span?.lowerBound ?? days.lowerBound,
                    days.lowerBound
                )..<max(span?.upperBound ?? days.upperBound, days.upperBound)
        }
        return span
    }

    /// The first minute of the first document of a level, or of the last one.
    private func end(of level: StatisticsLevel, _ order: Int) throws(MongoError) -> Int64? {
        let field = level == .minute ? Statistics.Field.minute : Statistics.Field.start
        let filter = BSONDocument { filter in
            if level != .minute { filter.append(Statistics.Field.level, string: level.rawValue) }
            // Others have none.
            filter.append(field) { $0.append("$gte", date: 0) }
        }
        let options = MongoFindOptions(
            sort: BSONDocument { $0.append(field, int: order) },
            projection: BSONDocument { $0.append(field, int: 1) },
            maximumTime: StatisticsLogCount.maximumTime,
            readsMajority: true
        )
        return try collection.findOne(filter, options: options)?["\(field)"]?.date
            .map { $0 / StatisticsMinute.milliseconds }
    }

    /// Keeps the sum of an hour from being sealed while a minute of it is recounted: who has seen it before notices.
    ///
    /// - Parameter minute: since 1970, and known to be in doubt.
    /// - Returns: false where its sum, or its day's, is made no more.
    /// - Throws: what the store says.
    func hold(_ minute: Int64) throws(MongoError) -> Bool {
        let day = StatisticsLevel.day.floor(minute)
        if try of(.day, in: day..<day + 1).first?.isSealed == true { return false }
        let hour = StatisticsLevel.hour.floor(minute)
        let bulk = collection.bulk()
        try bulk.updateOne(
            filter: BSONDocument { filter in
                filter.append(Statistics.Field.id, string: StatisticsPeriod.hour.id(hour))
                filter.append(Statistics.Field.sealed, bool: false)
            },
            update: BSONDocument { update in
                update.append("$inc") { $0.append(Statistics.Field.version, int: 1) }
            },
            upsert: false
        )
        let answer = bulk.execute()
        try answer.requireDurable("sum up in \(collection.database).\(collection.name)")
        if answer.matched == 1 { return true }
        return try of(.hour, in: hour..<hour + 1).isEmpty
    }
}
