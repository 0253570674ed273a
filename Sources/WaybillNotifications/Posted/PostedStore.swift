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
    private let skipped: (String) -> Void

    /// - Parameters:
    ///   - client: the store's.
    ///   - database: where notifications are.
    ///   - owner: of this process alone.
    ///   - skipped: told of a document that can be neither read nor changed.
    package init(
        client: MongoClient,
        database: String,
        owner: String,
        skipped: @escaping (String) -> Void = { _ in }
    ) {
        self.skipped = skipped
        collection = client.collection(database: database, name: Layout.collection)
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
        return try collection.findOneAndUpdate(
            filter,
            sort: BSONDocument { $0.append(Field.due, int: 1) },
            update: update,
            maximumTime: Self.maximumTime
        )
    }

    /// Whether the store can be asked.
    package func probe() throws(MongoError) { _ = try new(limit: 1) }
}
