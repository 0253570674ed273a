import WaybillEncoding
import WaybillMessages
package import WaybillMongo

/// Reads and writes the audiences' records; each write is in a majority's journal when it returns.
///
/// *Thread:* its client's. *Blocking:* up to the limits of the pool.
package struct AudienceStore {
    private typealias Field = Audiences.Field
    private typealias LeaseField = Audiences.LeaseField

    /// How long whoever expands an audience may be silent until somebody else goes on.
    package static let lease: Int64 = 10_000

    static let maximumTime = Duration.seconds(10)

    let collection: MongoCollection
    let claims: GuardedClaims
    /// Who expands.
    private let owner: String
    /// How long a record is kept after the end, and a repeat of its message recognised; in milliseconds.
    let keep: Int64

    /// - Parameters:
    ///   - client: of this thread.
    ///   - database: where the records are.
    ///   - owner: one name for each process; empty for whoever only looks.
    ///   - keep: how long a record is kept after the end, in whole seconds.
    package init(
        client: MongoClient,
        database: String,
        owner: String = "",
        keep: Duration = .seconds(30 * 86_400)
    ) {
        self.owner = owner
        self.keep = keep.components.seconds * 1000
        collection = client.collection(database: database, name: Audiences.collection)
        claims = GuardedClaims(collection, maximumTime: Self.maximumTime)
    }

    // MARK: - Writing

    /// What became of writes that were sent together.
    package struct Written {
        /// Whether each entry is new, in their order.
        ///
        /// What is not has a record already.
        package var isNew: [Bool]
        /// Whether every step was made; if not, one of the audiences has gone to somebody else, and nobody knows which.
        package var stepsAreMade: Bool
        /// Why the server refuses the records of entries, by their positions: these are not written.
        package var refusedEntries: [Int: MongoError] = [:]
        /// Why the server refuses steps, by their positions: these are not made; ``stepsAreMade`` is about the others.
        package var refusedSteps: [Int: MongoError] = [:]
    }

    /// Enters new audiences and takes steps with others.
    ///
    /// - Parameters:
    ///   - entries: new ones.
    ///   - steps: of those that this owner expands.
    ///   - enteredAt: when the entries came, in milliseconds since 1970; `nil`: now.
    ///   - now: the same of now, from when on leases last.
    /// - Returns: which entries are new, and whether all steps were made.
    /// - Throws: when it is not known what was made: all of it must be claimed anew.
    package func write(
        _ entries: [AudienceEntry],
        _ steps: [AudienceStep],
        enteredAt: Int64? = nil,
        now: Int64
    ) throws(MongoError) -> Written {
        guard !entries.isEmpty || !steps.isEmpty else { return Written(isNew: [], stepsAreMade: true) }
        var isNew = try areOfNoFormerRelease(entries)
        let inserted = entries.indices.filter { isNew[$0] }
        guard !inserted.isEmpty || !steps.isEmpty else { return Written(isNew: isNew, stepsAreMade: true) }
        let bulk = collection.bulk()
        for index in inserted { try bulk.insert(document(entries[index], enteredAt: enteredAt ?? now, now: now)) }
        for step in steps { try bulk.updateOne(filter: filter(step), update: update(step, now: now), upsert: false) }
        let result = bulk.execute()
        let operation = "write to \(Audiences.collection)"
        try result.requireConfirmed(operation)
        var written = Written(isNew: [], stepsAreMade: true)
        for error in result.writeErrors {
            if error.isDuplicateID, inserted.indices.contains(error.index) {
                isNew[inserted[error.index]] = false
                continue
            }
            let refusal = error.error(operation)
            guard refusal.isAboutTheQuery else { throw refusal }
            if inserted.indices.contains(error.index) {
                written.refusedEntries[inserted[error.index]] = refusal
            } else {
                written.refusedSteps[error.index - inserted.count] = refusal
            }
        }
        written.isNew = isNew
        written.stepsAreMade = result.matched == steps.count - written.refusedSteps.count
        return written
    }

    /// Whether no record of a former release, which has the name alone for its `_id`, is of one of these.
    private func areOfNoFormerRelease(_ entries: [AudienceEntry]) throws(MongoError) -> [Bool] {
        guard !entries.isEmpty else { return [] }
        let filter = BSONDocument { writer in
            writer.append(Field.id) { $0.append(anyOf: entries.map(\.message.message.id)) }
            writer.append(Field.name) { $0.append("$exists", bool: false) }
        }
        let options = MongoFindOptions(
            projection: BSONDocument { $0.append(Field.client, int: 1) },
            maximumTime: Self.maximumTime
        )
        let former = try collection.find(filter, options: options).all()
        return entries.map { entry in
            let message = entry.message.message
            return !former.contains {
                $0["\(Field.id)"]?.string?.isExactly(message.id) == true
                    && $0["\(Field.client)"]?.string?.isExactly(message.client) == true
            }
        }
    }

    private func document(_ entry: AudienceEntry, enteredAt: Int64, now: Int64) -> BSONWriter {
        let message = entry.message.message
        let writer = BSONWriter(capacity: 4096)
        writer.append(Field.id, string: entry.message.key)
        writer.append(Field.name, string: message.id)
        writer.append(Field.client, string: message.client)
        writer.append(Field.digest, string: entry.message.digest)
        writer.append(Field.due, date: message.at ?? enteredAt)
        if let key = message.cancelKey { writer.append(Field.cancelKey, string: key) }
        if let time = entry.message.publishedAt {
            writer.append(Field.publishedAt, date: time)
        } else {
            writer.append(Field.undated, bool: true)
        }
        writer.append(Field.createdAt, date: enteredAt)
        if case .end(let state, let reason)? = entry.first {
            writer.append(Field.pages, int: 0)
            end(writer, state, reason, now: now)
            return writer
        }
        writer.append(Field.body, utf8: entry.message.body[...])
        guard case .page(let page, let expanded, let leftOut, let after)? = entry.first else {
            writer.append(Field.state, string: AudienceRecord.State.waiting.rawValue)
            writer.append(Field.pages, int: 0)
            return writer
        }
        writer.append(Field.state, string: AudienceRecord.State.expanding.rawValue)
        writer.append(Field.pages, int: 1)
        writer.append(Field.expanded, int: expanded)
        writer.append(Field.withoutLane, int: leftOut.withoutLane)
        writer.append(Field.withoutContent, int: leftOut.withoutContent)
        writer.append(Field.page) { page.append(to: $0) }
        for field in [Field.firstPage, Field.lastPage] { writer.append(field, date: page.time * 1000) }
        if let after { writer.append(Field.after, identifier: after) }
        writer.append(Field.lease) { lease($0, now: now) }
        return writer
    }

    private func lease(_ writer: BSONWriter, now: Int64) {
        writer.append(LeaseField.by, string: owner)
        writer.append(LeaseField.until, date: now + Self.lease)
    }

    private func end(_ writer: BSONWriter, _ state: AudienceRecord.State, _ reason: String?, now: Int64) {
        writer.append(Field.state, string: state.rawValue)
        writer.append(Field.finishedAt, date: now)
        writer.append(Field.expiresAt, date: now + keep)
        if let reason { writer.append(Field.reason, string: reason) }
    }

    private func filter(_ step: AudienceStep) -> BSONDocument {
        BSONDocument { writer in
            writer.append(Field.id, string: step.key)
            writer.append("lease.by", string: owner)
            writer.append(Field.pages, int: step.pages)
        }
    }

    func update(_ step: AudienceStep, now: Int64) -> BSONDocument {
        BSONDocument { update in
            switch step.change {
            case .page(let page, let expanded, let leftOut, let after):
                update.append("$set") { set in
                    set.append(Field.pages, int: step.pages + 1)
                    set.append(Field.page) { page.append(to: $0) }
                    if let after { set.append(Field.after, identifier: after) }
                    set.append(Field.lease) { lease($0, now: now) }
                }
                // Pages of one audience may be of several processes, whose clocks differ.
                update.append("$min") { $0.append(Field.firstPage, date: page.time * 1000) }
                update.append("$max") { $0.append(Field.lastPage, date: page.time * 1000) }
                update.append("$inc") { sum in
                    sum.append(Field.expanded, int: expanded)
                    sum.append(Field.withoutLane, int: leftOut.withoutLane)
                    sum.append(Field.withoutContent, int: leftOut.withoutContent)
                    sum.append(Field.handedOver, int: step.handedOver)
                }
            case .rest:
                update.append("$inc") { $0.append(Field.handedOver, int: step.handedOver) }
                update.append("$unset") { unset in
                    for field in [Field.page, Field.lease] { unset.append(field, bool: true) }
                }
            case .end(let state, let reason):
                update.append("$set") { end($0, state, reason, now: now) }
                update.append("$inc") { $0.append(Field.handedOver, int: step.handedOver) }
                update.append("$unset") { unset in
                    for field in [Field.page, Field.after, Field.body, Field.lease, Field.held] {
                        unset.append(field, bool: true)
                    }
                }
            }
        }
    }

    /// Takes an audience that is due and that nobody expands.
    ///
    /// - Parameters:
    ///   - now: milliseconds since 1970.
    ///   - refused: told of each whose claim the server refuses: it has failed, or is left alone.
    /// - Returns: `nil` when there is none. A page in it may be with the broker already, or not.
    /// - Throws: what the store says.
    package func claim(
        now: Int64,
        refused: (RefusedAudience) -> Void = { _ in }
    ) throws(MongoError) -> AudienceRecord? {
        let filter = BSONDocument { query in
            query.append(Field.state) {
                $0.append(anyOf: [AudienceRecord.State.waiting, .expanding].map(\.rawValue))
            }
            query.append(Field.due) { $0.append("$lte", date: now) }
            // One that is held rests, unless a page of it may be with the broker or not.
            query.append(
                "$or",
                array: { ways in
                    ways.append { $0.append(Field.held) { $0.append("$ne", bool: true) } }
                    ways.append { $0.append(Field.page) { $0.append("$exists", bool: true) } }
                }
            )
            query.append("lease.until") { $0.append("$not") { $0.append("$gte", date: now) } }
        }
        let update = BSONDocument { writer in
            writer.append("$set") { set in
                set.append(Field.state, string: AudienceRecord.State.expanding.rawValue)
                set.append(Field.lease) { lease($0, now: now) }
            }
        }
        return try claims.first(
            filter,
            sort: BSONDocument { $0.append(Field.due, int: 1) },
            update: update,
            end: { failed($0, now: now) },
            told: { refused(RefusedAudience($0)) }
        ).flatMap(AudienceRecord.init)
    }

    /// Without its message and its page, so that there is room for the reason.
    func failed(_ refusal: MongoError, now: Int64) -> BSONDocument {
        let change = AudienceStep.Change.end(.failed, reason: refusal.refusal)
        return update(AudienceStep(key: "", pages: 0, handedOver: 0, change: change), now: now)
    }

    /// Leaves out, from now on, an audience whose end the server refuses.
    package func leaveAlone(_ key: String) {
        guard let id = BSONDocument({ $0.append(Field.id, string: key) }).identifier("\(Field.id)") else { return }
        claims.leaveAlone(id)
    }

    /// Holds on to audiences that have to wait, by the keys of their records.
    package func renew(_ keys: [String], now: Int64) throws(MongoError) {
        try setLease(keys, until: now + Self.lease)
    }

    /// Lets go of audiences, by the keys of their records, so that another process goes on at once.
    package func release(_ keys: [String]) throws(MongoError) {
        try setLease(keys, until: 0)
    }

    private func setLease(_ keys: [String], until: Int64) throws(MongoError) {
        guard !keys.isEmpty else { return }
        let bulk = collection.bulk()
        for key in keys {
            let filter = BSONDocument { writer in
                writer.append(Field.id, string: key)
                writer.append("lease.by", string: owner)
            }
            let update = BSONDocument { $0.append("$set") { $0.append("lease.until", date: until) } }
            try bulk.updateOne(filter: filter, update: update, upsert: false)
        }
        // An audience whose lease is refused loses the lease; the next claim ends the audience.
        _ = try bulk.execute().refusals("write to \(Audiences.collection)")
    }

    // MARK: - Reading

    /// The record of a client's audience; `nil` if there is none, or none any more.
    package func record(_ name: String, of client: String) throws(MongoError) -> AudienceRecord? {
        try records(named: name).first { $0.client.isExactly(client) }
    }

    /// The records of all clients' audiences of a name, in the order of their clients.
    package func records(named name: String) throws(MongoError) -> [AudienceRecord] {
        let options = MongoFindOptions(maximumTime: Self.maximumTime, readsMajority: true)
        return try collection.find(Self.named([name]), options: options).all().compactMap(AudienceRecord.init)
            .sorted { ($0.client, $0.key) < ($1.client, $1.key) }
    }

    /// The records of all audiences with a `cancel_key`, in the order of their clients; also of those that have ended.
    package func records(cancelKey key: String) throws(MongoError) -> [AudienceRecord] {
        let filter = BSONDocument { $0.append(Field.cancelKey, string: key) }
        let options = MongoFindOptions(maximumTime: Self.maximumTime, readsMajority: true)
        return try collection.find(filter, options: options).all().compactMap(AudienceRecord.init)
            .sorted { ($0.client, $0.key) < ($1.client, $1.key) }
    }

    /// Whatever has one of these names, of former releases, too.
    static func named(_ names: [String]) -> BSONDocument {
        BSONDocument { writer in
            writer.append(
                "$or",
                array: { ways in
                    ways.append { $0.append(Field.name) { $0.append(anyOf: names) } }
                    ways.append { former in
                        former.append(Field.id) { $0.append(anyOf: names) }
                        former.append(Field.name) { $0.append("$exists", bool: false) }
                    }
                }
            )
        }
    }

    /// Whether an audience that is there already is the same as one that has come.
    package func isRepeat(_ audience: NewAudience) throws(MongoError) -> Bool {
        try record(audience.message.id, of: audience.message.client)?.digest == audience.digest
    }

    /// Whether the store can be asked.
    package func probe() throws(MongoError) {
        let options = MongoFindOptions(limit: 1, maximumTime: Self.maximumTime)
        _ = try collection.findOne(BSONDocument { $0.append(Field.id, string: "") }, options: options)
    }
}

/// An audience whose claim or end the server refuses.
package struct RefusedAudience {
    /// As its record has it after its end; `nil`: it cannot be ended, and is left alone.
    package let ended: AudienceRecord?
    /// Of its record, or the beginning of that.
    package let key: String
    package let reason: String

    init(_ document: RefusedDocument) {
        ended = document.ended.flatMap(AudienceRecord.init)
        key = document.name
        reason = document.refusal.refusal
    }
}
