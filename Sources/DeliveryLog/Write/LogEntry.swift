package import WaybillCore

/// A record to write.
package struct LogEntry: Sendable {
    package var record: DeliveryRecord
    /// Whether a `deferred` record of the same id may be there, to be replaced; a final one never is.
    package var replacesDeferred: Bool
    /// Whether a final record in its place means that the notification was pushed twice.
    ///
    /// That one is marked then. A record that is itself a repeat always does so.
    package var marksTwin: Bool

    package init(record: DeliveryRecord, replacesDeferred: Bool = false, marksTwin: Bool = false) {
        self.record = record
        self.replacesDeferred = replacesDeferred
        self.marksTwin = marksTwin
    }
}

/// What a successful write did, all of it durable.
package struct LogWriteResult: Hashable, Sendable {
    /// Records that were inserted, or put in the place of a deferred one.
    package var written = 0
    /// Records that had been there already, and stayed as they were.
    package var alreadyRecorded = 0
}
