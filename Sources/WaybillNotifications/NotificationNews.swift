package import WaybillMongo

/// Finds what webhooks of services are to be told of notifications, and are not known to have been: that some of a service's people
/// were not told, and that somebody has acknowledged.
///
/// The write that makes it so marks it, whoever hands the notification over, and the mark goes when the event is durable: who is
/// killed in between leaves it to whoever looks next.
///
/// *Thread:* its client's. *Blocking:* up to the limits of the pool and the time limit.
package struct NotificationNews {
    /// Something that is to be told.
    package struct Item: Sendable {
        package enum What: Hashable, Sendable {
            /// So many of the service's people were not told, and so many were.
            case suppressed(people: Int, told: Int)
            /// - Parameter account: whose id it is.
            case acknowledged(account: String)
        }

        /// The notification's id.
        package let notification: String
        package let service: String
        /// In milliseconds since 1970.
        package let at: Int64
        package let what: What
        fileprivate let document: BSONIdentifier
    }

    /// How many of either kind are found at once.
    package static let most = 200
    private static let maximumTime = Duration.seconds(5)

    private let notifications: MongoCollection
    private let receipts: MongoCollection

    package init(client: MongoClient, database: String) {
        notifications = client.collection(database: database, name: NotificationLayout.collection)
        receipts = client.collection(database: database, name: ReceiptLayout.collection)
    }

    /// What is to be told.
    package func untold() throws(MongoError) -> [Item] {
        let options = MongoFindOptions(limit: Self.most, maximumTime: Self.maximumTime, readsMajority: true)
        let suppressed = BSONDocument { $0.append(NotificationLayout.Field.untold, bool: true) }
        let acknowledged = BSONDocument { $0.append(ReceiptLayout.Field.untold, bool: true) }
        return try notifications.find(suppressed, options: options).all().compactMap(Self.suppressed)
            + receipts.find(acknowledged, options: options).all().compactMap(Self.acknowledged)
    }

    /// Notes that something was told.
    ///
    /// - Throws: when it was not noted: it is told again, as the same event.
    package func settle(_ items: [Item]) throws(MongoError) {
        try unmark(items.filter { if case .suppressed = $0.what { true } else { false } }, in: notifications)
        try unmark(items.filter { if case .acknowledged = $0.what { true } else { false } }, in: receipts)
    }

    private func unmark(_ items: [Item], in collection: MongoCollection) throws(MongoError) {
        guard !items.isEmpty else { return }
        let update = BSONDocument { writer in
            writer.append("$unset") { $0.append(NotificationLayout.Field.untold, int: 1) }
        }
        let bulk = collection.bulk()
        for item in items {
            let filter = BSONDocument { $0.append(NotificationLayout.Field.id, identifier: item.document) }
            try bulk.updateOne(filter: filter, update: update, upsert: false)
        }
        try bulk.execute().requireDurable("write to \(collection.name)")
    }

    /// Of what was put into the store, the name that its deliveries have.
    private static func suppressed(_ document: BSONDocument) -> Item? {
        typealias Field = NotificationLayout.Field
        guard let id = document.identifier("\(Field.id)"), let service = document["\(Field.service)"]?.string,
            let name = document["\(Field.audience)"]?.string ?? document["\(Field.id)"]?.string,
            let at = document["\(Field.begins)"]?.date ?? document["\(Field.at)"]?.date
        else { return nil }
        return Item(
            notification: name,
            service: service,
            at: at,
            what: .suppressed(
                people: document["\(Field.suppressed)"]?.amount ?? 0,
                told: document["\(Field.recipients)"]?.amount ?? 0
            ),
            document: id
        )
    }

    private static func acknowledged(_ document: BSONDocument) -> Item? {
        guard let id = document.identifier("\(ReceiptLayout.Field.id)"), let receipt = Receipt(document) else {
            return nil
        }
        return Item(
            notification: receipt.notification,
            service: receipt.service,
            at: receipt.acknowledgedAt ?? receipt.at,
            what: .acknowledged(account: receipt.account),
            document: id
        )
    }
}
