package import WaybillMongo

/// Which devices somebody wants to see: those that match every condition given.
package struct DeviceQuery: Hashable, Sendable {
    /// The whole token, as it is sent.
    package var deviceToken: [UInt8]?
    /// Any of these; `nil` for all, and for devices of no client.
    package var clients: [String]?
    package var isDisabled: Bool
    package var isSuspected: Bool

    package init(
        deviceToken: [UInt8]? = nil,
        clients: [String]? = nil,
        isDisabled: Bool = false,
        isSuspected: Bool = false
    ) {
        self.deviceToken = deviceToken
        self.clients = clients
        self.isDisabled = isDisabled
        self.isSuspected = isSuspected
    }

    var filter: BSONDocument {
        BSONDocument { writer in
            if let deviceToken { writer.append(DeviceRegistry.Field.deviceToken, utf8: deviceToken[...]) }
            if let clients {
                writer.append(DeviceRegistry.Field.client) { condition in
                    condition.append("$in", array: { array in for client in clients { array.append(string: client) } })
                }
            }
            if isDisabled { appendDate(DeviceRegistry.Field.disabledAt, to: writer) }
            if isSuspected { appendDate(DeviceRegistry.Field.suspectedAt, to: writer) }
        }
    }

    private func appendDate(_ field: StaticString, to writer: BSONWriter) {
        writer.append(field) { $0.append("$type", string: "date") }
    }
}

/// Answers questions about the registry; it writes nothing.
package struct DeviceReader {
    /// When the server should give up.
    private static let maximumTime = Duration.seconds(10)

    private let collection: MongoCollection

    package init(client: MongoClient, database: String) {
        collection = client.collection(database: database, name: DeviceRegistry.collection)
    }

    /// How many devices match.
    package func count(_ query: DeviceQuery) throws(MongoError) -> Int {
        Int(try collection.countDocuments(query.filter, maximumTime: Self.maximumTime))
    }

    /// The devices that match, at most so many.
    package func devices(_ query: DeviceQuery, limit: Int) -> DeviceCursor {
        DeviceCursor(
            collection.find(query.filter, options: MongoFindOptions(limit: limit, maximumTime: Self.maximumTime))
        )
    }
}

/// The devices that a query found, fetched as they are read.
package final class DeviceCursor {
    private let cursor: MongoCursor

    init(_ cursor: MongoCursor) {
        self.cursor = cursor
    }

    /// The next device; `nil` after the last one.
    package func next() throws(MongoError) -> Device? { try cursor.next().map { Device($0) } }
}
