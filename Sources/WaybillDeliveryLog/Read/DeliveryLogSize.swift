package import WaybillMongo

/// How large the log is, and when it gets smaller: from the collection's own figures and one index, whatever its size.
///
/// *Thread:* its client's. *Blocking:* up to the limits of the pool.
package struct DeliveryLogSize {
    private let client: MongoClient
    private let database: String

    package init(client: MongoClient, database: String) {
        self.client = client
        self.database = database
    }

    /// Records, about: the server's own count, which may be off after a crash of the server.
    package func records() throws(MongoError) -> Int {
        let answer = try client.command(
            database: database,
            BSONDocument { $0.append("count", string: Deliveries.collection) }
        )
        return answer["n"]?.amount ?? 0
    }

    /// When the record that expires first does, in milliseconds since 1970; in the past where the server is behind with
    /// removing, `nil` where nothing expires.
    package func nextExpiry() throws(MongoError) -> Int64? {
        let collection = client.collection(database: database, name: Deliveries.collection)
        let first = try collection.findOne(
            BSONDocument { $0.append(Field.expiresAt) { $0.append("$gt", date: 0) } },
            options: MongoFindOptions(
                sort: BSONDocument { $0.append(Field.expiresAt, int: 1) },
                projection: BSONDocument { $0.append(Field.expiresAt, int: 1) },
                maximumTime: .seconds(5)
            )
        )
        return first?["\(Field.expiresAt)"]?.date
    }
}
