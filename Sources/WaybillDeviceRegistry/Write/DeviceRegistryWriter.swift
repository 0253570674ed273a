package import WaybillCore
package import WaybillMongo

/// Carries invalid-token events out on the registry, a batch at a time.
///
/// Input: events. Output: what became of them, once all are durable (majority and journal). Invariant: a document changes only if
/// it meets the event's conditions at the moment of the write. Failure: an error means that part of the batch may have been
/// written; the same batch again is safe, and counts what was written before as `already`.
package struct DeviceRegistryWriter {
    private let pool: MongoPool
    private let database: String

    /// Rounds after which documents that keep changing under our hands count as a failure of the store.
    private static let roundLimit = 5

    package init(pool: MongoPool, database: String) {
        self.pool = pool
        self.database = database
    }

    /// Asks whether a write would become durable now, and changes nothing.
    ///
    /// A write that finds no document is confirmed, like any other, when a majority has everything before it.
    ///
    /// - Throws: what would be thrown for an event.
    package func probeWrite() throws(MongoError) {
        try withDevices { devices throws(MongoError) in
            let bulk = devices.bulk()
            try bulk.updateOne(
                filter: BSONDocument { $0.append("_id", string: "") },
                update: BSONDocument { $0.append("$set") { $0.append(DeviceRegistry.Field.enabled, bool: false) } },
                upsert: false
            )
            try bulk.execute().requireDurable(operation)
        }
    }

    /// Writes what the events ask for and waits until it is durable.
    ///
    /// - Note: Blocking: up to the limits of the pool for each round.
    package func apply(_ events: [InvalidTokenEvent]) throws(MongoError) -> RegistryChanges {
        guard !events.isEmpty else { return RegistryChanges() }
        return try withDevices { devices throws(MongoError) in try apply(events, to: devices) }
    }

    private func apply(_ events: [InvalidTokenEvent], to devices: MongoCollection) throws(MongoError) -> RegistryChanges
    {
        var changes = RegistryChanges()
        var disabling = events.filter { $0.verdict == .dead }
        // Looked at before any write: an upsert for a token that nobody registered would make a device of it.
        var undecided = events.filter { $0.verdict == .suspect }
        var round = 0
        while true {
            var suspecting: [InvalidTokenEvent] = []
            let registrations = try DeviceLookup.registrations(of: undecided, in: devices)
            for event in undecided {
                switch RemovalRule.decide(event, registrations[DeviceKey.of(event)]) {
                case .newerRegistration: changes.newerRegistration += 1
                case .already: changes.already += 1
                case .unknownDevice: changes.unknownDevice += 1
                // After a round, the document came or changed between write and look: once more.
                case .disable, .tombstone: disabling.append(event)
                case .suspect: suspecting.append(event)
                }
            }
            if disabling.isEmpty, suspecting.isEmpty { return changes }
            guard round < Self.roundLimit else { throw restless }
            round += 1

            let disabled = try write(
                disabling,
                RemovalRule.condition(toDisable:),
                DeviceUpdate.disable,
                to: devices
            )
            changes.disabled += disabled.changed
            changes.tombstoned += disabled.created
            let suspected = try write(
                suspecting,
                RemovalRule.condition(toSuspect:),
                DeviceUpdate.suspect,
                to: devices
            )
            changes.suspected += suspected.changed + suspected.created
            disabling = []
            undecided = disabled.unmet + suspected.unmet
        }
    }

    private var restless: MongoError {
        MongoError(code: .notDurable, operation: operation, reason: "documents keep changing while they are written")
    }

    private func write(
        _ events: [InvalidTokenEvent],
        _ condition: (InvalidTokenEvent) -> RemovalRule.Condition,
        _ update: (InvalidTokenEvent) -> BSONDocument,
        to devices: MongoCollection
    ) throws(MongoError) -> WrittenEvents {
        guard !events.isEmpty else { return WrittenEvents() }
        let bulk = devices.bulk()
        for event in events {
            let filter = DeviceFilter.of(event, condition(event))
            try bulk.updateOne(filter: filter, update: update(event), upsert: true)
        }
        return try WrittenEvents(bulk.execute(), of: events, operation: operation)
    }

    /// A client's time with the registry.
    func withDevices<Result>(_ body: (MongoCollection) throws(MongoError) -> Result) throws(MongoError) -> Result {
        try pool.withClient { (client) throws(MongoError) in
            try body(client.collection(database: database, name: DeviceRegistry.collection))
        }
    }

    var operation: String { "prune \(database).\(DeviceRegistry.collection)" }
}
