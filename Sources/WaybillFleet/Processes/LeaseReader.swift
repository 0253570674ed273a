package import WaybillMongo

/// Reads all processes' leases.
///
/// *Thread:* its client's. *Blocking:* up to the limits of the pool.
package struct LeaseReader {
    private let collection: MongoCollection

    package init(client: MongoClient, database: String) {
        collection = client.collection(database: database, name: Fleet.processes)
    }

    /// What is there of leases.
    package struct Found: Hashable, Sendable {
        /// The latest process first.
        package var leases: [Lease] = []
        /// The names of documents that are none, or say what no process does.
        package var unreadable: [String] = []

        package init() {}
    }

    /// Every lease that is there; more than a thousand are nobody's fleet.
    package func found() throws(MongoError) -> Found {
        let cursor = collection.find(.empty, options: MongoFindOptions(limit: 1000))
        var found = Found()
        while let document = try cursor.next() {
            if let lease = Lease(document) {
                found.leases.append(lease)
            } else {
                let name = document["\(Fleet.Field.id)"]?.string ?? "a document whose _id is no text"
                found.unreadable.append(String(name.prefix(200)))
            }
        }
        found.leases.sort { ($1.started, $0.id) < ($0.started, $1.id) }
        return found
    }

    /// Those of ``found()`` that can be read.
    package func leases() throws(MongoError) -> [Lease] { try found().leases }
}

extension Lease {
    /// Reads a document; `nil` for one that no process writes: anybody may, who has the right, and its numbers are added up.
    fileprivate init?(_ document: BSONDocument) {
        guard let role = document["\(Fleet.Field.role)"]?.string, let host = document["\(Fleet.Field.host)"]?.string,
            let process = document["\(Fleet.Field.process)"]?.int,
            let version = document["\(Fleet.Field.version)"]?.string,
            let started = document["\(Fleet.Field.started)"]?.date, let seen = document["\(Fleet.Field.seen)"]?.date,
            let status = document["\(Fleet.Field.status)"]?.string,
            (0...Int64(Int32.max)).contains(process), [started, seen].allSatisfy(Self.dates.contains),
            ProcessReport(reading: Array(status.utf8))?.isPlausible == true
        else { return nil }
        self.init(
            role: role,
            host: host,
            process: Int32(process),
            version: version,
            started: started,
            seen: seen,
            isEnded: document["\(Fleet.Field.isEnded)"]?.bool == true,
            status: Array(status.utf8)
        )
    }

    private static let dates = 0..<BSONValue.dates.upperBound
}
