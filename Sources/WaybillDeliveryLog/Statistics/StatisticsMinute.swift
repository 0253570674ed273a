package import WaybillCore

/// A part of the log that is counted as one: the final records whose key, or whose date, lies in one minute.
///
/// Every final record belongs to exactly one, for as long as it is there, and the records of one can be found again by an
/// index: so what is in doubt about one is counted anew, and nothing else is.
package struct StatisticsMinute: Hashable, Sendable {
    /// What of a record lies in the minute.
    package enum Basis: String, Sendable {
        /// The time in front of its key.
        case id
        /// Its date: the record says so itself.
        case date
    }

    package var basis: Basis
    /// Whole minutes since 1970.
    package var number: Int64

    package init(_ basis: Basis, number: Int64) {
        self.basis = basis
        self.number = number
    }

    /// - Parameters:
    ///   - basis: what lies in it.
    ///   - time: in milliseconds since 1970.
    package init(_ basis: Basis, time: Int64) {
        self.init(basis, number: time / Self.milliseconds)
    }

    /// The minute of a final record.
    package init(_ record: borrowing DeliveryRecord) {
        self.init(id: record.id, date: record.date, isByDate: record.isCountedByDate)
    }

    /// The minute of a final record that is told by these.
    init(id: NotificationID, date: Int64, isByDate: Bool) {
        if isByDate {
            self.init(.date, number: date / Self.milliseconds)
        } else {
            self.init(.id, number: Int64(truncatingIfNeeded: id.high >> 16) / Self.milliseconds)
        }
    }

    static let milliseconds: Int64 = 60_000
    /// The minutes in which records of a key's minute end: from the one before it, for clocks that differ, to the hour after.
    ///
    /// That bounds how many minutes can be open at once, whatever times producers write into their messages.
    static let outcomes: ClosedRange<Int64> = -1...60

    /// Whether a record is to be found by its date, because its key tells nothing of when it ended.
    ///
    /// - Parameters:
    ///   - messageTime: the time in front of the key, in milliseconds since 1970; `nil` where the key has none.
    ///   - date: of the record, in milliseconds since 1970.
    /// - Returns: true without a time, and for one that is not near the date.
    package static func isByDate(messageTime: UInt64?, date: Int64) -> Bool {
        guard let messageTime else { return true }
        let minutes = date / milliseconds - Int64(truncatingIfNeeded: messageTime) / milliseconds
        return !outcomes.contains(minutes)
    }

    /// When it begins, in milliseconds since 1970.
    var start: Int64 { number * Self.milliseconds }

    /// What the ids of its documents begin with.
    var name: String { "\(basis.rawValue)/\(number)" }
}
