import WaybillFleet
import WaybillMongo
import WaybillThreads

/// Who takes invalid-token events at this moment, as far as the processes tell.
enum EventTaker: Hashable, Sendable {
    /// A prune worker is up.
    case prune
    /// None is. A program of the operator's own may take them.
    case nobody
    /// What processes say of themselves cannot be read.
    case unknown

    /// - Parameters:
    ///   - leases: of all processes; `nil` where they cannot be read.
    ///   - now: milliseconds since 1970.
    init(leases: [Lease]?, now: Int64) {
        guard let leases else {
            self = .unknown
            return
        }
        self = leases.contains { $0.role == "prune" && FleetHealth.isPresent($0, now: now) } ? .prune : .nobody
    }

    /// Asks the store.
    ///
    /// *Thread:* the client's. *Blocking:* up to the limits of its pool.
    init(client: MongoClient, database: String) {
        let leases = try? LeaseReader(client: client, database: database).leases()
        // Leases are dated by the store.
        self.init(leases: leases, now: ((try? client.clock()) ?? nil) ?? WallClock.milliseconds())
    }
}
