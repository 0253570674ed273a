import WaybillCore
package import WaybillMongo

/// Sums up minutes as hours, and hours as days, and lets go what has been summed up for long enough.
///
/// A sum is made of all its parts, each time anew, and never added to. Three things make it exact wherever it stops:
/// - Every part says that it has no sum until the sum that has it is written; what changes a part says so again in the same
///   step. Readers take a sum only while none of its parts says so.
/// - A sum is written over the version that was there before its parts were read, and only if they are the same afterwards.
/// - A sum is sealed before the first of its parts goes, and made no more from then on. Minutes that are written even later
///   stay for good, and are read beside it.
///
/// *Thread:* its client's. *Blocking:* up to the limits of the pool, for each question.
package struct StatisticsRollup {
    /// What a round has done.
    package struct Result: Hashable, Sendable {
        package var hours = 0
        package var days = 0
        /// Sums whose parts are let go.
        package var sealed = 0
    }

    private let collection: MongoCollection
    private let documents: StatisticsDocuments
    private let sums: StatisticsSums
    private let lease: StatisticsLease
    private let keeping: StatisticsKeeping
    private let pace: StatisticsPace

    /// - Parameters:
    ///   - client: the store.
    ///   - database: where the log is.
    ///   - ledger: of the writer who does this beside its own work.
    ///   - keeping: how long parts are kept.
    package init(client: MongoClient, database: String, ledger: StatisticsLedger, keeping: StatisticsKeeping) {
        collection = client.collection(database: database, name: Statistics.collection)
        documents = StatisticsDocuments(collection: collection)
        sums = StatisticsSums(collection: collection)
        lease = StatisticsLease(collection: collection, ledger: ledger)
        self.keeping = keeping
        pace = ledger.pace
    }

    /// Makes the sums that are due, and lets go what is old enough, if nobody else does.
    ///
    /// - Parameters:
    ///   - now: milliseconds since 1970.
    ///   - pause: called between steps: whoever sums up has other things to do.
    /// - Returns: what was done.
    /// - Throws: what the store says; what was not done is done the next time.
    package func round(now: Int64 = StatisticsClock.now(), pause: () -> Void = {}) throws(MongoError) -> Result {
        var result = Result()
        guard try lease.isHeld() else { return result }
        for hour in try dueHours(now: now) {
            if try make(.hour, hour) { result.hours += 1 }
            pause()
        }
        for day in try dueDays() {
            if try make(.day, day) { result.days += 1 }
            pause()
        }
        for period in StatisticsPeriod.allCases {
            result.sealed += try letGo(of: period, now: now, pause: pause)
        }
        return result
    }

    // MARK: - What is due

    /// Hours with minutes that no sum has, the last of them quiet for a while; in minutes since 1970.
    private func dueHours(now: Int64) throws(MongoError) -> [Int64] {
        let quiet = now - Int64(pace.settling / .milliseconds(1))
        let due = try sums.unsummedHours(in: nil)
            .filter { $0.value * StatisticsMinute.milliseconds <= quiet }.keys
        guard let first = due.min(), let last = due.max() else { return [] }
        let sealed = try sealed(StatisticsLevel.day.floor(first)..<last + 1)
        let isOpen = { !sealed.hours.contains($0) && !sealed.days.contains(StatisticsLevel.day.floor($0)) }
        return due.filter(isOpen).sorted()
    }

    /// Days with hours that no sum has, and without minutes that no hour has.
    private func dueDays() throws(MongoError) -> [Int64] {
        let day = StatisticsLevel.day
        let hours = try sums.of(.hour, in: nil)
        let due = Set(hours.filter { !$0.isSummed }.map { day.floor($0.start) })
        guard let first = due.min(), let last = due.max() else { return [] }
        let sealed = try sealed(first..<last + day.length)
        let open = try sums.unsummedHours(in: first..<last + day.length).keys.filter { !sealed.hours.contains($0) }
        return due.subtracting(sealed.days).subtracting(open.map(day.floor)).sorted()
    }

    private func sealed(_ minutes: Range<Int64>) throws(MongoError) -> (hours: Set<Int64>, days: Set<Int64>) {
        (
            Set(try sums.of(.hour, in: minutes).filter(\.isSealed).map(\.start)),
            Set(try sums.of(.day, in: minutes).filter(\.isSealed).map(\.start))
        )
    }

    // MARK: - A sum

    /// A part of a sum, as it is at one moment.
    struct Part: Hashable {
        let id: String
        /// Where it has one: of a minute that was recounted, and of an hour.
        let version: Int?
    }

    /// Makes the sum of a period anew.
    ///
    /// - Parameters:
    ///   - period: of what.
    ///   - start: the minute in which it begins.
    /// - Returns: whether it was made; not while a part of it is open or in doubt, or where somebody else did so.
    /// - Throws: what the store says.
    func make(_ period: StatisticsPeriod, _ start: Int64) throws(MongoError) -> Bool {
        let options = MongoFindOptions(
            projection: BSONDocument { $0.append(Statistics.Field.cells, int: 0) },
            readsMajority: true
        )
        let known = try collection.findOne(
            BSONDocument { $0.append(Statistics.Field.id, string: period.id(start)) },
            options: options
        )
        if known?["\(Statistics.Field.sealed)"]?.bool == true { return false }
        // It holds too much, and stays as its parts are.
        if known?["\(Statistics.Field.state)"]?.string == Statistics.State.frozen.rawValue { return false }
        guard let parts = try parts(of: period, start), !parts.isEmpty else { return false }
        let cells = try cells(of: period, start)
        guard try self.parts(of: period, start) == parts else { return false }
        let version = known?["\(Statistics.Field.version)"]?.amount
        guard try write(period, start, cells, over: version) else { return false }
        guard cells != nil else { return false }
        try mark(parts, of: period)
        return true
    }

    /// What a sum is made of; `nil` while something of it is not known exactly.
    func parts(of period: StatisticsPeriod, _ start: Int64) throws(MongoError) -> Set<Part>? {
        switch period {
        case .hour:
            let minutes = try documents.of(minutes: start..<start + period.level.length)
            guard minutes.allSatisfy(\.isSettled) else { return nil }
            return Set(minutes.map { Part(id: $0.id, version: $0.version) })
        case .day:
            let options = MongoFindOptions(
                projection: BSONDocument { fields in
                    fields.append(Statistics.Field.version, int: 1)
                    fields.append(Statistics.Field.state, int: 1)
                },
                maximumTime: StatisticsLogCount.maximumTime,
                readsMajority: true
            )
            var parts: Set<Part> = []
            let filter = BSONDocument { self.match(period, start, in: $0) }
            for hour in try collection.find(filter, options: options).all() {
                guard hour["\(Statistics.Field.state)"]?.string == Statistics.State.closed.rawValue,
                    let id = hour["_id"]?.string, let version = hour["\(Statistics.Field.version)"]?.int
                else { return nil }
                parts.insert(Part(id: id, version: Int(version)))
            }
            return parts
        }
    }

    /// The condition on the parts of a sum that count something.
    private func match(_ period: StatisticsPeriod, _ start: Int64, in filter: BSONWriter) {
        if period == .day { filter.append(Statistics.Field.level, string: period.parts.rawValue) }
        filter.append(period == .hour ? Statistics.Field.minute : Statistics.Field.start) { condition in
            condition.append("$gte", date: start * StatisticsMinute.milliseconds)
            condition.append("$lt", date: (start + period.level.length) * StatisticsMinute.milliseconds)
        }
        if period == .hour {
            filter.append(Statistics.Field.state) { $0.append("$ne", string: Statistics.State.replaced.rawValue) }
        }
    }

    /// The counts of a period, by its own length; `nil` for more than fit into one document.
    private func cells(
        of period: StatisticsPeriod,
        _ start: Int64
    ) throws(MongoError) -> [StatisticsKey: StatisticsCounts]? {
        let stages = [
            BSONDocument { stage in stage.append("$match") { self.match(period, start, in: $0) } },
            BSONDocument { $0.append("$unwind", string: "$\(Statistics.Field.cells)") },
            BSONDocument { stage in
                stage.append("$replaceRoot") { $0.append("newRoot", string: "$\(Statistics.Field.cells)") }
            },
            Self.group(by: period.level),
        ]
        let cursor = collection.aggregate(stages, maximumTime: StatisticsLogCount.maximumTime, readsMajority: true)
        var cells: [StatisticsKey: StatisticsCounts] = [:]
        while let row = try cursor.next() {
            guard let group = row["_id"]?.document, let key = StatisticsKey(group: group) else { continue }
            var counts = StatisticsCounts()
            counts.count = row["\(Statistics.Cell.count)"]?.amount ?? 0
            for bucket in counts.latency.indices { counts.latency[bucket] = row["b\(bucket)"]?.amount ?? 0 }
            cells[key, default: StatisticsCounts()].add(counts)
            guard cells.count <= StatisticsLogCount.cellLimit else { return nil }
        }
        return cells
    }

    private static func group(by level: StatisticsLevel) -> BSONDocument {
        BSONDocument { stage in
            stage.append("$group") { group in
                group.append(Statistics.Field.id) { key in
                    key.append(Statistics.Cell.minute) {
                        StatisticsExpression.floor(
                            "$\(Statistics.Cell.minute)",
                            to: level.length * StatisticsMinute.milliseconds,
                            in: $0
                        )
                    }
                    for name in [
                        Statistics.Cell.outcome, Statistics.Cell.client, Statistics.Cell.lane, Statistics.Cell.topic,
                        Statistics.Cell.pushType, Statistics.Cell.reason,
                    ] { key.append(name, string: "$\(name)") }
                }
                StatisticsExpression.sums(in: group)
            }
        }
    }

    /// Writes a sum over the version that was there before its parts were read; `nil` for none.
    ///
    /// - Returns: whether nobody else has written it meanwhile.
    /// - Throws: what the store says.
    private func write(
        _ period: StatisticsPeriod,
        _ start: Int64,
        _ cells: [StatisticsKey: StatisticsCounts]?,
        over version: Int?
    ) throws(MongoError) -> Bool {
        try collection.write(
            period.id(start),
            over: version,
            where: { $0.append(Statistics.Field.sealed, bool: false) },
            operation: operation
        ) { fields in
            fields.append(Statistics.Field.level, string: period.rawValue)
            fields.append(Statistics.Field.start, date: start * StatisticsMinute.milliseconds)
            fields.append(Statistics.Field.sealed, bool: false)
            fields.append(Statistics.Field.summed, bool: period == .day)
            let state: Statistics.State = cells == nil ? .frozen : .closed
            fields.append(Statistics.Field.state, string: state.rawValue)
            StatisticsCoding.append(cells ?? [:], to: fields)
        }
    }

    /// Says of parts that the sum has them, if they are still what it has.
    private func mark(_ parts: Set<Part>, of period: StatisticsPeriod) throws(MongoError) {
        let bulk = collection.bulk()
        for part in parts {
            try bulk.updateOne(
                filter: BSONDocument { filter in
                    filter.append(Statistics.Field.id, string: part.id)
                    if let version = part.version { filter.append(Statistics.Field.version, int: version) }
                },
                update: BSONDocument { update in
                    if period == .hour {
                        update.append("$unset") { $0.append(Statistics.Field.unsummed, bool: true) }
                    } else {
                        update.append("$set") { $0.append(Statistics.Field.summed, bool: true) }
                    }
                },
                upsert: false
            )
        }
        try bulk.execute().requireDurable(operation)
    }

    // MARK: - Letting go

    /// Lets the parts of old sums expire.
    ///
    /// - Returns: how many sums were sealed for it.
    private func letGo(of period: StatisticsPeriod, now: Int64, pause: () -> Void) throws(MongoError) -> Int {
        let old = now - Int64(keeping.time(of: period.parts) / .milliseconds(1))
        let field = period == .hour ? Statistics.Field.minute : Statistics.Field.start
        let match = BSONDocument { stage in
            stage.append("$match") { match in
                if period == .day { match.append(Statistics.Field.level, string: period.parts.rawValue) }
                let last = old - period.level.length * StatisticsMinute.milliseconds
                match.append(field) { $0.append("$lt", date: last) }
                match.append(Statistics.Field.expiresAt) { $0.append("$exists", bool: false) }
                if period == .hour {
                    match.append(Statistics.Field.unsummed) { $0.append("$exists", bool: false) }
                }
            }
        }
        var count = 0
        for start in try sums.starts(of: period.level, from: field, match).keys.sorted() {
            let sum = try sums.of(period, in: start..<start + 1).first
            if sum?.isSealed != true {
                guard try seal(period, start) else { continue }
                count += 1
            }
            try expire(period, start)
            pause()
        }
        return count
    }

    /// Whether a sum has all that there is of its period, for certain.
    private func isWhole(_ period: StatisticsPeriod, _ start: Int64) throws(MongoError) -> Bool {
        let minutes = start..<start + period.level.length
        let unsummed = try sums.unsummedHours(in: minutes).keys
        guard let parts = try parts(of: period, start), !parts.isEmpty else { return false }
        guard period == .day else { return unsummed.isEmpty }
        let hours = try sums.of(.hour, in: minutes)
        let sealed = Set(hours.filter(\.isSealed).map(\.start))
        return hours.allSatisfy { $0.isSummed && $0.isSealed } && unsummed.allSatisfy(sealed.contains)
    }

    /// - Returns: whether it is sealed now: it was whole, and nobody has touched it since that was seen.
    private func seal(_ period: StatisticsPeriod, _ start: Int64) throws(MongoError) -> Bool {
        let known = try collection.findOne(
            BSONDocument { $0.append(Statistics.Field.id, string: period.id(start)) },
            options: MongoFindOptions(
                projection: BSONDocument { $0.append(Statistics.Field.version, int: 1) },
                readsMajority: true
            )
        )
        guard let version = known?["\(Statistics.Field.version)"]?.int, try isWhole(period, start) else { return false }
        let bulk = collection.bulk()
        try bulk.updateOne(
            filter: BSONDocument { filter in
                filter.append(Statistics.Field.id, string: period.id(start))
                filter.append(Statistics.Field.version, int: Int(version))
                filter.append(Statistics.Field.state, string: Statistics.State.closed.rawValue)
            },
            update: BSONDocument { update in
                update.append("$set") { $0.append(Statistics.Field.sealed, bool: true) }
            },
            upsert: false
        )
        let answer = bulk.execute()
        try answer.requireDurable(operation)
        return answer.matched == 1
    }

    /// Any reader that began before the sum was sealed has ended when its parts go.
    private func expire(_ period: StatisticsPeriod, _ start: Int64) throws(MongoError) {
        let filter = BSONDocument { filter in
            self.match(period, start, in: filter)
            filter.append(Statistics.Field.expiresAt) { $0.append("$exists", bool: false) }
            if period == .hour { filter.append(Statistics.Field.unsummed) { $0.append("$exists", bool: false) } }
        }
        let options = MongoFindOptions(
            projection: BSONDocument { $0.append(Statistics.Field.id, int: 1) },
            maximumTime: StatisticsLogCount.maximumTime,
            readsMajority: true
        )
        let expiresAt = StatisticsClock.now(advancedBy: StatisticsPace.keeping)
        let bulk = collection.bulk()
        for part in try collection.find(filter, options: options).all() {
            guard let id = part["_id"]?.string else { continue }
            try bulk.updateOne(
                filter: BSONDocument { filter in
                    filter.append(Statistics.Field.id, string: id)
                    guard period == .hour else { return }
                    filter.append(Statistics.Field.unsummed) { $0.append("$exists", bool: false) }
                },
                update: BSONDocument { update in
                    update.append("$set") { $0.append(Statistics.Field.expiresAt, date: expiresAt) }
                },
                upsert: false
            )
        }
        if bulk.count > 0 { try bulk.execute().requireDurable(operation) }
    }

    private var operation: String { "sum up in \(collection.database).\(collection.name)" }
}
