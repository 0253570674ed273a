package import WaybillCore

/// A record to write.
package struct LogEntry: Sendable {
    package var record: DeliveryRecord
    /// What the pass began from, when a `deferred` record of the same id may be there, to be replaced.
    ///
    /// `nil` for the first sight of an id.
    package var predecessor: Predecessor?
    /// Whether a final record of another's in its place means that the notification was pushed twice.
    ///
    /// That one is marked then. A record that is itself a repeat always does so.
    package var marksTwin: Bool
    /// Whether an earlier try to write the same entry may have succeeded.
    package var mayBeWritten: Bool

    package init(
        record: DeliveryRecord,
        predecessor: Predecessor? = nil,
        marksTwin: Bool = false,
        mayBeWritten: Bool = false
    ) {
        self.record = record
        self.predecessor = predecessor
        self.marksTwin = marksTwin
        self.mayBeWritten = mayBeWritten
    }

    /// What the log held of an id when a pass recalled it.
    ///
    /// A deferred record that says something else when the pass ends is another's, who has sent the same notification
    /// meanwhile.
    package struct Predecessor: Hashable, Sendable {
        /// 0 when there was no record.
        package var attempts: Int
        package var isRepeat: Bool

        package init(attempts: Int, isRepeat: Bool) {
            self.attempts = attempts
            self.isRepeat = isRepeat
        }

        /// There was no record.
        package static let none = Predecessor(attempts: 0, isRepeat: false)
    }
}

/// What a successful write did, all of it durable.
package struct LogWriteResult: Hashable, Sendable {
    /// Records that were inserted, or put in the place of a deferred one.
    package var written = 0
    /// Records that had been there already, and stayed as they were.
    package var alreadyRecorded = 0
    /// Which entries met a record in their place, by position: one that stayed, or one that gave way.
    package var met: [Int] = []
}
