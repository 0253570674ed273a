import WaybillCore
package import WaybillMongo

/// Counts minutes anew whose statistics are in doubt: the log is the truth.
///
/// A minute is in doubt while a document of it is open whose writer has not been seen for long, or says so itself. It is
/// counted when nobody has it open, from the records alone, and the result goes into the minute's head, which names the
/// documents that it stands for. Three things make that exact wherever it stops:
/// - Whoever is taken for dead is cut off first: its documents are taken, so that it notices, should it go on.
/// - What is open is seen before the records are read, and again afterwards. Documents are opened before their records are
///   written: if none has come, no record has been read of which another document tells.
/// - The head is written in one step, and only over the version that was there before. So readers see what was, or the
///   result; and of two that recount at once, one fails.
///
/// *Thread:* its client's. *Blocking:* up to the limits of the pool, for each question.
package struct StatisticsRecount {
    /// What a round has done.
    package struct Result: Hashable, Sendable {
        /// Minutes that were counted anew.
        package var recounted = 0
        /// Minutes that cannot be recounted, for records of them may be gone, or because they hold too much.
        package var frozen = 0
    }

    /// What marking has done, in minutes of messages and of outcomes.
    package struct Marked: Hashable, Sendable {
        package let minutes: Int
        /// Only the sums of their hours or days are there, which nobody makes anew.
        package let summedUp: Int
    }

    private let collection: MongoCollection
    let documents: StatisticsDocuments
    private let log: StatisticsLogCount
    private let lease: StatisticsLease
    private let sums: StatisticsSums
    private let retention: StatisticsRetention
    private let pace: StatisticsPace

    /// - Parameters:
    ///   - client: the store.
    ///   - options: where the log is, and how long its records are kept.
    ///   - ledger: of the writer who recounts beside its own work.
    package init(client: MongoClient, options: DeliveryLogOptions, ledger: StatisticsLedger) {
        collection = client.collection(database: options.database, name: Statistics.collection)
        documents = StatisticsDocuments(collection: collection)
        log = StatisticsLogCount(client: client, database: options.database)
        lease = StatisticsLease(collection: collection, ledger: ledger)
        sums = StatisticsSums(collection: collection)
        retention = StatisticsRetention(options.retention)
        pace = ledger.pace
    }

    /// Recounts what is in doubt and can be recounted now, if nobody else does.
    ///
    /// - Parameter pause: called between questions to the log: whoever recounts has other things to do.
    /// - Returns: what was done.
    /// - Throws: what the store says; whatever was begun is in doubt still. What fails for one minute alone is thrown when the
    ///   others have had their turn.
    package func round(pause: () -> Void = {}) throws(MongoError) -> Result {
        var result = Result()
        var failure: MongoError?
        guard try lease.isHeld() else { return result }
        let unresolved = try documents.unresolved()
        let live = try documents.liveWriters(patience: pace.patience)
        let minutes = Dictionary(grouping: unresolved, by: \.minute)
        // People look at the latest first.
        for (minute, documents) in minutes.sorted(by: { $0.key.number > $1.key.number }) {
            do throws(MongoError) {
                if StatisticsDocuments.areInDoubt(documents, live) {
                    switch try recount(minute, pause: pause) {
                    case .counted: result.recounted += 1
                    case .frozen: result.frozen += 1
                    case .later: break
                    }
                } else if documents.contains(where: \.isHead) {
                    try clean(minute)
                }
            } catch {
                // A store that is away fails for every minute.
                guard error.code != .unreachable, error.code != .poolExhausted else { throw error }
                failure = failure ?? error
            }
            pause()
        }
        if let failure { throw failure }
        return result
    }

    /// Marks minutes for a recount, whatever they hold.
    ///
    /// - Parameters:
    ///   - since: in milliseconds since 1970; outcomes from this minute on are counted anew.
    ///   - until: the same, excluded.
    ///   - client: the store.
    ///   - database: where the log is.
    /// - Returns: what was marked, and what cannot be.
    /// - Throws: what the store says; then some may be marked.
    package static func mark(
        since: Int64,
        until: Int64,
        client: MongoClient,
        database: String
    ) throws(MongoError) -> Marked {
        let query = StatisticsQuery(since: since, until: until)
        let all =
            query.documents.map { StatisticsMinute(.id, number: $0) }
            + query.minutes.map { StatisticsMinute(.date, number: $0) }
        let sums = StatisticsSums(collection: client.collection(database: database, name: Statistics.collection))
        var sealed: Set<String> = []
        for period in StatisticsPeriod.allCases {
            for sum in try sums.of(period, in: nil) where sum.isSealed { sealed.insert(period.id(sum.start)) }
        }
        let minutes = all.filter { minute in
            !StatisticsPeriod.allCases.contains { sealed.contains($0.id($0.level.floor(minute.number))) }
        }
        // Who marks counts nothing itself.
        let writer = StatisticsWriter(client: client, database: database, ledger: StatisticsLedger())
        if !minutes.isEmpty { try writer.doubt(minutes) }
        return Marked(minutes: minutes.count, summedUp: all.count - minutes.count)
    }

    // MARK: - One minute

    enum Step {
        case counted
        case frozen
        case later
    }

    func recount(_ minute: StatisticsMinute, pause: () -> Void = {}) throws(MongoError) -> Step {
        guard let taken = try take(minute) else { return .later }
        guard try sums.hold(minute.number), !retention.mayHaveRemoved(minute, now: StatisticsClock.now()) else {
            try freeze(taken)
            return .frozen
        }
        // Records may be gone that no retention of today's explains: it was shorter, or somebody has erased them.
        guard let cells = try log.cells(of: minute, pause: pause), try !areFewer(cells, than: taken) else {
            try freeze(taken)
            return .frozen
        }
        guard try documents.of(minute) == taken else { return .later }
        return try commit(minute, cells, insteadOf: taken) ? .counted : .later
    }

    /// Whether a client has fewer records than were counted: nothing is counted that was not there.
    ///
    /// But for cancelled ones, which may have given way to what became of a push.
    private func areFewer(
        _ cells: [StatisticsKey: StatisticsCounts],
        than taken: [StatisticsDocument]
    ) throws(MongoError) -> Bool {
        // What a head stands for is not there twice.
        let settled = taken.reduce(into: Set<String>()) { $0.formUnion($1.replaces) }
        let counted = try documents.counts(
            of: taken.map(\.id).filter { !settled.contains($0) },
            except: Outcome.cancelled.rawValue
        )
        var recorded: [String?: Int] = [:]
        for (key, counts) in cells where key.outcome != Outcome.cancelled.rawValue {
            recorded[key.client, default: 0] += counts.count
        }
        return counted.contains { client, count in recorded[client, default: 0] < count }
    }

    /// Cuts off the writers of a minute that are not there any more.
    ///
    /// - Returns: the documents of the minute, none of them open; `nil` while somebody has one open.
    func take(_ minute: StatisticsMinute) throws(MongoError) -> [StatisticsDocument]? {
        // In this order: whoever opens a document has said before that it is there.
        var found = try documents.of(minute)
        let live = try documents.liveWriters(patience: pace.patience)
        let open = found.filter { $0.state == .open }
        guard open.allSatisfy({ !live.contains($0.writer) }) else { return nil }
        for document in open {
            let bulk = collection.bulk()
            try bulk.updateOne(
                filter: BSONDocument { filter in
                    filter.append(Statistics.Field.id, string: document.id)
                    filter.append(Statistics.Field.state, string: Statistics.State.open.rawValue)
                    filter.append(Statistics.Field.flushes, int: document.flushes)
                },
                update: BSONDocument { update in
                    update.append("$set") {
                        $0.append(Statistics.Field.state, string: Statistics.State.taken.rawValue)
                    }
                },
                upsert: false
            )
            let answer = bulk.execute()
            try answer.requireDurable(operation)
            guard answer.matched == 1 else { return nil }
        }
        for position in found.indices where found[position].state == .open { found[position].state = .taken }
        return found
    }

    /// Puts the result in the place of everything there was.
    ///
    /// - Returns: whether nobody else did so meanwhile.
    func commit(
        _ minute: StatisticsMinute,
        _ cells: [StatisticsKey: StatisticsCounts],
        insteadOf documents: [StatisticsDocument]
    ) throws(MongoError) -> Bool {
        let version = documents.first(where: \.isHead)?.version
        return try collection.write(Statistics.head(of: minute), over: version, operation: operation) { fields in
            fields.append(Statistics.Field.minute, date: minute.start)
            fields.append(Statistics.Field.basis, string: minute.basis.rawValue)
            fields.append(Statistics.Field.state, string: Statistics.State.closed.rawValue)
            fields.append(Statistics.Field.unresolved, bool: true)
            // Whatever the sum of the hour has, it has not this.
            fields.append(Statistics.Field.unsummed, bool: true)
            fields.append(
                Statistics.Field.replaces,
                array: { array in
                    for document in documents where !document.isHead { array.append(string: document.id) }
                }
            )
            StatisticsCoding.append(cells, to: fields)
        }
    }

    /// Marks what a head stands for, and lets it go; readers have left it out since the head is there.
    func clean(_ minute: StatisticsMinute) throws(MongoError) {
        let old = BSONDocument { filter in
            filter.append(Statistics.Field.id, string: Statistics.head(of: minute))
            filter.append("$expr") { StatisticsClock.isOlder(Statistics.Field.seen, than: pace.overlap, in: $0) }
        }
        guard let head = try collection.findOne(old, options: MongoFindOptions(readsMajority: true)),
            let version = head["\(Statistics.Field.version)"]?.int
        else { return }
        let replaced = (head["\(Statistics.Field.replaces)"]?.elements ?? []).compactMap(\.string)
        let expiresAt = StatisticsClock.now(advancedBy: StatisticsPace.keeping)
        let bulk = collection.bulk()
        for id in replaced {
            try bulk.updateOne(
                filter: BSONDocument { $0.append(Statistics.Field.id, string: id) },
                update: BSONDocument { update in
                    update.append("$set") { fields in
                        fields.append(Statistics.Field.state, string: Statistics.State.replaced.rawValue)
                        fields.append(Statistics.Field.expiresAt, date: expiresAt)
                    }
                    update.append("$unset") { fields in
                        fields.append(Statistics.Field.unresolved, bool: true)
                        fields.append(Statistics.Field.unsummed, bool: true)
                    }
                },
                upsert: false
            )
        }
        if bulk.count > 0 { try bulk.execute().requireDurable(operation) }
        let last = collection.bulk()
        try last.updateOne(
            filter: BSONDocument { filter in
                filter.append(Statistics.Field.id, string: Statistics.head(of: minute))
                filter.append(Statistics.Field.version, int: Int(version))
            },
            update: BSONDocument { update in
                update.append("$unset") { fields in
                    fields.append(Statistics.Field.unresolved, bool: true)
                    fields.append(Statistics.Field.replaces, bool: true)
                }
            },
            upsert: false
        )
        try last.execute().requireDurable(operation)
    }

    /// Leaves a minute as it was counted: the records tell less by now.
    private func freeze(_ documents: [StatisticsDocument]) throws(MongoError) {
        let bulk = collection.bulk()
        for document in documents where document.state == .taken || document.state == .doubtful {
            try bulk.updateOne(
                filter: BSONDocument { $0.append(Statistics.Field.id, string: document.id) },
                update: BSONDocument { update in
                    update.append("$set") {
                        $0.append(Statistics.Field.state, string: Statistics.State.frozen.rawValue)
                    }
                    update.append("$unset") { $0.append(Statistics.Field.unresolved, bool: true) }
                },
                upsert: false
            )
        }
        if bulk.count > 0 { try bulk.execute().requireDurable(operation) }
    }

    private var operation: String { "recount in \(collection.database).\(collection.name)" }
}
