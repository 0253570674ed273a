import WaybillCore
import WaybillEncoding
package import WaybillMongo

/// The notifications of services of which a dispatcher rejects a message: it goes to nobody.
///
/// *Thread:* its client's. *Blocking:* until a majority has it in its journal, up to the limits of the pool.
package struct RejectedNotifications {
    private typealias Layout = NotificationLayout
    private typealias Field = NotificationLayout.Field

    private let collection: MongoCollection

    package init(client: MongoClient, database: String) {
        collection = client.collection(database: database, name: Layout.collection)
    }

    /// Whether a batch may be one of them, or a part of one: their names are UUIDs.
    package static func mayHave(_ batch: String) -> Bool {
        UUIDText.halves(ascii: (BatchName.whole(of: batch) ?? batch).utf8) != nil
    }

    /// Notes that a message is rejected.
    ///
    /// - Parameters:
    ///   - batch: the name of the message's batch.
    ///   - client: whose it is.
    ///   - reason: the machine's word for it.
    /// - Throws: what the store says.
    package func note(batch: String, client: String, reason: String) throws(MongoError) {
        let filter = BSONDocument { writer in
            writer.append(Field.id, string: BatchName.whole(of: batch) ?? batch)
            writer.append(Field.client, string: client)
            writer.append(Field.state) { $0.append(anyOf: [Layout.State.claimed, .sent].map(\.rawValue)) }
            // What others have put into the store is followed by its audience.
            writer.append(Field.audience) { $0.append("$exists", bool: false) }
            writer.append(Field.service) { $0.append("$type", string: "string") }
        }
        let update = BSONDocument { writer in
            writer.append("$set") { $0.append(Field.rejection, string: reason) }
        }
        let bulk = collection.bulk()
        try bulk.updateOne(filter: filter, update: update, upsert: false)
        try bulk.execute().requireDurable("write to \(Layout.collection)")
    }
}
