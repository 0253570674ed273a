package import WaybillCore
package import WaybillMongo
import WaybillTLS

/// The collection `token_events`: what prune does about each event that the delivery log bears out.
///
/// It is written before anything is done about an event, so that whoever comes later, also after a crash, can hold, carry out
/// or take back. What is carried out or discarded expires; what is held stays until a person decides.
///
/// | field | type | meaning |
/// |---|---|---|
/// | `_id` | string | the notification and a digest of the token |
/// | `lane`, `app` | string | whose fuse it is for |
/// | `state` | string | `applied`, `held`, `released` or `discarded` |
/// | `at` | date | when the push service said it, as the log's record has it: statistics count it in that minute |
/// | `event` | string | the event, as `schemas/invalid-token-event.schema.json` has it, with no time after it came |
/// | `known` | bool | whether the registry had the device before it came first |
/// | `expires_at` | date | when the server erases it; absent while it is held |
package struct TokenEvents {
    package enum State: String, CaseIterable, Sendable {
        /// Carried out at once, or about to be.
        case applied
        case held
        /// Carried out after a person has released it.
        case released
        case discarded
    }

    /// One event.
    package struct Entry: Hashable, Sendable {
        package var id: String
        package var name: FuseName
        /// When the push service said it, by the log's record, in milliseconds since 1970.
        package var at: Int64
        /// The event as the body of its message.
        package var event: String
        /// Whether the registry had the device before it came first.
        ///
        /// What is taken back must not make one of a token that nobody has registered.
        package var isKnown: Bool

        package init(id: String, name: FuseName, at: Int64, event: String, isKnown: Bool) {
            self.id = id
            self.name = name
            self.at = at
            self.event = event
            self.isKnown = isKnown
        }
    }

    /// What was put down of an event first.
    package struct Stored: Hashable, Sendable {
        package let state: State
        /// As ``Entry/event``.
        package let event: String
        /// As ``Entry/isKnown``.
        package let isKnown: Bool

        package init(state: State, event: String, isKnown: Bool) {
            self.state = state
            self.event = event
            self.isKnown = isKnown
        }
    }

    typealias Field = TokenEventLayout.Field

    static let collection = TokenEventLayout.collection
    /// So long what was carried out at once can be taken back, in milliseconds.
    ///
    /// Longer than a window and what statistics may be late.
    package static let keepingApplied: Int64 = 2 * 3_600_000
    /// So long it can be seen what a person's decision was about, in milliseconds.
    static let keepingDecided: Int64 = 30 * 86_400_000

    let events: MongoCollection

    package init(client: MongoClient, database: String) {
        events = client.collection(database: database, name: Self.collection)
    }

    /// The key of an event: the same whenever it comes.
    package static func id(_ event: InvalidTokenEvent) -> String { id(event.notificationID, token: event.deviceToken) }

    /// The key of the event on a notification's token.
    static func id(_ notification: NotificationID, token: String) -> String {
        var hasher = SHA256Hasher()
        var token = token
        token.withUTF8 { hasher.update(UnsafeRawBufferPointer($0)) }
        return "\(notification)/\(hasher.finalize().hexadecimal.prefix(32))"
    }

    /// Puts events down, each unless it is there.
    ///
    /// - Parameters:
    ///   - entries: what to put down.
    ///   - state: `applied`, `held` or `discarded`; what is there keeps its own.
    ///   - now: milliseconds since 1970.
    /// - Returns: by id, what is stored of each; one whose state is not the one asked for was dealt with before.
    /// - Throws: when they are not known to be durable; the same may be done again.
    package func put(_ entries: [Entry], _ state: State, now: Int64) throws(MongoError) -> [String: Stored] {
        guard !entries.isEmpty else { return [:] }
        let bulk = events.bulk()
        for entry in entries {
            let filter = BSONDocument { $0.append(Field.id, string: entry.id) }
            try bulk.updateOne(filter: filter, update: Self.insertion(entry, state, now), upsert: true)
        }
        let result = bulk.execute()
        if let failure = result.failure { throw failure }
        // Two processes may put the same down at once: it is there all the same.
        guard result.writeConcernErrors.isEmpty, result.writeErrors.allSatisfy(\.isDuplicateKey) else {
            try result.requireDurable(Self.operation)
            return [:]
        }
        return try stored(entries.map(\.id))
    }

    /// Marks events.
    ///
    /// - Parameters:
    ///   - ids: which.
    ///   - from: those of them alone that have this state.
    ///   - state: what they have from then on.
    ///   - now: milliseconds since 1970.
    /// - Returns: how many.
    /// - Throws: when it is not known to be durable; the same may be done again.
    package func mark(_ ids: [String], from: State, _ state: State, now: Int64) throws(MongoError) -> Int {
        guard !ids.isEmpty else { return 0 }
        let bulk = events.bulk()
        let filter = BSONDocument { filter in
            filter.append(Field.id) { $0.append(anyOf: ids) }
            filter.append(Field.state, string: from.rawValue)
        }
        let update = BSONDocument { update in
            update.append("$set") { fields in
                fields.append(Field.state, string: state.rawValue)
                if let end = Self.end(state, now) { fields.append(Field.expiresAt, date: end) }
            }
            if Self.end(state, now) == nil { update.append("$unset") { $0.append(Field.expiresAt, string: "") } }
        }
        try bulk.updateMany(filter: filter, update: update)
        let result = bulk.execute()
        try result.requireDurable(Self.operation)
        return result.matched
    }

    /// The oldest events of a fuse in one state.
    ///
    /// - Parameters:
    ///   - name: whose.
    ///   - state: which.
    ///   - times: when the push service has said it, in milliseconds since 1970; `nil` for any time.
    ///   - limit: how many at the most.
    /// - Returns: the events, the oldest first.
    /// - Throws: what the query fails with.
    package func page(
        _ name: FuseName,
        _ state: State,
        in times: ClosedRange<Int64>? = nil,
        limit: Int
    ) throws(MongoError) -> [Entry] {
        let filter = BSONDocument { filter in
            Self.append(name, state, to: filter)
            guard let times else { return }
            filter.append(Field.at) { range in
                range.append("$gte", date: times.lowerBound)
                range.append("$lte", date: times.upperBound)
            }
        }
        let options = MongoFindOptions(
            sort: BSONDocument { $0.append(Field.at, int: 1) },
            limit: limit,
            batchSize: limit + 1,
            maximumTime: .seconds(10),
            readsMajority: true
        )
        let cursor = events.find(filter, options: options)
        var entries: [Entry] = []
        while let document = try cursor.next() {
            guard let id = document["\(Field.id)"]?.string, let event = document["\(Field.event)"]?.string else {
                continue
            }
            let isKnown = document["\(Field.known)"]?.bool ?? false
            let at = document["\(Field.at)"]?.date ?? 0
            entries.append(Entry(id: id, name: name, at: at, event: event, isKnown: isKnown))
        }
        return entries
    }

    /// How many events a fuse has in one state.
    package func count(_ name: FuseName, _ state: State) throws(MongoError) -> Int {
        try events.countDocuments(BSONDocument { Self.append(name, state, to: $0) }, maximumTime: .seconds(10))
    }

    /// Whether a fuse has an event in one state.
    package func has(_ name: FuseName, _ state: State) throws(MongoError) -> Bool {
        let options = MongoFindOptions(
            projection: BSONDocument { $0.append(Field.id, int: 1) },
            maximumTime: .seconds(5),
            readsMajority: true
        )
        return try events.findOne(BSONDocument { Self.append(name, state, to: $0) }, options: options) != nil
    }

    /// The minutes, by fuse, of what was carried out lately.
    ///
    /// - Parameter since: the push service said it then or later, in milliseconds since 1970; `nil` for all that can be taken back
    ///   still.
    /// - Returns: whole minutes since 1970.
    /// - Throws: what the query fails with.
    package func appliedMinutes(since: Int64?) throws(MongoError) -> [FuseName: Set<Int64>] {
        let match = BSONDocument { stage in
            stage.append("$match") { match in
                match.append(Field.state, string: State.applied.rawValue)
                if let since { match.append(Field.at) { $0.append("$gte", date: since) } }
            }
        }
        let group = BSONDocument { stage in
            stage.append("$group") { group in
                group.append(Field.id) { id in
                    id.append(Field.lane, string: "$\(Field.lane)")
                    id.append(Field.app, string: "$\(Field.app)")
                    id.append(Field.at) { minute in
                        minute.append("$dateTrunc") { part in
                            part.append("date", string: "$\(Field.at)")
                            part.append("unit", string: "minute")
                        }
                    }
                }
            }
        }
        let cursor = events.aggregate([match, group], maximumTime: .seconds(10), readsMajority: true)
        var minutes: [FuseName: Set<Int64>] = [:]
        while let document = try cursor.next() {
            guard let id = document["\(Field.id)"]?.document, let lane = id["\(Field.lane)"]?.string,
                let app = id["\(Field.app)"]?.string, let at = id["\(Field.at)"]?.date
            else { continue }
            minutes[FuseName(lane: lane, app: app), default: []].insert(at / FuseRule.Minute.milliseconds)
        }
        return minutes
    }

    // MARK: -

    private func stored(_ ids: [String]) throws(MongoError) -> [String: Stored] {
        let filter = BSONDocument { $0.append(Field.id) { $0.append(anyOf: ids) } }
        let projection = BSONDocument { fields in
            for field in [Field.state, Field.event, Field.known] { fields.append(field, int: 1) }
        }
        let options = MongoFindOptions(projection: projection, batchSize: ids.count + 1, readsMajority: true)
        let cursor = events.find(filter, options: options)
        var found: [String: Stored] = [:]
        while let document = try cursor.next() {
            guard let id = document["\(Field.id)"]?.string,
                let state = document["\(Field.state)"]?.string.flatMap(State.init)
            else { continue }
            found[id] = Stored(
                state: state,
                event: document["\(Field.event)"]?.string ?? "",
                isKnown: document["\(Field.known)"]?.bool ?? false
            )
        }
        return found
    }

    private static func insertion(_ entry: Entry, _ state: State, _ now: Int64) -> BSONDocument {
        BSONDocument { update in
            update.append("$setOnInsert") { fields in
                fields.append(Field.lane, string: entry.name.lane)
                fields.append(Field.app, string: entry.name.app)
                fields.append(Field.state, string: state.rawValue)
                fields.append(Field.at, date: entry.at)
                fields.append(Field.event, string: entry.event)
                fields.append(Field.known, bool: entry.isKnown)
                if let end = end(state, now) { fields.append(Field.expiresAt, date: end) }
            }
        }
    }

    private static func end(_ state: State, _ now: Int64) -> Int64? {
        switch state {
        case .held: nil
        case .applied: now + keepingApplied
        case .released, .discarded: now + keepingDecided
        }
    }

    static func append(_ name: FuseName, _ state: State, to filter: BSONWriter) {
        filter.append(Field.lane, string: name.lane)
        filter.append(Field.app, string: name.app)
        filter.append(Field.state, string: state.rawValue)
    }

    private static let operation = "write to \(collection)"
}
