import WaybillMongo

/// The notifications that a campaign is made of, as they stand in the store; documents of others with the same names are left
/// alone.
struct CampaignNotifications {
    private typealias Field = NotificationLayout.Field

    private static let maximumTime = Duration.seconds(5)

    let collection: MongoCollection
    let ids: [String]
    /// What its documents say; `nil` for a campaign that was made before they said anything.
    let mark: String?

    /// Which of the names somebody else has taken.
    func foreign() throws(MongoError) -> [String] {
        guard !ids.isEmpty, let mark else { return [] }
        let filter = BSONDocument { writer in
            names(writer)
            writer.append(Field.campaign) { $0.append("$ne", string: mark) }
        }
        let options = MongoFindOptions(
            projection: BSONDocument { $0.append(Field.id, int: 1) },
            maximumTime: Self.maximumTime
        )
        return try collection.find(filter, options: options).all().compactMap { $0["\(Field.id)"]?.string }.sorted()
    }

    /// Asks that nothing more of them is sent, which whoever has them in hand sees to.
    func cancel(now: Int64) throws(MongoError) {
        try set(now: now) { writer in writer.append("$set") { $0.append(Field.cancel, bool: true) } }
    }

    /// Asks that nothing more of them is handed over for now, or that it goes on.
    func hold(_ isHeld: Bool, now: Int64) throws(MongoError) {
        try set(now: now) { writer in writer.append(isHeld ? "$set" : "$unset") { $0.append(Field.held, bool: true) } }
    }

    private func set(now: Int64, _ update: (BSONWriter) -> Void) throws(MongoError) {
        guard !ids.isEmpty else { return }
        let bulk = collection.bulk()
        let unended = BSONDocument { writer in
            own(writer)
            writer.append(Field.finishedAt) { $0.append("$exists", bool: false) }
        }
        try bulk.updateMany(filter: unended, update: BSONDocument(update))
        let open = BSONDocument { writer in
            own(writer)
            writer.append(Field.state) { state in
                state.append(anyOf: [NotificationLayout.State.scheduled, .sending].map(\.rawValue))
            }
        }
        // Nobody waits for the time when it would be looked at otherwise.
        try bulk.updateMany(
            filter: open,
            update: BSONDocument { writer in writer.append("$set") { $0.append(Field.due, date: now) } }
        )
        try bulk.execute().requireDurable("write to \(NotificationLayout.collection)")
    }

    /// What is known of them, by their names.
    func summaries() throws(MongoError) -> [String: PostedSummary] {
        guard !ids.isEmpty else { return [:] }
        let options = MongoFindOptions(maximumTime: Self.maximumTime, readsMajority: true)
        var found: [String: PostedSummary] = [:]
        for document in try collection.find(BSONDocument { own($0) }, options: options).all() {
            guard let id = document["\(Field.id)"]?.string else { continue }
            found[id] = PostedSummary(document)
        }
        return found
    }

    private func own(_ writer: BSONWriter) {
        names(writer)
        if let mark { writer.append(Field.campaign, string: mark) }
    }

    private func names(_ writer: BSONWriter) {
        writer.append(Field.id) { $0.append(anyOf: ids) }
    }
}
