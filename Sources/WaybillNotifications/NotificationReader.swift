package import WaybillMongo

/// Reads what services have said, and what it is to people.
///
/// Whose it is stands where each query is built: nobody's receipts are found by another account, no notification by another
/// service.
///
/// *Thread:* its client's. *Blocking:* up to the limits of the pool and the time limit.
package struct NotificationReader {
    private typealias Field = NotificationLayout.Field
    private typealias ReceiptField = ReceiptLayout.Field

    private static let maximumTime = Duration.seconds(5)
    /// Receipts of one notification or one account that are read at once.
    package static let most = 1000

    private let notifications: MongoCollection
    private let receipts: MongoCollection

    package init(client: MongoClient, database: String) {
        notifications = client.collection(database: database, name: NotificationLayout.collection)
        receipts = client.collection(database: database, name: ReceiptLayout.collection)
    }

    /// A notification of any service: who may see it is the caller's to ask.
    package func notification(_ id: String) throws(MongoError) -> NotificationRecord? {
        try notifications.findOne(BSONDocument { $0.append(Field.id, string: id) }, options: options(1))
            .flatMap(NotificationRecord.init)
    }

    /// What a notification is to somebody; `nil`: they were not among those whom it was for.
    package func receipt(_ notification: String, of account: String) throws(MongoError) -> Receipt? {
        let id = ReceiptLayout.id(notification: notification, account: account)
        return try receipts.findOne(BSONDocument { $0.append(ReceiptField.id, string: id) }, options: options(1))
            .flatMap(Receipt.init)
    }

    /// What a notification is to everybody whom it was for.
    package func receipts(of notification: String) throws(MongoError) -> [Receipt] {
        let filter = BSONDocument { $0.append(ReceiptField.notification, string: notification) }
        return try receipts.find(filter, options: options(Self.most)).all().compactMap(Receipt.init)
    }

    /// What somebody was told, the latest first; what was erased meanwhile is left out.
    ///
    /// - Parameters:
    ///   - query: which of it.
    ///   - place: where the page before ended; `nil`: the first.
    ///   - limit: how many.
    /// - Returns: the page.
    /// - Throws: what the store says.
    package func page(
        _ query: ReceiptPage.Query,
        after place: NotificationPlace?,
        limit: Int
    ) throws(MongoError) -> ReceiptPage {
        let filter = BSONDocument { writer in
            writer.append(ReceiptField.account, string: query.account)
            if let service = query.service { writer.append(ReceiptField.service, string: service) }
            if query.unreadOnly { writer.appendNull(ReceiptField.readAt) }
            if let place { Self.append(place, ReceiptField.at, ReceiptField.notification, to: writer) }
        }
        let found = try receipts.find(
            filter,
            options: options(limit + 1, latestFirst: [ReceiptField.at, ReceiptField.notification])
        ).all().compactMap(Receipt.init)
        let shown = found.prefix(limit)
        let records = try records(shown.map(\.notification))
        return ReceiptPage(
            entries: shown.compactMap { receipt in records[receipt.notification].map { ($0, receipt) } },
            next: found.count > limit
                ? shown.last.map { NotificationPlace(at: $0.at, notification: $0.notification) } : nil
        )
    }

    /// What a service has said, the latest first.
    ///
    /// - Returns: the page, and where the next one begins.
    package func page(
        ofService service: String,
        after place: NotificationPlace?,
        limit: Int
    ) throws(MongoError) -> (records: [NotificationRecord], next: NotificationPlace?) {
        let filter = BSONDocument { writer in
            writer.append(Field.service, string: service)
            if let place { Self.append(place, Field.at, Field.id, to: writer) }
        }
        let found = try notifications.find(filter, options: options(limit + 1, latestFirst: [Field.at, Field.id]))
            .all().compactMap(NotificationRecord.init)
        let last = found.count > limit ? found.prefix(limit).last : nil
        return (Array(found.prefix(limit)), last.map { NotificationPlace(at: $0.at, notification: $0.id) })
    }

    /// `at ≤ d AND (at < d OR id < x)`: one walk along the index.
    private static func append(
        _ place: NotificationPlace,
        _ at: StaticString,
        _ id: StaticString,
        to writer: BSONWriter
    ) {
        writer.append(at) { $0.append("$lte", date: place.at) }
        writer.append(
            "$or",
            array: { ways in
                ways.append { way in way.append(at) { $0.append("$lt", date: place.at) } }
                ways.append { way in way.append(id) { $0.append("$lt", string: place.notification) } }
            }
        )
    }

    private func records(_ ids: [String]) throws(MongoError) -> [String: NotificationRecord] {
        guard !ids.isEmpty else { return [:] }
        let filter = BSONDocument { writer in
            writer.append(Field.id) { condition in
                condition.append(anyOf: ids)
            }
        }
        let found = try notifications.find(filter, options: options(ids.count)).all()
            .compactMap(NotificationRecord.init)
        return Dictionary(found.map { ($0.id, $0) }) { first, _ in first }
    }

    private func options(_ limit: Int, latestFirst fields: [StaticString] = []) -> MongoFindOptions {
        MongoFindOptions(
            sort: fields.isEmpty
                ? nil : BSONDocument { writer in for field in fields { writer.append(field, int: -1) } },
            limit: limit,
            maximumTime: Self.maximumTime,
            readsMajority: true
        )
    }
}
