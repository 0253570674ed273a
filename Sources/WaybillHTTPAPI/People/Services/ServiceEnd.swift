import WaybillAccounts
import WaybillMongo
import WaybillNotifications
import WaybillOutbox
import WaybillThreads

/// What is done when a service is deleted, by the request that has deleted it, or by whichever process finds that nobody has done
/// it.
///
/// Each step may be done twice, and the mark in the service's document goes last: so whoever ends in between leaves the rest to
/// others.
///
/// *Thread:* its client's. *Blocking:* up to the limits of the pool.
struct ServiceEnd {
    let door: FrontDoor
    let client: MongoClient

    private var store: ServiceStore {
        ServiceStore(client: client, database: door.database, secrets: door.rules.keys.serviceKeys)
    }

    /// Leaves nothing of a service that was deleted.
    ///
    /// - Throws: what the store says; the same again does the rest.
    func finish(_ ending: ServiceEnding) throws(MongoError) {
        let database = door.database
        try WebhookEndpoints.removeAll(
            ofService: ending.service,
            client: client,
            database: database,
            now: ending.at
        )
        if let origin = ending.origin {
            try AuditWriter(client: client, database: database).writeOnce(
                AuditEntry(
                    .serviceDelete,
                    byPerson: ending.account,
                    in: ending.service,
                    how: origin.how,
                    request: origin.request,
                    at: ending.at
                )
            )
            let events = ServiceEvents(client: client, database: database)
            // Nobody belongs to it afterwards.
            try events.changed(
                ending.service,
                telling: events.people(of: ending.service),
                by: origin.request,
                at: ending.at
            )
        }
        try store.finish(ending)
    }

    /// The same of all that somebody has left unfinished.
    ///
    /// - Parameters:
    ///   - deadline: no further one is begun after it; the next sweep goes on.
    ///   - now: milliseconds since 1970.
    /// - Returns: those that could not be ended, each with what the store has said.
    /// - Throws: what the store says, where it tells of none.
    func finishOthers(until deadline: MonotonicTime, now: Int64) throws(MongoError) -> [(ServiceEnding, MongoError)] {
        let begun = try store.begun(before: now - Sweep.patience, limit: Sweep.mostAtOnce).shuffled()
        return Sweep.each(of: begun, until: deadline) { ending throws(MongoError) in try finish(ending) }
    }
}
