package import WaybillCore
package import WaybillMongo

/// Reads what devices have said of notifications.
///
/// A receipt may be there before the record of its push is, and without it; whoever reads joins the two, by the notification's id.
///
/// *Thread:* its client's. *Blocking:* up to the time limit.
package struct ReceiptReader {
    private let collection: MongoCollection
    private let maximumTime: Duration

    /// - Parameters:
    ///   - client: the store.
    ///   - database: where receipts are.
    ///   - maximumTime: of each question.
    package init(client: MongoClient, database: String, maximumTime: Duration = .seconds(5)) {
        collection = client.collection(database: database, name: ReceiptLayout.collection)
        self.maximumTime = maximumTime
    }

    /// What was said of some notifications.
    ///
    /// - Parameter subjects: a few hundred at the most.
    /// - Returns: by notification, in the order in which it came here, of each kind the first; nothing for those of which
    ///   nothing was said.
    /// - Throws: what the store says.
    package func receipts(
        of subjects: [ReceiptSubject]
    ) throws(MongoError) -> [ReceiptSubject: [DeliveryReceipt]] {
        guard !subjects.isEmpty else { return [:] }
        let wanted = Set(subjects)
        // An older capability has not said what its push was about.
        let keys = wanted.union(wanted.map { ReceiptSubject($0.id) })
        let cursor = collection.find(
            BSONDocument { Self.append(keys, to: $0) },
            options: MongoFindOptions(maximumTime: maximumTime)
        )
        var found: [NotificationID: [DeliveryReceipt]] = [:]
        while let document = try cursor.next() {
            guard let receipt = DeliveryReceipt(document) else { continue }
            found[receipt.id, default: []].append(receipt)
        }
        var said: [ReceiptSubject: [DeliveryReceipt]] = [:]
        for subject in wanted {
            var events: Set<ReceiptEvent> = []
            let own = (found[subject.id] ?? []).filter { subject.includes($0.subject) }
                .sorted { ($0.receivedAt, $0.event.rawValue) < ($1.receivedAt, $1.event.rawValue) }
                .filter { events.insert($0.event).inserted }
            if !own.isEmpty { said[subject] = own }
        }
        return said
    }

    /// Whether anything was ever said of anything.
    package func hasAny() throws(MongoError) -> Bool {
        try collection.findOne(.empty, options: MongoFindOptions(maximumTime: maximumTime)) != nil
    }

    /// Whether anything was ever said of a notification with a given id.
    package func hasAnyOfGivenIDs() throws(MongoError) -> Bool {
        let filter = BSONDocument { writer in
            writer.append(ReceiptLayout.Field.id) { $0.append("$gte", binary: ReceiptLayout.firstWithContent) }
        }
        return try collection.findOne(filter, options: MongoFindOptions(maximumTime: maximumTime)) != nil
    }

    /// Of how many notifications with given ids what was said.
    ///
    /// - Parameter subjects: any number, each once.
    /// - Returns: the sum.
    /// - Throws: what the store says.
    package func tally(ofGiven subjects: [ReceiptSubject]) throws(MongoError) -> ReceiptTally {
        var tally = ReceiptTally()
        for start in stride(from: 0, to: subjects.count, by: Self.mostSingle) {
            let some = Array(subjects[start..<min(start + Self.mostSingle, subjects.count)])
            for said in try receipts(of: some).values { tally.add(Set(said.map(\.event))) }
        }
        return tally
    }

    /// Of how many notifications what was said, those with given ids apart.
    ///
    /// Those of one message have ids that lie side by side, so that one walk along the index finds what is said of all.
    ///
    /// - Parameter ids: of any number of notifications, each once.
    /// - Returns: the sum.
    /// - Throws: what the store says.
    package func tally(of ids: [NotificationID]) throws(MongoError) -> ReceiptTally {
        var tally = ReceiptTally()
        var single: [NotificationID] = []
        let sorted = ids.sorted { ($0.high, $0.low) < ($1.high, $1.low) }
        var rest = sorted[...]
        while let first = rest.first {
            let end = rest.firstIndex { !MessageIdentity.isOneMessage($0, first) } ?? rest.endIndex
            let group = rest[..<end]
            rest = rest[end...]
            if group.count < Self.fewestInRange {
                single += group
            } else if let last = group.last {
                let wanted = Set(group)
                let range = BSONDocument { writer in
                    writer.append(ReceiptLayout.Field.id) { condition in
                        condition.append("$gte", binary: ReceiptLayout.key(ReceiptSubject(first), 0))
                        condition.append("$lte", binary: ReceiptLayout.key(ReceiptSubject(last), .max))
                    }
                }
                try add(range, to: &tally) { wanted.contains($0) }
            }
            if single.count >= Self.mostSingle || rest.isEmpty, !single.isEmpty {
                try add(BSONDocument { Self.append(single.map { ReceiptSubject($0) }, to: $0) }, to: &tally) { _ in true
                }
                single.removeAll(keepingCapacity: true)
            }
        }
        return tally
    }

    /// Fewer are asked for one by one.
    private static let fewestInRange = 8
    private static let mostSingle = 1000

    /// Keys alone are read, from the index.
    private func add(
        _ filter: BSONDocument,
        to tally: inout ReceiptTally,
        _ isWanted: (NotificationID) -> Bool
    ) throws(MongoError) {
        let cursor = keys(filter, time: maximumTime)
        var last: NotificationID?
        while let (id, event) = try nextKey(cursor) {
            guard isWanted(id) else { continue }
            tally[event] += 1
            if last != id { tally.arrived += 1 }
            last = id
        }
    }

    /// The keys that match, in their order, from the index.
    func keys(_ filter: BSONDocument, time: Duration) -> MongoCursor {
        let order = BSONDocument { $0.append(ReceiptLayout.Field.id, int: 1) }
        return collection.find(filter, options: MongoFindOptions(sort: order, projection: order, maximumTime: time))
    }

    /// What the next key is about; what is none of ours is left out.
    func nextKey(_ cursor: MongoCursor) throws(MongoError) -> (id: NotificationID, event: ReceiptEvent)? {
        while let document = try cursor.next() {
            guard case .binary(_, let bytes) = document["\(ReceiptLayout.Field.id)"],
                let parts = ReceiptLayout.parts(ofKey: bytes)
            else { continue }
            return parts
        }
        return nil
    }

    private static func append(_ subjects: some Sequence<ReceiptSubject>, to writer: BSONWriter) {
        writer.append(ReceiptLayout.Field.id) { condition in
            condition.append(
                "$in",
                array: { keys in
                    for subject in subjects {
                        for event in ReceiptEvent.allCases {
                            keys.append(binary: ReceiptLayout.key(subject, event.rawValue))
                        }
                    }
                }
            )
        }
    }
}
