package import WaybillMongo

/// What a document says of itself.
extension PostedStore {
    private typealias Layout = NotificationLayout
    private typealias Field = NotificationLayout.Field

    /// Whether a document waits for its time, and nothing of it is decided.
    package static func isUndecided(_ document: BSONDocument) -> Bool {
        document["\(Field.undecided)"]?.bool == true
            && document["\(Field.state)"]?.string == Layout.State.scheduled.rawValue
    }

    /// Whether a document asks that nothing of it is handed over for now.
    package static func isHeld(_ document: BSONDocument) -> Bool { document["\(Field.held)"]?.bool == true }

    /// Whether a document asks that nothing more of it is sent, or an order was given about it.
    package static func isCancelled(_ document: BSONDocument) -> Bool {
        document["\(Field.cancel)"]?.bool == true || !orders(about: document).isEmpty
    }

    /// Who has ordered that nothing of a document is sent, first of all; `nil` where nobody has.
    static func canceller(of document: BSONDocument) -> String? {
        orders(about: document).first.map { $0.document?["\(Field.by)"]?.string ?? "an order" }
    }

    private static func orders(about document: BSONDocument) -> [BSONValue] {
        document["\(Field.cancelledBy)"]?.elements ?? []
    }

    /// Of `cancelled_by`: one from which all was taken is as good as none.
    static let firstOrder: StaticString = "cancelled_by.0"

    /// Whether a document says of itself that it was sent, as those of other systems may.
    package static func saysSent(_ document: BSONDocument) -> Bool {
        let sent = document["\(Field.sent)"]
        return sent?.bool == true || (sent?.int ?? 0) != 0
    }
}
