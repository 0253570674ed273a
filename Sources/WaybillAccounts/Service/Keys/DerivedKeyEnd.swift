import WaybillMongo

/// Ends the key of a service that its owners can read again, which the thesis' API has: whoever knows it is nobody from then on.
///
/// Whoever stops owning a service has known it, and it is ended before they do. A key that is made between the two holds only
/// while all who owned the service then own it still (``DerivedKeyIssue``). Owners read an empty key until they have a new one made.
struct DerivedKeyEnd {
    private typealias Field = ServiceLayout.ServiceField

    private let services: MongoCollection
    private let reader: ServiceReader

    init(client: MongoClient, database: String) {
        services = client.collection(database: database, name: ServiceLayout.services)
        reader = ServiceReader(client: client, database: database)
    }

    /// Ends it; what the store has of it goes when there is a new one, or with the service.
    ///
    /// - Parameters:
    ///   - service: its id; one that is not there is left alone.
    ///   - now: milliseconds since 1970.
    /// - Throws: when it is not known to be durable.
    func end(_ service: String, now: Int64) throws(MongoError) {
        try end(service, now: now) { _ in true }
    }

    /// Ends the key that was made while somebody owned the service who does not any more: before they own it again, for it would
    /// be good again from then on.
    func end(_ service: String, heldBy account: String, now: Int64) throws(MongoError) {
        try end(service, now: now) { $0.keyHolders?.contains(account) == true }
    }

    private func end(_ service: String, now: Int64, if isMeant: (ServiceDetails) -> Bool) throws(MongoError) {
        for _ in 0..<ServiceUpdates.turns {
            guard let before = try reader.service(service), isMeant(before) else { return }
            let update = BSONDocument { writer in
                writer.append("$set") { set in
                    set.append(Field.keyCreatedAt, date: max(now, before.keyCreatedAt + 1))
                    set.append(Field.updatedAt, date: max(now, before.updatedAt + 1))
                }
            }
            if try services.findOneAndUpdate(before.unchanged, update: update) != nil { return }
        }
        throw ServiceUpdates.restless
    }
}
