package import WaybillMongo

/// Reads and writes fuses.
///
/// *Thread:* its client's. *Blocking:* up to the limits of the pool.
package struct FuseStore {
    private typealias Field = Fuses.Field

    private let collection: MongoCollection
    private let events: TokenEvents

    package init(client: MongoClient, database: String) {
        collection = client.collection(database: database, name: Fuses.collection)
        events = TokenEvents(client: client, database: database)
    }

    /// All there are: those that have ever blown, as a majority has them.
    ///
    /// - Throws: also for a document that cannot be read: it may be of a fuse that is blown, and nobody may be disabled then.
    package func fuses() throws(MongoError) -> [Fuse] {
        let found = try found()
        guard let name = found.unreadable.first else { return found.fuses }
        throw MongoError(
            code: .commandFailed,
            operation: "read \(Fuses.collection)",
            reason: "this is no fuse of Waybill's: \(name)"
        )
    }

    /// The same, with the names of documents that cannot be read, for whoever disables nobody.
    package func found() throws(MongoError) -> (fuses: [Fuse], unreadable: [String]) {
        let cursor = collection.find(.empty, options: MongoFindOptions(maximumTime: .seconds(5), readsMajority: true))
        var fuses: [Fuse] = []
        var unreadable: [String] = []
        while let document = try cursor.next() {
            if let fuse = FuseDocument.read(document) {
                fuses.append(fuse)
            } else {
                let name = document["\(Field.id)"]?.string ?? "a document without a name"
                unreadable.append(String(name.prefix(200)))
            }
        }
        return (fuses.sorted { ($0.name.lane, $0.name.app) < ($1.name.lane, $1.name.app) }, unreadable.sorted())
    }

    /// Blows a fuse, unless another process has done so, or a person has decided since it was read.
    ///
    /// - Parameters:
    ///   - name: whose events.
    ///   - cause: why.
    ///   - known: as it was read before; `nil` if there was none.
    /// - Returns: whether it is this call that has blown it.
    /// - Throws: when it is not known to be durable; the same may be done again.
    package func blow(_ name: FuseName, _ cause: Fuse.Cause, known: Fuse?) throws(MongoError) -> Bool {
        guard known?.isBlown != true else { return false }
        let filter = BSONDocument { filter in
            filter.append(Field.id, string: name.id)
            guard let known, let decision = known.decision else { return }
            filter.append(Field.state, string: known.state.rawValue)
            filter.append(Field.decidedAt, date: decision.date)
        }
        let change = BSONDocument { update in
            update.append(known == nil ? "$setOnInsert" : "$set") { fields in
                if known == nil {
                    fields.append(Field.lane, string: name.lane)
                    fields.append(Field.app, string: name.app)
                }
                fields.append(Field.state, string: Fuse.State.blown.rawValue)
                fields.append(Field.cause) { FuseDocument.append(cause, to: $0) }
            }
            guard let known, let decision = known.decision else { return }
            update.append("$unset") { $0.append(Field.decided, string: "") }
            update.append("$push") { fields in
                fields.append(Field.past) { push in
                    push.append(
                        "$each",
                        array: { past in
                            past.append { entry in
                                entry.append(Field.cause) { FuseDocument.append(known.cause, to: $0) }
                                entry.append(Field.state, string: known.state.rawValue)
                                entry.append(Field.decided) { FuseDocument.append(decision, to: $0) }
                            }
                        }
                    )
                    push.append("$slice", int: -FuseDocument.mostPast)
                }
            }
        }
        let bulk = collection.bulk()
        try bulk.updateOne(filter: filter, update: change, upsert: known == nil)
        let result = bulk.execute()
        // Another process was faster.
        if result.failure == nil, result.writeConcernErrors.isEmpty,
            result.writeErrors.contains(where: \.isDuplicateKey)
        {
            return false
        }
        try result.requireDurable(Self.operation)
        return result.upserted + (known == nil ? 0 : result.matched) > 0
    }

    /// Moves the beginning of the storm of a blown fuse to an earlier time, unless another process has done so, or a person has decided
    /// since it was read.
    ///
    /// - Parameters:
    ///   - fuse: as it was read.
    ///   - date: milliseconds since 1970.
    /// - Returns: whether it is this call that has moved it.
    /// - Throws: when it is not known to be durable; the same may be done again.
    package func extend(_ fuse: Fuse, backTo date: Int64) throws(MongoError) -> Bool {
        let filter = BSONDocument { filter in
            filter.append(Field.id, string: fuse.name.id)
            filter.append(Field.state, string: Fuse.State.blown.rawValue)
            filter.append(Field.blownAt, date: fuse.cause.at)
            filter.append(Field.beginning) { $0.append("$gt", date: date) }
        }
        let change = BSONDocument { update in
            update.append("$set") { $0.append(Field.beginning, date: date) }
        }
        let bulk = collection.bulk()
        try bulk.updateOne(filter: filter, update: change, upsert: false)
        let result = bulk.execute()
        try result.requireDurable(Self.operation)
        return result.matched > 0
    }

    /// Puts a person's decision down for a fuse that is blown; prune follows within seconds.
    ///
    /// - Parameters:
    ///   - fuse: as it was read.
    ///   - state: released or discarded.
    ///   - decision: whose it is.
    /// - Returns: `false` if it is not blown any more as it was read: somebody else has decided, or it has blown anew.
    /// - Throws: when it is not known to be durable; the same may be done again.
    package func decide(_ fuse: Fuse, _ state: Fuse.State, _ decision: FuseDecision) throws(MongoError) -> Bool {
        let filter = BSONDocument { filter in
            filter.append(Field.id, string: fuse.name.id)
            filter.append(Field.state, string: Fuse.State.blown.rawValue)
            filter.append(Field.blownAt, date: fuse.cause.at)
        }
        let last = try events.lastAnswer(fuse.name, since: fuse.cause.since)
        let change = BSONDocument { update in
            update.append("$set") { fields in
                fields.append(Field.state, string: state.rawValue)
                fields.append(Field.decided) { FuseDocument.append(decision.reaching(last), to: $0) }
            }
        }
        let bulk = collection.bulk()
        try bulk.updateOne(filter: filter, update: change, upsert: false)
        let result = bulk.execute()
        try result.requireDurable(Self.operation)
        return result.matched > 0
    }

    private static let operation = "write to \(Fuses.collection)"
}
