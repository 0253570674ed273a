package import WaybillMongo

/// Keeps what becomes of posted notifications; each write is in a majority's journal when it returns.
///
/// A posted notification is found without a `state`. Its audience message is stored with the claim, so that whoever hands it
/// over after a crash has the same bytes. What a service says later is undecided until its time has come: it is found again then.
///
/// *Thread:* its client's. *Blocking:* up to the limits of the pool and the time limit.
package struct PostedStore {
    private typealias Layout = NotificationLayout
    private typealias Field = NotificationLayout.Field

    /// How long one may take to hand over what it has claimed, or to look at what it follows, in milliseconds.
    package static let lease: Int64 = 10_000
    static let maximumTime = Duration.seconds(5)

    let collection: MongoCollection
    /// Who claims.
    let owner: String
    private let claims: GuardedClaims
    private let skipped: (String) -> Void
    private let refused: (RefusedDocument) -> Void

    /// - Parameters:
    ///   - client: the store's.
    ///   - database: where notifications are.
    ///   - owner: of this process alone.
    ///   - skipped: told of a document that can be neither read nor changed.
    ///   - refused: told of a document whose claim or end the server refuses: it has failed, or is left alone.
    package init(
        client: MongoClient,
        database: String,
        owner: String,
        skipped: @escaping (String) -> Void = { _ in },
        refused: @escaping (RefusedDocument) -> Void = { _ in }
    ) {
        self.skipped = skipped
        self.refused = refused
        collection = client.collection(database: database, name: Layout.collection)
        claims = GuardedClaims(collection, maximumTime: Self.maximumTime)
        self.owner = owner
    }

    /// Claims the first that can be read; of each that cannot be, the same is told.
    func claimReadable<Taken>(
        _ states: [NotificationLayout.State],
        cancelledAlone: Bool = false,
        now: Int64,
        _ read: (BSONDocument) -> Taken?
    ) throws(MongoError) -> Taken? {
        // None of them is found once more before its lease has ended.
        while let found = try claimDue(states, cancelledAlone: cancelledAlone, now: now) {
            if Layout.canBeFound(found), let taken = read(found) { return taken }
            skipped(Layout.unreadable(states))
        }
        return nil
    }

    func claimDue(
        _ states: [NotificationLayout.State],
        undecided: Bool = false,
        cancelledAlone: Bool = false,
        now: Int64
    ) throws(MongoError) -> BSONDocument? {
        let filter = BSONDocument { writer in
            writer.append(Field.state, document: { $0.append(anyOf: states.map(\.rawValue)) })
            writer.append(Field.undecided) { $0.append(undecided ? "$eq" : "$ne", bool: true) }
            writer.append(Field.due) { $0.append("$lte", date: now) }
            if cancelledAlone { Self.cancelled(writer) }
            // What others have given the state is not taken again and again in front of the rest.
            Layout.appendWhole(states, to: writer)
        }
        let update = BSONDocument { writer in
            writer.append("$set") { set in
                set.append(Field.claimedBy, string: owner)
                set.append(Field.due, date: now + Self.lease)
            }
        }
        return try claims.first(
            filter,
            sort: BSONDocument { $0.append(Field.due, int: 1) },
            update: update,
            end: { Self.failed($0.refusal, isUnsent: undecided, now: now) },
            told: refused
        )
    }

    /// Ends a notification of which nothing else can be noted, as long as nobody else has claimed or ended it.
    ///
    /// Its audience is with the broker, or may be: so its document no longer says that it was not sent.
    ///
    /// - Parameters:
    ///   - id: the document's.
    ///   - refusal: why.
    ///   - now: milliseconds since 1970.
    /// - Returns: whether it has ended; what the server lets nobody end is left alone.
    /// - Throws: what the store says.
    package func fail(_ id: BSONIdentifier, _ refusal: MongoError, now: Int64) throws(MongoError) -> Bool {
        let filter = BSONDocument { writer in
            writer.append(Field.claimedBy, string: owner)
            writer.append(Field.state) { state in
                state.append(anyOf: [Layout.State.handingOver, .scheduled, .sending].map(\.rawValue))
            }
        }
        let reason = "its audience may be with the broker; \(refusal.refusal)"
        let end = Self.failed(reason, isUnsent: false, now: now)
        return try claims.end(id, filter, end, because: refusal, told: refused)
    }

    private static func failed(_ reason: String, isUnsent: Bool, now: Int64) -> BSONDocument {
        BSONDocument { writer in
            writer.append("$set") { set in
                set.append(Field.state, string: PostedProgress.State.failed.rawValue)
                set.append(Field.reason, string: reason)
                set.append(Field.finishedAt, date: now)
            }
            writer.append("$unset") { unset in
                let ofOpen = [
                    Field.message, Field.claimedBy, Field.claimedAt, Field.due, Field.undecided, Field.held,
                    Field.unconfirmed, Field.cancelledBy,
                ]
                for field in ofOpen + (isUnsent ? [] : [Field.sent]) { unset.append(field, int: 1) }
            }
        }
    }

    /// Whether the store can be asked.
    package func probe() throws(MongoError) { _ = try new(limit: 1) }
}
