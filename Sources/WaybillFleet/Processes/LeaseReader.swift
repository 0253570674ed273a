package import WaybillMongo

/// Reads all processes' leases.
///
/// *Thread:* its client's. *Blocking:* up to the limits of the pool.
package struct LeaseReader {
    private let collection: MongoCollection

    package init(client: MongoClient, database: String) {
        collection = client.collection(database: database, name: Fleet.processes)
    }

    /// Every lease that is there, the latest process first; more than a thousand are nobody's fleet.
    package func leases() throws(MongoError) -> [Lease] {
        let cursor = collection.find(.empty, options: MongoFindOptions(limit: 1000))
        var leases: [Lease] = []
        while let document = try cursor.next() {
            if let lease = Lease(document) { leases.append(lease) }
        }
        return leases.sorted { ($1.started, $0.id) < ($0.started, $1.id) }
    }
}

extension Lease {
    /// Reads a document; `nil` for one that is no lease.
    fileprivate init?(_ document: BSONDocument) {
        guard let role = document["\(Fleet.Field.role)"]?.string, let host = document["\(Fleet.Field.host)"]?.string,
            let process = document["\(Fleet.Field.process)"]?.int,
            let version = document["\(Fleet.Field.version)"]?.string,
            let started = document["\(Fleet.Field.started)"]?.date, let seen = document["\(Fleet.Field.seen)"]?.date,
            let status = document["\(Fleet.Field.status)"]?.string
        else { return nil }
        self.init(
            role: role,
            host: host,
            process: Int32(clamping: process),
            version: version,
            started: started,
            seen: seen,
            isEnded: document["\(Fleet.Field.isEnded)"]?.bool == true,
            status: Array(status.utf8)
        )
    }
}
