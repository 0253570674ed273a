import WaybillFleet
import WaybillMongo
import WaybillNotifications
import WaybillThreads

/// How many notifications in the store, parts of campaigns among them, wait for `waybill schedule`.
enum WaitingNotifications {
    /// Asks the store, unless somebody runs who looks after them.
    ///
    /// *Thread:* the client's. *Blocking:* up to the limits of its pool.
    ///
    /// - Parameters:
    ///   - client: asks.
    ///   - database: where they are.
    ///   - leases: of all processes.
    ///   - now: milliseconds since 1970, by the store's clock; `nil` where it has not said.
    /// - Returns: 0 also for whoever may not read them.
    /// - Throws: what the store says.
    static func count(
        _ client: MongoClient,
        _ database: String,
        _ leases: [Lease],
        now: Int64?
    ) throws(MongoError) -> Int {
        guard !leases.hasSchedule(now: now ?? WallClock.milliseconds()) else { return 0 }
        do throws(MongoError) {
            return try PostedStore.countOpen(client, database)
        } catch {
            guard error.code == .accessRefused else { throw error }
            return 0
        }
    }
}

extension [Lease] {
    /// Whether a `waybill schedule` runs.
    func hasSchedule(now: Int64) -> Bool {
        contains { $0.role == "schedule" && FleetHealth.isPresent($0, now: now) }
    }
}
