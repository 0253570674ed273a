import WaybillCore
package import WaybillMongo

/// What a service has said, as whoever asks about the batch of its deliveries is told of it.
///
/// Times are milliseconds since 1970.
package struct SaidNotification: Hashable, Sendable {
    /// The name of its batch; a part's name is this with a number.
    package let id: String
    /// The id of the service; `nil` in what is not whole.
    package let service: String?
    package let level: String?
    /// When it was stored.
    package let storedAt: Int64?
    /// How many people are told.
    package let people: Int
    /// How many people of the service are not told, by what they have said or for want of a device.
    package let suppressed: Int
    /// When the broker, or the thesis' own sender, had it; `nil`: it was not handed over yet.
    package let handedOverAt: Int64?
    /// On how many devices people are told.
    package let devices: Int
    /// By which lanes it went; none in those of former releases.
    package let lanes: [String]
    /// The queue of the thesis' own sender, where it was handed to that: nothing of it is recorded then.
    package let queue: String?
}

/// Looks for what services have said, by the names of its batches.
///
/// *Thread:* its client's. *Blocking:* up to the limits of the pool and the time limit.
package struct SaidLookUp {
    private typealias Field = NotificationLayout.Field

    private let notifications: MongoCollection
    /// Whose; `nil`: everybody's.
    private let clients: [String]?

    package init(client: MongoClient, database: String, clients: [String]?) {
        notifications = client.collection(database: database, name: NotificationLayout.collection)
        self.clients = clients
    }

    /// - Parameter batch: of deliveries, or a part of one.
    /// - Returns: `nil` where no service has said it, or not for whoever asks.
    /// - Throws: what the store says, such as that nobody may read it here.
    package func notification(_ batch: String) throws(MongoError) -> SaidNotification? {
        let filter = BSONDocument { writer in
            writer.append(Field.id) { id in
                id.append(anyOf: [batch, BatchName.whole(of: batch)].compactMap(\.self))
            }
            // Of those alone that services have said.
            writer.append(Field.recipients) { $0.append("$exists", bool: true) }
            if let clients {
                writer.append(Field.client) {
                    $0.append(anyOf: clients)
                }
            }
        }
        let options = MongoFindOptions(maximumTime: .seconds(2), readsMajority: true)
        guard let document = try notifications.findOne(filter, options: options),
            let id = document["\(Field.id)"]?.string
        else { return nil }
        let isSent = document["\(Field.state)"]?.string == NotificationLayout.State.sent.rawValue
        return SaidNotification(
            id: id,
            service: document["\(Field.service)"]?.string,
            level: document["\(Field.level)"]?.string,
            storedAt: document["\(Field.at)"]?.date,
            people: document["\(Field.recipients)"]?.amount ?? 0,
            suppressed: document["\(Field.suppressed)"]?.amount ?? 0,
            handedOverAt: isSent ? document["\(Field.sentAt)"]?.date ?? document["\(Field.at)"]?.date : nil,
            devices: document["\(Field.devices)"]?.amount ?? 0,
            lanes: [Field.lane, Field.fcmLane].compactMap { document["\($0)"]?.string },
            queue: document["\(Field.queue)"]?.string
        )
    }
}
