package import WaybillMongo

/// Writes one process's lease.
///
/// *Thread:* its client's. *Blocking:* up to the limits of the pool.
package struct LeaseWriter {
    private let collection: MongoCollection

    package init(client: MongoClient, database: String) {
        collection = client.collection(database: database, name: Fleet.processes)
    }

    /// Puts the lease in the place of the last one.
    ///
    /// - Throws: when it is not known to be durable.
    package func write(_ lease: Lease) throws(MongoError) {
        let filter = BSONWriter(capacity: 128)
        filter.append(Fleet.Field.id, string: lease.id)
        let document = BSONWriter(capacity: 2048)
        document.append(Fleet.Field.id, string: lease.id)
        document.append(Fleet.Field.role, string: lease.role)
        document.append(Fleet.Field.host, string: lease.host)
        document.append(Fleet.Field.process, int: Int(lease.process))
        document.append(Fleet.Field.version, string: lease.version)
        document.append(Fleet.Field.started, date: lease.started)
        document.append(Fleet.Field.seen, date: lease.seen)
        if lease.isEnded { document.append(Fleet.Field.isEnded, bool: true) }
        document.append(Fleet.Field.status, string: String(decoding: lease.status, as: UTF8.self))
        let keeping = Int64(Lease.keeping / .milliseconds(1))
        document.append(Fleet.Field.expiresAt, date: lease.seen + keeping)
        let bulk = collection.bulk()
        try bulk.replaceOne(filter: filter, with: document, upsert: true)
        try bulk.execute().requireDurable("write to \(Fleet.processes)")
    }
}
