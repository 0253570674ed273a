import WaybillMongo

/// What happened to a device, as its history tells it.
package struct DeviceHistoryEvent: Hashable, Sendable {
    package enum Kind: String, CaseIterable, Sendable {
        /// Pushing ended: a dead token, a person, a log-out.
        case disabled
        /// A person allowed pushing again.
        case enabled
        /// The fuse of prune has blown: that the token was disabled shortly before is taken back.
        case takenBack = "taken_back"
        /// The app has registered a token that was disabled or suspected.
        case registeredAgain = "registered_again"
        /// Its device has another token.
        case replacedBy = "replaced_by"
    }

    private typealias Field = DeviceRegistry.HistoryField

    /// Milliseconds since 1970.
    package var at: Int64
    /// The kind's raw value, or what another program has called it.
    package var event: String
    /// Why; of a registration, why the token was disabled before.
    package var reason: String?
    /// The last characters of the token that came in its place.
    package var successor: String?

    package init(at: Int64, kind: Kind, reason: String? = nil, successor: String? = nil) {
        self.at = at
        event = kind.rawValue
        self.reason = reason
        self.successor = successor
    }

    /// - Returns: `nil` if it is none.
    init?(_ document: BSONDocument) {
        guard let at = document["\(Field.at)"]?.date, let event = document["\(Field.event)"]?.string else { return nil }
        self.at = at
        self.event = event
        reason = document["\(Field.reason)"]?.string
        successor = document["\(Field.successor)"]?.string
    }

    var document: BSONDocument {
        BSONDocument { writer in
            writer.append(Field.at, date: at)
            writer.append(Field.event, string: event)
            if let reason { writer.append(Field.reason, string: reason) }
            if let successor { writer.append(Field.successor, string: successor) }
        }
    }
}
