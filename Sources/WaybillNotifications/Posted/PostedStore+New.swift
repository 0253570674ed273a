import WaybillMessages
package import WaybillMongo

/// What nobody has looked at, and what is found again because nothing of it is decided before its time.
extension PostedStore {
    private typealias Layout = NotificationLayout
    private typealias Field = NotificationLayout.Field

    /// Documents that nobody has looked at yet, as they were inserted; none that is held and not cancelled, or too large to be sent.
    ///
    /// - Parameters:
    ///   - limit: at most so many.
    ///   - skip: so many in front are left out.
    ///   - cancelledAlone: none but those that are not to be sent.
    /// - Returns: whole documents.
    /// - Throws: what the store says.
    package func new(
        limit: Int,
        skip: Int = 0,
        cancelledAlone: Bool = false
    ) throws(MongoError) -> [BSONDocument] {
        let options = MongoFindOptions(limit: limit, skip: skip, maximumTime: Self.maximumTime, readsMajority: true)
        let filter = BSONDocument { writer in
            writer.appendNull(Field.state)
            cancelledAlone ? Self.cancelled(writer) : Self.notHeld(writer)
            writer.append("$expr", document: { $0.append(size: "$lte", Self.largest) })
        }
        return try collection.find(filter, options: options).all()
    }

    /// Claims a notification, to be handed over by this process.
    ///
    /// - Returns: `false`: somebody else has it, it is there no more, or it was cancelled meanwhile.
    package func claim(_ posted: PostedNotification, now: Int64) throws(MongoError) -> Bool {
        let id = BSONDocument { writer in
            writer.append(Field.id, identifier: posted.id)
            writer.append(Field.cancel) { $0.append("$ne", bool: true) }
            writer.append(Self.firstOrder) { $0.append("$exists", bool: false) }
        }
        return try change(id, unset: [Field.undecided]) { set in
            set.append(Field.state, string: Layout.State.handingOver.rawValue)
            set.append(Field.sent, bool: false)
            set.append(Field.audience, string: posted.message.id)
            set.append(Field.message, utf8: posted.body[...])
            set.append(Field.begins, date: posted.begins(now: now))
            set.append(Field.claimedBy, string: owner)
            set.append(Field.claimedAt, date: now)
            set.append(Field.due, date: now + Self.lease)
            guard let people = posted.people else { return }
            set.append(Field.recipients, int: people.told)
            set.append(Field.suppressed, int: people.suppressed)
            if people.suppressed > 0 { set.append(Field.untold, bool: true) }
        }
    }

    /// Notes that a document cannot be sent.
    ///
    /// - Parameters:
    ///   - document: as it was inserted.
    ///   - refusal: what is wrong with it.
    /// - Returns: `false`: somebody else was faster.
    /// - Throws: what the store says.
    package func refuse(_ document: BSONDocument, _ refusal: PostedRefusal) throws(MongoError) -> Bool {
        guard let id = Self.id(of: document) else { return false }
        return try change(id, unset: Self.ofWaiting) { set in
            set.append(Field.state, string: Layout.State.refused.rawValue)
            set.append(Field.sent, bool: false)
            set.append(Field.reason, string: refusal.description)
        }
    }

    /// Leaves a document alone that says of itself that it was sent.
    package func leave(_ document: BSONDocument) throws(MongoError) {
        guard let id = Self.id(of: document) else { return }
        _ = try change(id, unset: Self.ofWaiting) { $0.append(Field.state, string: Layout.State.sent.rawValue) }
    }

    /// Ends a document that was cancelled before anybody looked at it.
    package func cancel(_ document: BSONDocument) throws(MongoError) {
        guard let id = Self.id(of: document) else { return }
        _ = try change(id, unset: Self.ofWaiting) { set in
            set.append(Field.state, string: PostedProgress.State.cancelled.rawValue)
            set.append(Field.sent, bool: false)
            if let by = Self.canceller(of: document) { set.append(Field.reason, string: "cancelled by \(by)") }
        }
    }

    /// Leaves a document until its time has come.
    ///
    /// - Parameters:
    ///   - document: as it was inserted, or as it has waited.
    ///   - begins: when that is, in milliseconds since 1970.
    ///   - next: when to look at it again.
    /// - Throws: what the store says.
    package func wait(_ document: BSONDocument, begins: Int64, next: Int64) throws(MongoError) {
        guard let id = Self.id(of: document), let name = document.identifier("\(Field.id)")?.text else { return }
        _ = try change(id, unset: []) { set in
            set.append(Field.state, string: Layout.State.scheduled.rawValue)
            set.append(Field.sent, bool: false)
            set.append(Field.audience, string: name)
            set.append(Field.begins, date: begins)
            set.append(Field.due, date: next)
            set.append(Field.undecided, bool: true)
        }
    }

    /// Takes a document that waits for its time and is to be looked at now.
    ///
    /// - Parameters:
    ///   - now: milliseconds since 1970.
    ///   - cancelledAlone: none but one that is not to be sent.
    /// - Returns: the whole document; `nil`: there is none. Nobody else gets it while the lease lasts.
    /// - Throws: what the store says.
    package func claimUndecided(now: Int64, cancelledAlone: Bool = false) throws(MongoError) -> BSONDocument? {
        try claimDue([.scheduled], undecided: true, cancelledAlone: cancelledAlone, now: now)
    }

    /// Changes a document of which nothing is decided.
    private func change(
        _ id: BSONDocument,
        unset: [StaticString],
        _ set: (BSONWriter) -> Void
    ) throws(MongoError) -> Bool {
        let filter = BSONDocument { writer in
            writer.append(
                "$and",
                array: { all in
                    all.append(document: id)
                    all.append { open in
                        open.append(
                            "$or",
                            array: { ways in
                                ways.append { $0.appendNull(Field.state) }
                                ways.append { Self.undecided($0) }
                            }
                        )
                    }
                }
            )
        }
        let update = BSONDocument { writer in
            writer.append("$set", document: set)
            guard !unset.isEmpty else { return }
            writer.append("$unset") { fields in for field in unset { fields.append(field, int: 1) } }
        }
        return try collection.findOneAndUpdate(filter, update: update, maximumTime: Self.maximumTime) != nil
    }

    /// The condition on documents that wait for their time, and of which nothing is decided.
    static func undecided(_ writer: BSONWriter) {
        writer.append(Field.state, string: Layout.State.scheduled.rawValue)
        writer.append(Field.undecided, bool: true)
    }

    /// What a document says for as long as it waits.
    private static let ofWaiting = [Field.undecided, Field.due, Field.claimedBy, Field.cancelledBy]

    /// By an `_id` of any type.
    private static func id(of document: BSONDocument) -> BSONDocument? {
        if let id = document.identifier("\(Field.id)") { return BSONDocument { $0.append(Field.id, identifier: id) } }
        guard let value = document["\(Field.id)"] else { return nil }
        let writer = BSONWriter()
        return writer.append(name: "\(Field.id)", value: value) ? writer.document : nil
    }
}
