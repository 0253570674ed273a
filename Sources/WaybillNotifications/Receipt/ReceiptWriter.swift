package import WaybillMongo

/// Writes what a notification is to people; each write is in a majority's journal when it returns.
///
/// *Thread:* its client's. *Blocking:* up to the limits of the pool and the time limit.
package struct ReceiptWriter {
    private typealias Field = ReceiptLayout.Field

    /// What a person does with a notification.
    package enum Mark: String, CaseIterable, Sendable {
        case read
        /// Which is also reading it.
        case acknowledged
    }

    private static let maximumTime = Duration.seconds(5)
    private let collection: MongoCollection

    package init(client: MongoClient, database: String) {
        collection = client.collection(database: database, name: ReceiptLayout.collection)
    }

    /// Writes receipts; those that are there stay as they are.
    func insert(_ receipts: [Receipt], eraseAt: Int64) throws(MongoError) {
        guard !receipts.isEmpty else { return }
        let bulk = collection.bulk()
        for receipt in receipts { try bulk.insert(receipt.document(eraseAt: eraseAt)) }
        try bulk.execute().requireDurableOrThere("write to \(ReceiptLayout.collection)")
    }

    /// The same of several notifications, as steps of several.
    static func insertions(_ documents: [BSONDocument]) -> [MongoInsertion] {
        MongoInsertion.pages(of: documents, into: ReceiptLayout.collection)
    }

    /// Notes what somebody has done with a notification; the first time counts.
    ///
    /// ``NotificationNews`` finds what was acknowledged, for webhooks.
    ///
    /// - Parameters:
    ///   - mark: what.
    ///   - notification: the notification's id.
    ///   - account: whose receipt it must be.
    ///   - now: milliseconds since 1970.
    /// - Returns: the receipt, and whether that is new; `nil`: there is none.
    /// - Throws: what the store says.
    package func note(
        _ mark: Mark,
        _ notification: String,
        by account: String,
        now: Int64
    ) throws(MongoError) -> (receipt: Receipt, isNew: Bool)? {
        let id = ReceiptLayout.id(notification: notification, account: account)
        let isRead = try set(Field.readAt, id, now: now)
        let isAcknowledged = mark == .acknowledged ? try set(Field.acknowledgedAt, id, now: now, isNews: true) : nil
        if let receipt = isAcknowledged ?? isRead.flatMap({ mark == .read ? $0 : nil }) { return (receipt, true) }
        return try receipt(notification, of: account).map { ($0, false) }
    }

    /// Notes that somebody has read all that they were told until a time.
    ///
    /// - Parameters:
    ///   - account: who.
    ///   - service: what this service has said; `nil`: all services.
    ///   - until: milliseconds since 1970.
    ///   - now: milliseconds since 1970.
    /// - Returns: how many were not read before.
    /// - Throws: what the store says; the same again is safe.
    package func readAll(
        of account: String,
        service: String?,
        until: Int64,
        now: Int64
    ) throws(MongoError) -> Int {
        let filter = BSONDocument { writer in
            writer.append(Field.account, string: account)
            if let service { writer.append(Field.service, string: service) }
            writer.append(Field.at) { $0.append("$lte", date: until) }
            writer.appendNull(Field.readAt)
        }
        let bulk = collection.bulk()
        try bulk.updateMany(filter: filter, update: Self.set(Field.readAt, now))
        let result = bulk.execute()
        try result.requireDurable("write to \(ReceiptLayout.collection)")
        return result.matched
    }

    /// Has all receipts of an account erased.
    ///
    /// - Throws: what the store says; the same again is safe.
    package func eraseAll(of account: String, now: Int64) throws(MongoError) {
        let bulk = collection.bulk()
        let filter = BSONDocument { $0.append(Field.account, string: account) }
        try bulk.updateMany(filter: filter, update: Self.set(Field.eraseAt, now))
        try bulk.execute().requireDurable("write to \(ReceiptLayout.collection)")
    }

    private func set(
        _ field: StaticString,
        _ id: String,
        now: Int64,
        isNews: Bool = false
    ) throws(MongoError) -> Receipt? {
        let filter = BSONDocument { writer in
            writer.append(Field.id, string: id)
            writer.append(field) { $0.append("$exists", bool: false) }
        }
        return try collection.findOneAndUpdate(
            filter,
            update: Self.set(field, now, isNews: isNews),
            maximumTime: Self.maximumTime
        ).flatMap(Receipt.init)
    }

    private static func set(_ field: StaticString, _ time: Int64, isNews: Bool = false) -> BSONDocument {
        BSONDocument { writer in
            writer.append("$set") { set in
                set.append(field, date: time)
                if isNews { set.append(Field.untold, bool: true) }
            }
        }
    }

    private func receipt(_ notification: String, of account: String) throws(MongoError) -> Receipt? {
        let id = ReceiptLayout.id(notification: notification, account: account)
        let filter = BSONDocument { $0.append(Field.id, string: id) }
        let options = MongoFindOptions(limit: 1, maximumTime: Self.maximumTime, readsMajority: true)
        return try collection.findOne(filter, options: options).flatMap(Receipt.init)
    }
}
