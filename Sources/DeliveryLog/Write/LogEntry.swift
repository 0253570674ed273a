package import WaybillCore

/// A record to write.
package struct LogEntry: Sendable {
    package var record: DeliveryRecord
    /// Whether a `deferred` record of the same id may be there, to be replaced; a final one never is.
    package var replacesDeferred: Bool

    package init(record: DeliveryRecord, replacesDeferred: Bool = false) {
        self.record = record
        self.replacesDeferred = replacesDeferred
    }
}

/// What a successful write did, all of it durable.
package struct LogWriteResult: Hashable, Sendable {
    /// Records that were inserted, or put in the place of a deferred one.
    package var written = 0
    /// Records that had been there already, and stayed as they were.
    package var alreadyRecorded = 0
}
