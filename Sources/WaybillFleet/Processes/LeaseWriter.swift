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
    /// When that was, ``Lease/seen``, the store notes by its own clock: those of the hosts may differ by more than a silent
    /// process is given.
    ///
    /// - Throws: when it is not known to be durable.
    package func write(_ lease: Lease) throws(MongoError) {
        let filter = BSONDocument { $0.append(Fleet.Field.id, string: lease.id) }
        let update = BSONDocument { update in
            update.append("$set") { fields in
                fields.append(Fleet.Field.role, string: lease.role)
                fields.append(Fleet.Field.host, string: lease.host)
                fields.append(Fleet.Field.process, int: Int(lease.process))
                fields.append(Fleet.Field.version, string: lease.version)
                fields.append(Fleet.Field.started, date: lease.started)
                if lease.isEnded { fields.append(Fleet.Field.isEnded, bool: true) }
                fields.append(Fleet.Field.status, string: String(decoding: lease.status, as: UTF8.self))
                let keeping = Int64(Lease.keeping / .milliseconds(1))
                fields.append(Fleet.Field.expiresAt, date: lease.seen + keeping)
            }
            update.append("$currentDate") { $0.append(Fleet.Field.seen, bool: true) }
        }
        let bulk = collection.bulk()
        try bulk.updateOne(filter: filter, update: update, upsert: true)
        try bulk.execute().requireDurable("write to \(Fleet.processes)")
    }
}
