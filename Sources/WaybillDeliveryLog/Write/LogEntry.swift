package import WaybillCore
import WaybillMongo

/// A record to write.
package struct LogEntry: Sendable {
    package var record: DeliveryRecord
    /// Whether this pass has sent a push.
    ///
    /// A final record in its place, which another pass has written, then means that the notification was pushed twice, and is
    /// marked. A record that is itself a repeat marks it in any case.
    package var wasPushed: Bool
    /// Whether an earlier try to write the same entry may have succeeded.
    package var mayBeWritten: Bool
    /// What the pass began from, when a `deferred` record of the same id may be there, to be replaced.
    ///
    /// `nil` when nothing was found, or not looked for.
    package var predecessor: Predecessor?

    /// What the log held of an id when a pass recalled it.
    ///
    /// A deferred record that says something else when the pass ends is another's, who has sent the same notification
    /// meanwhile.
    package struct Predecessor: Hashable, Sendable {
        package var attempts: Int
        package var isRepeat: Bool
        /// As the log holds it; `nil` as the log would hold it now.
        package var deviceToken: String?

        package init(attempts: Int, isRepeat: Bool, deviceToken: String? = nil) {
            self.attempts = attempts
            self.isRepeat = isRepeat
            self.deviceToken = deviceToken
        }
    }
}

extension LogEntry {
    /// Entries of a record's history at the most.
    package static let historyLimit = 32

    /// The pushes of this pass that the record lists, oldest first.
    var pushes: [AttemptRecord] {
        let count = record.attempts - (predecessor?.attempts ?? 0)
        guard wasPushed, count > 0 else { return [] }
        guard record.history.isEmpty else { return Array(record.history.suffix(count)) }
        return [
            AttemptRecord(
                date: record.date,
                status: record.statusCode,
                reason: record.reason,
                latency: record.latencyMilliseconds
            )
        ]
    }

    /// Hands everything to the memberwise initializer: one that sets the members one by one copies the record once more.
    package init(
        record: DeliveryRecord,
        predecessor: Predecessor? = nil,
        wasPushed: Bool = false,
        mayBeWritten: Bool = false
    ) {
        self.init(record: record, wasPushed: wasPushed, mayBeWritten: mayBeWritten, predecessor: predecessor)
    }
}

/// What a successful write did, all of it durable.
package struct LogWriteResult: Hashable, Sendable {
    /// A record that is not written, although the store works.
    package struct Refusal: Hashable, Sendable {
        /// Which entry.
        package var position: Int
        /// The server's words, without the document's values.
        package var reason: String
    }

    /// Records that were inserted, or put in the place of a deferred one.
    package var written = 0
    /// Records that had been there already, and stayed as they were.
    package var alreadyRecorded = 0
    /// Records of cancelled notifications that gave way to what became of a push.
    package var overruled = 0
    /// Which entries met a record in their place, by position: one that stayed, or one that gave way.
    package var met: [Int] = []
    /// How many of those took the place of a deferred record that their pass did not begin from.
    package var replacedOthers = 0
    /// Records that the server refuses for what they hold: a validator, another unique index, the size.
    package var refused: [Refusal] = []
    /// Marks that it refuses in the same way; their records are there.
    package var unmarked = 0

    package init(written: Int = 0, alreadyRecorded: Int = 0) {
        self.written = written
        self.alreadyRecorded = alreadyRecorded
    }
}

extension LogWriteResult.Refusal {
    init(position: Int, _ error: MongoBulkResult.WriteError) {
        self.init(position: position, reason: "\(error.message) (\(error.code))")
    }
}
