package import Mongo
package import WaybillCore

/// Carries invalid-token events out on the registry, a batch at a time.
///
/// Input: events. Output: counts, once every event is durable (majority and journal). Invariant: a document changes only if
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

    /// Writes what the events ask for and waits until it is durable.
    ///
    /// - Note: Blocking: up to the limits of the pool for each round.
    package func apply(_ events: [InvalidTokenEvent]) throws(MongoError) -> PruneCounts {
        guard !events.isEmpty else { return PruneCounts() }
        return try pool.withClient { (client) throws(MongoError) in
            try apply(events, to: client.collection(database: database, name: DeviceRegistry.collection))
        }
    }

    private func apply(_ events: [InvalidTokenEvent], to devices: MongoCollection) throws(MongoError) -> PruneCounts {
        var counts = PruneCounts()
        var disabling = events.filter { $0.verdict == .dead }
        var suspecting = events.filter { $0.verdict == .suspect }
        for _ in 0..<Self.roundLimit {
            let disabled = try write(
                disabling,
                DeviceUpdate.disableFilter,
                DeviceUpdate.disable,
                to: devices
            )
            counts.disabled += disabled.changed
            counts.tombstoned += disabled.created
            let suspected = try write(
                suspecting,
                DeviceUpdate.suspectFilter,
                DeviceUpdate.suspect,
                to: devices
            )
            counts.suspected += suspected.changed + suspected.created

            disabling = []
            suspecting = []
            for event in disabled.unmet + suspected.unmet {
                let document = try devices.findOne(DeviceUpdate.key(event))
                switch PruneDecision.decide(event, document.map(DeviceUpdate.registration)) {
                case .newerRegistration: counts.newerRegistration += 1
                case .already: counts.already += 1
                // The document came or changed between write and look: once more.
                case .disable, .tombstone: disabling.append(event)
                case .suspect: suspecting.append(event)
                }
            }
            if disabling.isEmpty, suspecting.isEmpty { return counts }
        }
        throw MongoError(
            code: .notDurable,
            operation: "prune \(database).\(DeviceRegistry.collection)",
            reason: "documents keep changing while they are written"
        )
    }

    private struct Written {
        var changed = 0
        var created = 0
        /// Events whose document did not meet the conditions.
        var unmet: [InvalidTokenEvent] = []
    }

    private func write(
        _ events: [InvalidTokenEvent],
        _ filter: (InvalidTokenEvent) -> BSONDocument,
        _ update: (InvalidTokenEvent) -> BSONDocument,
        to devices: MongoCollection
    ) throws(MongoError) -> Written {
        guard !events.isEmpty else { return Written() }
        let bulk = devices.bulk()
        for event in events { try bulk.updateOne(filter: filter(event), update: update(event), upsert: true) }
        let result = bulk.execute()
        let operation = "prune \(database).\(DeviceRegistry.collection)"
        if let failure = result.failure { throw failure }
        if let text = result.writeConcernErrors.first {
            throw MongoError(code: .notDurable, operation: operation, reason: text)
        }
        var written = Written(changed: result.matched, created: result.upserted)
        for error in result.writeErrors {
            guard error.isDuplicateKey else {
                throw MongoError(
                    code: .commandFailed,
                    operation: operation,
                    reason: error.message,
                    nativeCode: UInt32(clamping: error.code)
                )
            }
            written.unmet.append(events[error.index])
        }
        return written
    }
}
